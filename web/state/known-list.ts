/** Whether somebody on this device has been told once how a tag is chosen in the browser's list. */
export const LIST_KNOWN = "taglatch.list-known";

export function isListKnown(): boolean {
  try {
    return localStorage.getItem(LIST_KNOWN) !== null;
  } catch {
    // Without storage it would be told every time.
    return true;
  }
}

export function rememberListKnown(): void {
  try {
    localStorage.setItem(LIST_KNOWN, "1");
  } catch {
    // Told once more next time.
  }
}
