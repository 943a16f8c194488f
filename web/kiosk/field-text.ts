/** Text put into a field by the page, as a keyboard would have: at the caret, over the selection, heard as input. */

/**
 * Types `text` as far as the field has room; nothing where `target` is no field that can be typed into. Returns a function
 * that undoes it.
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
    // If the text has changed since, somebody else changed it.
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
