import { existsSync } from "node:fs";

/** Debian's Chromium, or the one named by CHROMIUM_PATH; undefined leaves the choice to Playwright's own download. */
export function chromiumPath(): string | undefined {
  return [process.env.CHROMIUM_PATH, "/usr/bin/chromium"].find(
    (path) => path !== undefined && existsSync(path),
  );
}

/** Launch options for Playwright: a quiet browser that talks to nobody, with Web Bluetooth on Linux too. */
export function chromiumLaunch(): { executablePath?: string; args: string[] } {
  const executablePath = chromiumPath();
  return {
    ...(executablePath === undefined ? {} : { executablePath }),
    args: [
      "--no-sandbox",
      "--disable-gpu",
      "--disable-quic",
      "--no-first-run",
      "--disable-background-networking",
      "--disable-component-update",
      "--disable-sync",
      "--enable-features=WebBluetooth",
    ],
  };
}
