import { existsSync } from "node:fs";

/** Debian's Chromium, or the one named by CHROMIUM_PATH; undefined leaves the choice to Playwright's own download. */
export function chromiumPath(): string | undefined {
  return [process.env.CHROMIUM_PATH, "/usr/bin/chromium"].find(
    (path) => path !== undefined && existsSync(path),
  );
}

/**
 * What Chromium shall leave out. Its address bar has two pages of its own in every window, a third of what a new window
 * costs, unseen. The rest is Playwright's list, which a second one overrules.
 */
const WITHOUT = [
  "WebUIOmniboxPopup",
  "WebUIOmniboxAimPopup",
  "AvoidCorsURLLoaderRestartOnRedirect",
  "AvoidUnnecessaryBeforeUnloadCheckSync",
  "DestroyProfileOnBrowserClose",
  "HttpsFirstBalancedModeAutoEnable",
  "HttpsUpgrades",
  "LensOverlay",
  "MediaRouter",
  "NetworkTimeServiceQuerying",
  "OptimizationHints",
  "PaintHolding",
  "PreconnectToSearch",
  "TcpPortRandomizationWin",
  "ThirdPartyStoragePartitioning",
];

/** Launch options for Playwright: a quiet browser that makes no requests of its own, with Web Bluetooth on Linux too. */
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
      `--disable-features=${WITHOUT.join(",")}`,
    ],
  };
}
