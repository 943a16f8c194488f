import { join } from "node:path";
import type { Page } from "@playwright/test";
import { build, type Rolldown } from "vite";
import { ROOT } from "../../scripts/project-files.ts";

declare global {
  /** Put there by {@link loadSdk}. */
  var createTaglatch: typeof import("../../web/sdk/client.ts").createTaglatch;
}

const PATH = "/sdk-under-test.js";
/** As text: what `page` imports is no file of ours to the checks of imports. */
const LOAD = `import("${PATH}").then((sdk) => { globalThis.createTaglatch = sdk.createTaglatch; })`;

/** Opens `url` and gives its page the SDK as `createTaglatch`, from the page's own origin as a host app would. */
export async function loadSdk(page: Page, url: string): Promise<void> {
  const body = await bundle();
  await page.route(`**${PATH}`, (route) => route.fulfill({ body, contentType: "text/javascript" }));
  await page.goto(url);
  await page.evaluate(LOAD);
}

async function bundle(): Promise<string> {
  const result = (await build({
    configFile: false,
    root: ROOT,
    logLevel: "warn",
    build: {
      write: false,
      target: "esnext",
      rolldownOptions: {
        input: join(ROOT, "web/sdk/client.ts"),
        preserveEntrySignatures: "strict",
        output: { codeSplitting: false },
      },
    },
  })) as Rolldown.RolldownOutput;
  return result.output[0].code;
}
