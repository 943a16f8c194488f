/**
 * Tells a barcode scanner that types (a "keyboard wedge") from a person who types, by timing alone. Pure: keys and
 * their times go in; what to do with the key, and what came to light, comes out. Knows no page and no barcode.
 *
 * The first characters of a scan look like typing, so every character is held back for as long as the next one of a
 * scan may take. What turns out to be typing is given back in order; what turns out to be a scan never was anywhere.
 */

/** Milliseconds between two characters: scanners stay far below, and nobody types ten keys in a row this fast. */
export const TYPING_GAP = 50;
/** Four keys that fast in a row are a scan already, in all likelihood: a hiccup may last this long (milliseconds). */
export const DOUBTFUL_GAP = 150;
const DOUBTFUL = 4;
/** Once it must be a scan, a wireless scanner may pause this long (milliseconds). */
export const SCAN_GAP = 250;
/** A licence plate has ten digits; a boarding pass has sixty characters and more. */
export const SHORTEST_SCAN = 10;

export interface Wedge {
  /** Characters held back. */
  readonly held: string;
  /** When the last of them came, in milliseconds. */
  readonly at: number;
}

export const RESTING: Wedge = { held: "", at: Number.NEGATIVE_INFINITY };

export type WedgeKey =
  | { readonly type: "character"; readonly text: string; readonly at: number }
  /** Enter or Tab: how scanners end. */
  | { readonly type: "end"; readonly at: number }
  /** Any other key. */
  | { readonly type: "other" }
  /** {@link patience} went by without a key. */
  | { readonly type: "pause" };

export interface WedgeStep {
  readonly wedge: Wedge;
  /** The key goes no further: not into a field, not to a button. */
  readonly swallow: boolean;
  /** Was typed by a person: to be put where it was meant for, before the key itself is. */
  readonly typed?: string;
  readonly scanned?: string;
}

/** What one key means after those held back. */
export function next(wedge: Wedge, key: WedgeKey): WedgeStep {
  switch (key.type) {
    case "character":
      return character(wedge, key.text, key.at);
    case "end":
      if (isScan(wedge) && inTime(wedge, key.at))
        return { wedge: RESTING, swallow: true, scanned: wedge.held };
      return { ...given(wedge), swallow: false };
    case "other":
      return { ...given(wedge), swallow: false };
    case "pause":
      // A scanner set up without an ending has ended by falling silent.
      if (isScan(wedge)) return { wedge: RESTING, swallow: true, scanned: wedge.held };
      return { ...given(wedge), swallow: false };
  }
}

/** Milliseconds to wait for the next key before it counts as a pause. */
export function patience(wedge: Wedge): number {
  if (isScan(wedge)) return SCAN_GAP;
  return wedge.held.length < DOUBTFUL ? TYPING_GAP : DOUBTFUL_GAP;
}

function character(wedge: Wedge, text: string, at: number): WedgeStep {
  if (wedge.held !== "" && inTime(wedge, at))
    return { wedge: { held: wedge.held + text, at }, swallow: true };
  // No scan begins with a space, and a space alone is how a keyboard presses a button.
  if (text === " ") return { ...given(wedge), swallow: false };
  return { ...given(wedge), wedge: { held: text, at }, swallow: true };
}

const isScan = ({ held }: Wedge) => held.length >= SHORTEST_SCAN;
const inTime = (wedge: Wedge, at: number) => at - wedge.at <= patience(wedge);

/** Everything held back, as typing. A scan that somebody's key cut off is nobody's typing: it is dropped. */
function given(wedge: Wedge): Pick<WedgeStep, "wedge" | "typed"> {
  if (wedge.held === "" || isScan(wedge)) return { wedge: RESTING };
  return { wedge: RESTING, typed: wedge.held };
}
