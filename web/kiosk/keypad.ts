/** Moving through a screen by the keys of a keypad: what can be reached, and which key leads where. */
import { onCleanup, onMount } from "solid-js";

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
