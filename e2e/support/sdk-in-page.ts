import type { Page } from "@playwright/test";
import { oneFile } from "../../scripts/build/bundle.ts";

declare global {
  /** Put there by {@link loadSdk}. */
  var createTaglatch: typeof import("../../sdk/index.ts").createTaglatch;
}

const PATH = "/sdk-under-test.js";
/** As text: what `page` imports is no file of ours to the checks of imports. */
const LOAD = `import("${PATH}").then((sdk) => { globalThis.createTaglatch = sdk.createTaglatch; })`;

/** Opens `url` and gives its page the SDK as `createTaglatch`, from the page's own origin as a host app would. */
export async function loadSdk(page: Page, url: string): Promise<void> {
  const body = await oneFile("sdk/index.ts");
  await page.route(`**${PATH}`, (route) => route.fulfill({ body, contentType: "text/javascript" }));
  await page.goto(url);
  await page.evaluate(LOAD);
}
