// @vitest-environment jsdom
import { createRoot } from "solid-js";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { createWedge, TYPING_GAP } from "./wedge.ts";

const PASS = "M1LOVELACE/ADA        EABC123 OSLARNSK 1234 123Y008A0034 100";
/** Milliseconds between two characters of a scanner. */
const PACE = 4;

let stop: () => void;
let scans: string[];
let field: HTMLInputElement;

beforeEach(async () => {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
  scans = [];
  field = document.body.appendChild(document.createElement("input"));
  stop = createRoot((dispose) => {
    createWedge((text) => scans.push(text));
    return dispose;
  });
  await Promise.resolve();
});
afterEach(() => {
  stop();
  field.remove();
  vi.useRealTimers();
  vi.restoreAllMocks();
});

/** A key struck at `at`, and delivered now. */
function press(key: string, at: number): boolean {
  const event = new KeyboardEvent("keydown", { key, bubbles: true, cancelable: true });
  Object.defineProperty(event, "timeStamp", { value: at });
  return (document.activeElement ?? document.body).dispatchEvent(event);
}

/** Keys struck at a scanner's pace, each delivered `delay` after the one before. */
function deliver(text: string, delay: number): void {
  // Long ago: a page this late knows it.
  const began = performance.now() - 1_000;
  [...text].forEach((key, index) => {
    press(key, began + index * PACE);
    vi.advanceTimersByTime(delay);
  });
  press("Enter", began + text.length * PACE);
}

test("a scan delivered a character every second is a scan, where there is no field", () => {
  deliver(PASS, 1_000);
  expect(scans.at(-1)).toBe(PASS);
});

test("a scan delivered a character every two seconds leaves the field with the focus as it was", () => {
  field.value = "ABC";
  field.maxLength = 6;
  field.focus();
  field.setSelectionRange(1, 2);
  const seen = new Set<string>();
  field.addEventListener("input", () => seen.add(field.value));
  deliver(PASS, 2_000);
  // Each pause was taken for the end of typing, until the next key.
  expect(seen).toContain("AM1LOC");
  expect(field.value).toBe("ABC");
  expect(scans.at(-1)).toBe(PASS);
});

test("what another edit has changed since is not taken back", () => {
  field.focus();
  const began = performance.now() - 1_000;
  press("A", began);
  vi.advanceTimersByTime(2_000);
  field.value = "Another";
  press("B", began + PACE);
  expect(field.value).toBe("Another");
});

test("what a page in time knows to be typing is in the field after a short pause", () => {
  vi.spyOn(performance, "now").mockReturnValue(1_000);
  field.focus();
  press("A", 1_000);
  vi.advanceTimersByTime(TYPING_GAP);
  expect(field.value).toBe("A");
});
