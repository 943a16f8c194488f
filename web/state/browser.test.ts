import { expect, test } from "vitest";
import { lackingBrowser } from "./browser.ts";

const MAC =
  "Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 Version/18.0 Safari/605.1.15";
const ANDROID =
  "Mozilla/5.0 (Linux; Android 14; Pixel 8) AppleWebKit/537.36 Chrome/142.0.0.0 Mobile Safari/537.36";

test.each([
  ["an iPhone", "Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) CriOS/142 Mobile Safari", 5, "ios"],
  ["an iPad that calls itself a Mac", MAC, 5, "ios"],
  ["a Mac", MAC, 0, undefined],
  ["Chrome on Android", ANDROID, 5, undefined],
  ["a WebView on Android", ANDROID.replace("Pixel 8)", "Pixel 8; wv)"), 5, "inApp"],
  ["a browser inside an app", `${ANDROID} [FB_IAB/FB4A;FBAV/480.0]`, 5, "inApp"],
] as const)("%s is distinguished", (_name, userAgent, maxTouchPoints, kind) => {
  expect(lackingBrowser({ userAgent, maxTouchPoints })).toBe(kind);
});
