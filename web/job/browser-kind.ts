/** Where Web Bluetooth is missing for a reason a person can act on. */
export type LackingBrowser = "ios" | "inApp";

/**
 * Undefined for any other browser. Only for choosing a sentence: whether a browser can is asked from the platform. iPads
 * call themselves Macs, and are told by their touch screen.
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
