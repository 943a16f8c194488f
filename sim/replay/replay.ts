/**
 * Reads a saved transcript: the same events, what today's code makes of their bytes, and the phase of the
 * transfer at each of them. Pure: no tag is involved.
 */
import { type Bytes, fromHex, toHex } from "../../core/encoding/bytes.ts";
import type { TagState } from "../../core/gatt/profile.ts";
import type { TagEvent, TranscriptValue } from "../tag/tag-types.ts";
import { fieldsAgain } from "./transcript.ts";

/** A file that is no transcript. `line` counts from 1. */
export class ReplayError extends Error {
  override readonly name = "ReplayError";
  readonly code: "empty" | "not_json" | "not_an_event";
  readonly line: number;
  constructor(code: ReplayError["code"], line: number, options?: ErrorOptions) {
    super(`line ${line}: ${code.replaceAll("_", " ")}`, options);
    this.code = code;
    this.line = line;
  }
}

/** Members of an event that are bytes, saved as hexadecimal. */
const BYTES: Readonly<Record<TagEvent["type"], readonly string[]>> = {
  link: [],
  gatt: ["value"],
  frame: [],
  message: ["bytes"],
  record: ["bytes"],
  state: [],
  timer: [],
  trace: ["value"],
  refusal: [],
  display: [],
};
/** Members without which an event cannot be shown. */
const NEEDED: Readonly<Record<TagEvent["type"], readonly string[]>> = {
  link: ["change", "by"],
  gatt: ["operation", "characteristic"],
  frame: ["direction", "characteristic", "sequence", "length"],
  message: ["direction", "name", "fields"],
  record: ["direction", "name", "fields"],
  state: ["from", "to", "because"],
  timer: ["name"],
  trace: ["name"],
  refusal: ["reason", "sent"],
  display: ["state"],
};

/** A transcript as a file: one event per line, bytes as hexadecimal. */
export function transcriptFile(events: readonly TagEvent[]): string {
  const bytesAsHex = (_key: string, value: unknown) => (value instanceof Uint8Array ? toHex(value) : value);
  return events.map((event) => `${JSON.stringify(event, bytesAsHex)}\n`).join("");
}

/** The events of such a file. @throws ReplayError */
export function readTranscript(text: string): TagEvent[] {
  const lines = text.split("\n").flatMap((line, i) => (line.trim() === "" ? [] : [{ line, number: i + 1 }]));
  if (lines.length === 0) throw new ReplayError("empty", 1);
  return lines.map(({ line, number }) => readEvent(line, number));
}

function readEvent(line: string, number: number): TagEvent {
  const saved = parsed(line, number);
  const type = saved.type as TagEvent["type"];
  const needed = NEEDED[type];
  if (
    needed === undefined ||
    typeof saved.at !== "number" ||
    needed.some((name) => saved[name] === undefined)
  )
    throw new ReplayError("not_an_event", number);
  const bytes = BYTES[type].map((name) => [name, bytesOf(saved[name], number)] as const);
  return { ...saved, ...Object.fromEntries(bytes) } as TagEvent;
}

function parsed(line: string, number: number): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(line);
    if (typeof value === "object" && value !== null) return value as Record<string, unknown>;
  } catch (cause) {
    throw new ReplayError("not_json", number, { cause });
  }
  throw new ReplayError("not_an_event", number);
}

/** Records of older files have no bytes: then there is nothing to decode again. */
function bytesOf(value: unknown, number: number): Bytes {
  if (value === undefined) return new Uint8Array();
  try {
    return fromHex(value as string);
  } catch (cause) {
    throw new ReplayError("not_an_event", number, { cause });
  }
}

/** A field that today's decoder reads differently; undefined where one side does not have it. */
export interface Difference {
  readonly field: string;
  readonly saved: TranscriptValue | undefined;
  readonly now: TranscriptValue | undefined;
}

/**
 * Compares what today's decoders make of an event's bytes with what was saved; undefined where there is
 * nothing to compare.
 */
export function differences(event: TagEvent): readonly Difference[] | undefined {
  if ((event.type !== "message" && event.type !== "record") || event.bytes.length === 0) return undefined;
  const now = fieldsAgain(event, event.bytes);
  if (now === undefined) return undefined;
  const fields = [...new Set([...Object.keys(event.fields), ...Object.keys(now)])];
  return fields.flatMap((field) => {
    const [then, today] = [event.fields[field], now[field]];
    return canonical(then) === canonical(today) ? [] : [{ field, saved: then, now: today }];
  });
}

/** JSON with sorted keys: a different order of members is no difference. */
function canonical(value: TranscriptValue | undefined): string {
  return JSON.stringify(value, (_key, part: unknown) => {
    if (typeof part !== "object" || part === null || Array.isArray(part)) return part;
    return Object.fromEntries(Object.entries(part).sort(([a], [b]) => (a < b ? -1 : 1)));
  });
}

/** The phase of a transfer, in the page's words; `idle` without a link. */
export type ReplayPhase = "idle" | "connect" | "secure" | "authorize" | "write" | "display" | "done";

const PHASE_OF: Readonly<Record<TagState, ReplayPhase>> = {
  IDLE: "idle",
  CONNECTED: "connect",
  WAIT_M3: "secure",
  ESTABLISHED: "authorize",
  PRESENTED: "authorize",
  AUTHORIZED: "write",
  RECEIVING: "write",
  COMMITTING: "display",
  COMMITTED: "done",
  LOCKOUT: "idle",
};

/** The tag's state and the phase after each event; IDLE before the first that says otherwise. */
export function standings(
  events: readonly TagEvent[],
): { readonly state: TagState; readonly phase: ReplayPhase }[] {
  // A list that begins in the middle reveals its start: the first change says which state it came from.
  let state = events.find((event) => event.type === "state")?.from ?? "IDLE";
  return events.map((event) => {
    if (event.type === "state") state = event.to;
    return { state, phase: PHASE_OF[state] };
  });
}
