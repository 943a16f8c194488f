import { onCleanup, onMount } from "solid-js";
import { next, patience, RESTING, type WedgeKey } from "./wedge.ts";

/**
 * Listens to the whole page for a scanner that types, wherever the focus is. Keys are taken before anything else
 * sees them; what was typed by hand is put into the field it was meant for.
 */
export function createWedge(onScan: (text: string) => void): void {
  let wedge = RESTING;
  let timer: ReturnType<typeof setTimeout> | undefined;

  const take = (key: WedgeKey): boolean => {
    clearTimeout(timer);
    const step = next(wedge, key);
    wedge = step.wedge;
    if (step.typed !== undefined) typeInto(document.activeElement, step.typed);
    if (wedge.held !== "") timer = setTimeout(() => take({ type: "pause" }), patience(wedge));
    if (step.scanned !== undefined) onScan(step.scanned);
    return step.swallow;
  };

  const press = (event: KeyboardEvent) => {
    const key = keyOf(event);
    if (key === undefined || !take(key)) return;
    event.preventDefault();
    event.stopImmediatePropagation();
  };

  onMount(() => addEventListener("keydown", press, { capture: true }));
  onCleanup(() => {
    clearTimeout(timer);
    removeEventListener("keydown", press, { capture: true });
  });
}

/** Undefined: says nothing about scanner or typist. */
function keyOf(event: KeyboardEvent): WedgeKey | undefined {
  const { key, timeStamp: at } = event;
  // Scanners hold Shift for capitals.
  if (key === "Shift" || key === "CapsLock" || key === "Unidentified") return undefined;
  const isCommand = event.ctrlKey || event.altKey || event.metaKey || event.isComposing || event.repeat;
  if (isCommand) return { type: "other" };
  if ((key === "Enter" || key === "Tab") && !event.shiftKey) return { type: "end", at };
  return [...key].length === 1 ? { type: "character", text: key, at } : { type: "other" };
}

/** What the keyboard would have done: at the caret, over the selection, as far as the field has room. */
function typeInto(target: Element | null, text: string): void {
  if (!(target instanceof HTMLInputElement) || target.readOnly || target.disabled) return;
  const { selectionStart, selectionEnd, value, maxLength } = target;
  if (selectionStart === null || selectionEnd === null) return;
  const room =
    maxLength < 0 ? text.length : Math.max(0, maxLength - value.length + selectionEnd - selectionStart);
  const fitting = text.slice(0, room);
  target.setRangeText(fitting, selectionStart, selectionEnd, "end");
  target.dispatchEvent(new InputEvent("input", { bubbles: true, inputType: "insertText", data: fitting }));
}
