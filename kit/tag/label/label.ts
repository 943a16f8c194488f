import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { ITF } from "jsbarcode/bin/barcodes/ITF/index.js";
import { LABEL_FLAG, type LabelPayload } from "../../../core/bag/payload.ts";
import type { TagSnapshot } from "../../../sim/tag/tag-types.ts";

/** Interleaved 2 of 5 (IATA Res. 740), one character per module, "1" for a bar; none where the text is no even number of digits. */
export function interleaved2of5(digits: string): string {
  const symbol = new ITF(digits, {});
  return symbol.valid() ? symbol.encode().data : "";
}

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
  const modules = interleaved2of5(plate);
  const even = modules.length % 2 === 0 ? modules : `${modules}0`;
  return (even.match(/../g) ?? []).map((pair) => HALVES[pair]).join("");
}

function between(left: string, right: string): string {
  const gap = WIDTH - 2 - [...left].length - [...right].length;
  return ` ${left}${" ".repeat(Math.max(1, gap))}${right} `;
}

const centred = (text: string) => " ".repeat(Math.max(0, Math.floor((WIDTH - [...text].length) / 2))) + text;

/** The label on a page of this machine alone: it holds a passenger's name. */

const HEADERS = {
  "Content-Type": "text/html; charset=utf-8",
  "Cache-Control": "no-store",
  "Content-Security-Policy": "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'",
} as const;

/** Serves the tag's display on 127.0.0.1; `port` 0 takes any that is free. */
export async function servePage(
  snapshot: () => TagSnapshot,
  port: number,
): Promise<Server & { url: string }> {
  const server = createServer((request, response) => {
    // A name that some site lets point here is refused, and so is everything but looking.
    const own = [`127.0.0.1:${portOf(server)}`, `localhost:${portOf(server)}`];
    const isOurs =
      own.includes(request.headers.host ?? "") && request.method === "GET" && request.url === "/";
    if (isOurs) response.writeHead(200, HEADERS).end(labelPage(snapshot()));
    else response.writeHead(404).end();
  });
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  server.once("error", reject);
  server.listen(port, "127.0.0.1", resolve);
  await promise;
  return Object.assign(server, { url: `http://127.0.0.1:${portOf(server)}/` });
}

const portOf = (server: Server) => (server.address() as AddressInfo).port;

/** The whole page; it asks again every two seconds. */
export function labelPage({ name, id, generation, state, display }: TagSnapshot): string {
  return `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta http-equiv="refresh" content="2">
<meta name="viewport" content="width=device-width"><title>${escaped(name)}</title>
<style>:root{color-scheme:light dark}body{font:16px system-ui,sans-serif;margin:2rem auto;max-width:40rem;padding:0 1rem}
svg{width:100%;border:1px solid #888;border-radius:8px;background:#fff;fill:#000}text{font-family:system-ui,sans-serif}</style>
</head><body><h1>${escaped(name)}</h1>
<p>${escaped(id)} · GATT v${generation} · ${state}</p>
${drawing(display.content)}</body></html>
`;
}

function drawing(label: LabelPayload | null): string {
  if (label === null)
    return '<svg viewBox="0 0 640 360" role="img" aria-label="blank"><text x="320" y="190" text-anchor="middle" font-size="28" fill="#666">blank</text></svg>';
  const {
    name = "",
    from,
    segments = [],
    destinationCity = "",
    readable = "",
    licencePlate,
    flags = 0,
  } = label;
  const last = segments.at(-1);
  const transfers = segments.slice(0, -1).reverse();
  const edges = (flags & LABEL_FLAG.EU_GREEN_EDGE) === 0 ? "" : [0, 624].map(edge).join("");
  return `<svg viewBox="0 0 640 360" role="img" aria-label="bag label">${edges}
${text(30, 45, 24, name)}${text(610, 45, 20, from === undefined ? "" : `FROM ${from}`, true)}
${text(26, 140, 100, last?.airport ?? "")}${text(610, 100, 30, last?.flight ?? "", true)}
${text(610, 140, 30, last?.day ?? "", true)}${text(30, 172, 20, destinationCity)}
${transfers.map((leg, row) => text(30, 200 + row * 24, 20, `${leg.airport} ${leg.flight} ${leg.day}`)).join("")}
${bars(licencePlate)}${text(30, 345, 24, licencePlate)}${text(610, 345, 22, readable, true)}</svg>`;
}

const EDGE = 16;
/** What a scanner needs to see empty on each side of the bars, in modules (ISO/IEC 16390). */
const QUIET = 10;

const edge = (x: number) => `<rect x="${x}" width="${EDGE}" height="360" fill="#0a0"/>`;

function text(x: number, y: number, size: number, content: string, isEnd = false): string {
  const anchor = isEnd ? ' text-anchor="end"' : "";
  return `<text x="${x}" y="${y}" font-size="${size}" font-weight="700"${anchor}>${escaped(content)}</text>`;
}

function bars(plate: string): string {
  const modules = interleaved2of5(plate);
  const path = [...modules.matchAll(/1+/g)].map(
    ({ 0: run, index }) => `M${index} 0h${run.length}v1h-${run.length}z`,
  );
  const unit = (640 - 2 * EDGE) / (modules.length + 2 * QUIET);
  const begin = EDGE + QUIET * unit;
  return `<path transform="translate(${begin} 255) scale(${unit} 60)" d="${path.join("")}"/>`;
}

const ENTITY: Readonly<Record<string, string>> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" };
const escaped = (content: string) => content.replace(/[&<>"]/g, (character) => ENTITY[character] ?? "");
