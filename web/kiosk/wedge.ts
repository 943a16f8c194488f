/**
 * Distinguishes a barcode scanner that types (a wedge scanner) from a person who types, by timing alone. Pure:
 * keys and their times go in; what to do with the key, and the scan or typing that was recognised, comes out.
 * The table knows no page and no barcode; `createWedge`, at the end, drives it with the page's keys.
 *
 * The first characters of a scan look like typing, so every character is held back for as long as the next
 * one of a scan may take. What turns out to be typing is passed on in order; what turns out to be a scan
 * never appears anywhere.
 *
 * A busy machine delivers keys late, but reports when each was struck. A pause is therefore only a guess: the
 * next key's time may show that there was none, and then the decision about the earlier characters is taken
 * back.
 */
import { onCleanup } from "solid-js";
import { listen } from "../state/browser.ts";
import { typeInto } from "./keys.ts";

/**
 * Milliseconds between two characters: scanners stay far below this, and people do not type ten keys in a row this
 * fast.
 */
export const TYPING_GAP = 50;
/** Four keys this fast in a row are very probably a scan: then a pause may last this long (milliseconds). */
export const DOUBTFUL_GAP = 150;
const DOUBTFUL = 4;
/** Once it must be a scan, a wireless scanner may pause this long (milliseconds). */
export const SCAN_GAP = 250;
/** How late keys may be and still be known to belong together (milliseconds). */
export const MEMORY = 3_000;
/** A licence plate has ten digits; a boarding pass has sixty characters and more. */
const SHORTEST_SCAN = 10;

interface Wedge {
  /** Characters held back. */
  readonly held: string;
  /** When the last held character was struck, in milliseconds. */
  readonly at: number;
  /** At a pause they were taken for a person's typing, or for a whole scan. */
  readonly settled: boolean;
}

export const RESTING: Wedge = { held: "", at: Number.NEGATIVE_INFINITY, settled: false };

export type WedgeKey =
  | { readonly type: "character"; readonly text: string; readonly at: number }
  /** Enter or Tab: most scanners send it last. */
  | { readonly type: "end"; readonly at: number }
  /** Any other key. */
  | { readonly type: "other" }
  /** {@link timeoutOf} has passed without a key. */
  | { readonly type: "pause" };

export interface WedgeStep {
  readonly wedge: Wedge;
  /** The key goes no further: neither into a field nor to a button. */
  readonly swallow: boolean;
  /** The last `typed` was the beginning of a scan: take it out of its field. */
  readonly takeBack?: true;
  /** Typed by a person: put it into its field, before the key itself. */
  readonly typed?: string;
  /** A scan; if the scan before was only its beginning, the whole of it. */
  readonly scanned?: string;
}

/** What one key means after the held characters. */
export function next(wedge: Wedge, key: WedgeKey): WedgeStep {
  switch (key.type) {
    case "character":
      return character(wedge, key.text, key.at);
    case "end":
      return end(wedge, key.at);
    case "other":
      return { ...asTyping(wedge), swallow: false };
    case "pause":
      return pause(wedge);
  }
}

/** Milliseconds to wait for the next key before it counts as a pause, or before the run is forgotten. */
export function timeoutOf({ held, settled }: Wedge): number {
  return settled ? MEMORY : gapAfter(held);
}

function character(wedge: Wedge, text: string, at: number): WedgeStep {
  if (isNext(wedge, at)) {
    const longer = { held: wedge.held + text, at, settled: false };
    const wasTyped = wedge.settled && !isScan(wedge);
    return { wedge: longer, swallow: true, ...(wasTyped ? { takeBack: true } : {}) };
  }
  // No scan begins with a space, and a keyboard presses a button with a single space.
  if (text === " ") return { ...asTyping(wedge), swallow: false };
  return { ...asTyping(wedge), wedge: { held: text, at, settled: false }, swallow: true };
}

function end(wedge: Wedge, at: number): WedgeStep {
  if (!isScan(wedge) || !isNext(wedge, at)) return { ...asTyping(wedge), swallow: false };
  // The end of a scan that was already taken is not passed on either.
  return { wedge: RESTING, swallow: true, ...(wedge.settled ? {} : { scanned: wedge.held }) };
}

function pause(wedge: Wedge): WedgeStep {
  if (wedge.settled) return { wedge: RESTING, swallow: false };
  const settled = { ...wedge, settled: true };
  // A scanner set up without an ending ends with silence.
  if (isScan(wedge)) return { wedge: settled, swallow: true, scanned: wedge.held };
  return { wedge: settled, swallow: false, typed: wedge.held };
}

const isScan = ({ held }: Wedge) => held.length >= SHORTEST_SCAN;
const isNext = ({ held, at }: Wedge, now: number) => held !== "" && now - at <= gapAfter(held);

function gapAfter(held: string): number {
  if (held.length >= SHORTEST_SCAN) return SCAN_GAP;
  return held.length < DOUBTFUL ? TYPING_GAP : DOUBTFUL_GAP;
}

/** Everything held back, as typing. A scan that a key press interrupted is not typing: it is dropped. */
function asTyping(wedge: Wedge): Pick<WedgeStep, "wedge" | "typed"> {
  if (wedge.held === "" || wedge.settled || isScan(wedge)) return { wedge: RESTING };
  return { wedge: RESTING, typed: wedge.held };
}

/** A busy page gets keys late: their time is corrected by the delay, up to this (milliseconds). */
const LATEST = 1_000;

/**
 * Listens on the whole page for a scanner that types, wherever the focus is. It takes keys before anything
 * else sees them, and puts what was typed by hand into its field.
 */
export function createWedge(onScan: (text: string) => void): void {
  let wedge = RESTING;
  let timer: ReturnType<typeof setTimeout> | undefined;
  let untype: () => void = () => undefined;

  /** `late`: milliseconds that this key took to arrive, and that the next one may take. */
  const take = (key: WedgeKey, late = 0): boolean => {
    clearTimeout(timer);
    const step = next(wedge, key);
    wedge = step.wedge;
    if (step.takeBack) untype();
    if (step.typed !== undefined) untype = typeInto(document.activeElement, step.typed);
    if (wedge.held !== "") timer = setTimeout(() => take({ type: "pause" }), timeoutOf(wedge) + late);
    if (step.scanned !== undefined) onScan(step.scanned);
    return step.swallow;
  };

  const press = (event: KeyboardEvent) => {
    const key = keyOf(event);
    const late = Math.min(Math.max(0, performance.now() - event.timeStamp), LATEST);
    if (key === undefined || !take(key, late)) return;
    event.preventDefault();
    event.stopImmediatePropagation();
  };

  listen(["keydown"], press, { capture: true });
  onCleanup(() => clearTimeout(timer));
}

/** Undefined: the key says nothing about scanner or typist. */
function keyOf(event: KeyboardEvent): WedgeKey | undefined {
  const { key, timeStamp: at } = event;
  // Scanners hold Shift for capitals.
  if (key === "Shift" || key === "CapsLock" || key === "Unidentified") return undefined;
  const isCommand = event.ctrlKey || event.altKey || event.metaKey || event.isComposing || event.repeat;
  if (isCommand) return { type: "other" };
  if ((key === "Enter" || key === "Tab") && !event.shiftKey) return { type: "end", at };
  return [...key].length === 1 ? { type: "character", text: key, at } : { type: "other" };
}
