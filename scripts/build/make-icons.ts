/** Draws the PNG icons of the installed app from its one SVG: `node scripts/build/make-icons.ts`. The results are committed. */
import { join } from "node:path";
import { chromium } from "playwright";
import { chromiumLaunch } from "../drivers/chromium.ts";
import { projectText, ROOT } from "../project-files.ts";

const svg = projectText("web/public/icon.svg");
/** A maskable icon fills its square to the corners; the platform cuts the shape. */
const square = svg.replace(/ rx="112"/, "");

const ICONS = [
  { name: "icon-192.png", size: 192, source: svg },
  { name: "icon-512.png", size: 512, source: svg },
  { name: "maskable-512.png", size: 512, source: square },
  { name: "apple-touch-180.png", size: 180, source: square },
] as const;

const browser = await chromium.launch(chromiumLaunch());
try {
  for (const { name, size, source } of ICONS) {
    const page = await browser.newPage({ viewport: { width: size, height: size } });
    const image = `data:image/svg+xml;base64,${Buffer.from(source).toString("base64")}`;
    await page.setContent(
      `<style>body{margin:0}img{display:block;width:100vw}</style><img src="${image}" alt="">`,
    );
    await page.locator("img").evaluate((element) => (element as HTMLImageElement).decode());
    await page.screenshot({ path: join(ROOT, "web/public/icons", name), omitBackground: true });
    await page.close();
  }
} finally {
  await browser.close();
}
console.log(`drew ${ICONS.length} icons`);
