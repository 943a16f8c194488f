import type { Locale } from "../../core/api/locales.ts";

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
