import { onCleanup, onMount } from "solid-js";
import { typeInto } from "./field-text.ts";
import { next, patience, RESTING, type WedgeKey } from "./wedge.ts";

/** Keys may reach a busy page late; a delay beyond this (milliseconds) is not counted. */
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
    if (wedge.held !== "") timer = setTimeout(() => take({ type: "pause" }), patience(wedge) + late);
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

  onMount(() => addEventListener("keydown", press, { capture: true }));
  onCleanup(() => {
    clearTimeout(timer);
    removeEventListener("keydown", press, { capture: true });
  });
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
