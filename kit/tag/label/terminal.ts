import type { LabelPayload } from "../../../core/bag/payload.ts";
import { interleaved2of5 } from "./barcode.ts";

/** Columns within the frame: half the modules of a plate's barcode, and its quiet zones. */
const WIDTH = 54;
const BARCODE_ROWS = 3;
/** Two modules in one character. */
const HALVES: Readonly<Record<string, string>> = { "00": " ", "10": "▌", "01": "▐", "11": "█" };

/** The e-paper as lines of text; a blank one is an empty frame. */
export function terminalLabel(label: LabelPayload | null): string {
  const rows = label === null ? ["", centred("blank"), ""] : labelRows(label);
  const framed = rows.map((row) => `│${row}${" ".repeat(Math.max(0, WIDTH - [...row].length))}│`);
  const edge = "─".repeat(WIDTH);
  return [`┌${edge}┐`, ...framed, `└${edge}┘`].join("\n");
}

function labelRows(label: LabelPayload): string[] {
  const { name = "", from, segments = [], destinationCity = "", readable = "", licencePlate } = label;
  const transfers = segments.slice(0, -1).reverse();
  const last = segments.at(-1);
  const extras = [label.travelClass, label.recordLocator].filter((text) => text !== undefined).join(" ");
  const bars = bar(licencePlate);
  return [
    between(name, from === undefined ? "" : `FROM ${from}`),
    "",
    between([...(last?.airport ?? "")].join(" "), last === undefined ? "" : `${last.flight}  ${last.day}`),
    between(destinationCity, extras),
    ...transfers.map(({ airport, flight, day }) => between(airport, `${flight}  ${day}`)),
    "",
    ...Array.from({ length: bars === "" ? 0 : BARCODE_ROWS }, () => centred(bars)),
    between(licencePlate, readable),
  ];
}

function bar(plate: string): string {
  const modules = interleaved2of5(plate) ?? "";
  const even = modules.length % 2 === 0 ? modules : `${modules}0`;
  return (even.match(/../g) ?? []).map((pair) => HALVES[pair]).join("");
}

function between(left: string, right: string): string {
  const gap = WIDTH - 2 - [...left].length - [...right].length;
  return ` ${left}${" ".repeat(Math.max(1, gap))}${right} `;
}

const centred = (text: string) => " ".repeat(Math.max(0, Math.floor((WIDTH - [...text].length) / 2))) + text;
