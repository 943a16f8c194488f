/** Browsers with a profile of their own, that both Playwright and Lighthouse hold. */
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type BrowserContext, chromium } from "playwright";
import { chromiumLaunch } from "../drivers/chromium.ts";

export interface PageBrowser {
  readonly context: BrowserContext;
  /** Of the DevTools protocol. */
  readonly port: number;
}

/** A person's device: what a page stores on it is there when the browser is started again. */
export class Device {
  readonly #profile = mkdtempSync(join(tmpdir(), "taglatch-page-"));
  readonly #more: readonly string[];

  /** `more` are launch arguments. */
  constructor(more: readonly string[] = []) {
    this.#more = more;
  }

  /** Starts a browser for `act` alone. Not incognito: service workers, installation and storage work as on a person's own device. */
  async browse<Value>(act: (browser: PageBrowser) => Promise<Value>): Promise<Value> {
    const { args, ...launch } = chromiumLaunch();
    const context = await chromium.launchPersistentContext(this.#profile, {
      ...launch,
      args: [...args, ...this.#more, "--remote-debugging-port=0"],
      locale: "en-GB",
      viewport: { width: 390, height: 844 },
    });
    try {
      const [port] = readFileSync(join(this.#profile, "DevToolsActivePort"), "utf8").split("\n");
      return await act({ context, port: Number(port) });
    } finally {
      await context.close();
    }
  }

  throwAway(): void {
    rmSync(this.#profile, { recursive: true, force: true });
  }
}
