import { onCleanup, onMount } from "solid-js";
import { isField, rootOf, stepOf, stopAfter, stopsIn } from "./keypad.ts";

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
    // A key held down does once what it does: nobody has to let go in time (EN 301 549, 5.7).
    if (!event.repeat) act();
  };
  // After everything on the page: the keyboard on the screen and the scanner come first.
  onMount(() => addEventListener("keydown", press));
  onCleanup(() => removeEventListener("keydown", press));
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
