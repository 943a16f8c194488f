import type { Locale } from "../../core/api/locales.ts";
import { listen } from "../state/browser.ts";

const QWERTY = ["QWERTYUIOP", "ASDFGHJKL", "ZXCVBNM"];
/** Where keyboards of a country put their letters elsewhere. */
const LETTERS: Partial<Record<Locale, readonly string[]>> = {
  de: ["QWERTZUIOP", "ASDFGHJKL", "YXCVBNM"],
  fr: ["AZERTYUIOP", "QSDFGHJKLM", "WXCVBN"],
};
/**
 * Letters of surnames beyond A to Z, at most ten. They are optional: a name is found however it is spelt (rules §4), and
 * boarding passes are printed in A to Z, in every language and script.
 */
const BEYOND: Partial<Record<Locale, string>> = {
  de: "ÄÖÜß",
  fr: "ÀÂÇÉÈÊËÎÏÔ",
  es: "ÁÉÍÑÓÚÜ",
  nb: "ÆØÅ",
};

/** The rest of ASCII: passwords may have any of it. */
const SYMBOLS = ['!"#$%&/()=', "?*+@_.,;:-", "<>[]{}|~^\\", "'`"];

/** What the keys of the on-screen keyboard type, by the name of each set: bookings need capitals alone. */
export const KEY_SETS: readonly KeySet[] = ["abc", "ABC", "#+="];
/** As on a telephone; 0 is in the row below. */
const DIGITS = ["123", "456", "789"];
export type KeySet = "123" | "abc" | "ABC" | "#+=";

/** What is on the keys, from the top. */
export function keyboardRows(locale: Locale, set: KeySet): readonly (readonly string[])[] {
  if (set === "123") return DIGITS.map((row) => [...row]);
  const [top = "", middle = "", bottom = ""] = LETTERS[locale] ?? QWERTY;
  const capitals = ["1234567890", top, middle, `${bottom}'-`, BEYOND[locale] ?? ""];
  const rows = set === "#+=" ? SYMBOLS : capitals.filter((row) => row !== "");
  return rows.map((row) => [...(set === "abc" ? row.toLowerCase() : row)]);
}

/**
 * Types `text` into a field as a keyboard would: at the caret, over the selection, with an `input` event, as far as there
 * is room. Does nothing where `target` cannot be typed into. Returns a function that undoes it.
 */
export function typeInto(target: Element | null, text: string): () => void {
  const nothing = () => undefined;
  if (!(target instanceof HTMLInputElement) || target.readOnly || target.disabled) return nothing;
  const { selectionStart, selectionEnd, value, maxLength } = target;
  if (selectionStart === null || selectionEnd === null) return nothing;
  const room =
    maxLength < 0 ? text.length : Math.max(0, maxLength - value.length + selectionEnd - selectionStart);
  const fitting = text.slice(0, room);
  replace(target, fitting, selectionStart, selectionEnd, "insertText");
  const typed = target.value;
  const replaced = value.slice(selectionStart, selectionEnd);
  return () => {
    // If the text has changed since, another edit has replaced it.
    if (target.value !== typed) return;
    replace(target, replaced, selectionStart, selectionStart + fitting.length, "historyUndo");
    target.setSelectionRange(selectionStart, selectionEnd);
  };
}

/** Removes the selection, else the letter before the caret. */
export function removeBefore(target: HTMLInputElement): void {
  const { selectionStart, selectionEnd, value } = target;
  if (selectionStart === null || selectionEnd === null) return;
  const letter = [...value.slice(0, selectionStart)].at(-1) ?? "";
  const start = selectionStart === selectionEnd ? selectionStart - letter.length : selectionStart;
  replace(target, "", start, selectionEnd, "deleteContentBackward");
}

function replace(field: HTMLInputElement, text: string, start: number, end: number, inputType: string): void {
  field.setRangeText(text, start, end, "end");
  field.dispatchEvent(new InputEvent("input", { bubbles: true, inputType, data: text }));
}

/** Moving through a screen by the keys of a keypad: what can be reached, and which key leads where. */

const STOPS = "a[href], button, input, summary, [tabindex='0']";

/** What the keys move in: the dialog on top, else the kiosk's own screen. */
export function rootOf(doc: Document): HTMLElement | null {
  const dialogs = doc.querySelectorAll<HTMLElement>("dialog[open]");
  const around = doc.activeElement?.closest<HTMLElement>("dialog[open]");
  return around ?? [...dialogs].at(-1) ?? doc.querySelector<HTMLElement>(".kiosk");
}

/** Everything in `root` that can be chosen, in the order of reading. A keyboard on the screen is one stop. */
export function stopsIn(root: Element): HTMLElement[] {
  return [...root.querySelectorAll<HTMLElement>(STOPS)].filter(
    (each) => each.tabIndex >= 0 && !each.matches(":disabled") && (each.checkVisibility?.() ?? true),
  );
}

/** Which way an arrow leads through the stops; in a field, left and right belong to its caret. */
export function stepOf(key: string, dir: string, inField: boolean): 1 | -1 | undefined {
  if (key === "ArrowDown") return 1;
  if (key === "ArrowUp") return -1;
  if (inField || (key !== "ArrowLeft" && key !== "ArrowRight")) return undefined;
  return (key === "ArrowRight") === (dir !== "rtl") ? 1 : -1;
}

/** The stop after or before `from`, which may be none itself (a heading); behind the last comes the first. */
export function stopAfter(
  stops: readonly HTMLElement[],
  from: Element,
  step: 1 | -1,
): HTMLElement | undefined {
  const at = stops.indexOf(from as HTMLElement);
  if (at >= 0) return stops.at((at + step) % stops.length);
  const way = step === 1 ? Node.DOCUMENT_POSITION_FOLLOWING : Node.DOCUMENT_POSITION_PRECEDING;
  const ahead = stops.filter((stop) => from.compareDocumentPosition(stop) & way);
  return step === 1 ? (ahead[0] ?? stops[0]) : (ahead.at(-1) ?? stops.at(-1));
}

/** Whether letters typed at `target` go into it. */
export const isField = (target: Element | null): target is HTMLInputElement =>
  target instanceof HTMLInputElement && target.type !== "radio";

/** Arrows, Enter and back on every screen and in every dialog; `back` is what back means where no dialog is open. */
export function createKeypad(back: () => void): void {
  const press = (event: KeyboardEvent) => {
    const root = rootOf(document);
    const at = document.activeElement ?? document.body;
    if (event.defaultPrevented || event.ctrlKey || event.altKey || event.metaKey || root === null) return;
    // The panel of virtual tags has its own keys.
    if (at !== document.body && !root.contains(at)) return;
    const act = actionOf(event, root, at, back);
    if (act === undefined) return;
    event.preventDefault();
    // A key that is held down acts once (EN 301 549, 5.7).
    if (!event.repeat) act();
  };
  // After everything on the page: the keyboard on the screen and the scanner come first.
  listen(["keydown"], press);
}

/** What the page does at this key; undefined: the browser knows. */
function actionOf(
  { key, repeat }: KeyboardEvent,
  root: HTMLElement,
  at: Element,
  back: () => void,
): (() => void) | undefined {
  const step = stepOf(key, document.documentElement.dir, isField(at));
  if (step) return () => stopAfter(stopsIn(root), at, step)?.focus();
  const isRadio = at instanceof HTMLInputElement && at.type === "radio";
  if (key === "Enter") return isRadio ? () => at.click() : repeat ? () => undefined : undefined;
  const isDialog = root instanceof HTMLDialogElement;
  if (key === "Backspace" && !isField(at))
    return isDialog ? () => void root.dispatchEvent(new Event("cancel", { cancelable: true })) : back;
  // In a dialog the browser itself cancels.
  return key === "Escape" && !isDialog ? back : undefined;
}
