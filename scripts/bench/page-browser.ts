/** A browser with a profile of its own, that both Playwright and Lighthouse hold. */
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type BrowserContext, chromium } from "playwright";
import { chromiumLaunch } from "../test/chromium.ts";

export interface PageBrowser {
  readonly context: BrowserContext;
  /** Of the DevTools protocol. */
  readonly port: number;
  close(): Promise<void>;
}

/** Not incognito: service workers, installation and storage work as on a person's own device. */
export async function openBrowser(more: readonly string[] = []): Promise<PageBrowser> {
  const profile = mkdtempSync(join(tmpdir(), "taglatch-page-"));
  const { args, ...launch } = chromiumLaunch();
  const context = await chromium.launchPersistentContext(profile, {
    ...launch,
    args: [...args, ...more, "--remote-debugging-port=0"],
    locale: "en-GB",
    viewport: { width: 390, height: 844 },
  });
  const [port] = readFileSync(join(profile, "DevToolsActivePort"), "utf8").split("\n");
  return {
    context,
    port: Number(port),
    close: async () => {
      await context.close();
      rmSync(profile, { recursive: true, force: true });
    },
  };
}
