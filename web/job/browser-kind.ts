/** Reasons for missing Web Bluetooth that a person can do something about. */
export type LackingBrowser = "ios" | "inApp";

/**
 * Undefined for any other browser. Used only to choose a sentence: what a browser can do is asked of the
 * platform. iPads call themselves Macs; their touch screen tells them apart.
 */
export function lackingBrowser({
  userAgent,
  maxTouchPoints,
}: Pick<Navigator, "userAgent" | "maxTouchPoints">): LackingBrowser | undefined {
  const apple = /iPhone|iPad|iPod/.test(userAgent) || (/Macintosh/.test(userAgent) && maxTouchPoints > 1);
  if (apple) return "ios";
  // Android's WebView, and the browsers inside well-known apps.
  return /; wv\)|\bFB(?:AN|AV)\b|Instagram|MicroMessenger/.test(userAgent) ? "inApp" : undefined;
}
