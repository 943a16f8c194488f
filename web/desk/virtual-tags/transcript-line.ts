import { type Bytes, toHex } from "../../../core/encoding/bytes.ts";
import type { TagEvent, TranscriptValue } from "../../../sim/tag/tag-types.ts";

/** One line of the transcript as the panel shows it. */
export interface TranscriptLine {
  readonly kind: TagEvent["type"];
  /** → into the tag, ← out of it. */
  readonly arrow: "→" | "←" | "";
  readonly title: string;
  readonly note: string;
  /** What opens under the line. */
  readonly fields?: { readonly [name: string]: TranscriptValue };
}

export function transcriptLine(event: TagEvent): TranscriptLine {
  const kind = event.type;
  switch (event.type) {
    case "link":
      return { kind, arrow: "", title: event.change, note: `by ${event.by}` };
    case "gatt":
      return {
        kind,
        arrow: event.operation === "write" ? "→" : "←",
        title: `${event.operation} ${event.characteristic}`,
        note: event.error ?? `${event.value.length} B`,
        ...(event.value.length > 0 ? { fields: { value: toHex(event.value) } } : {}),
      };
    case "frame":
      return {
        kind,
        arrow: arrow(event.direction),
        title: `frame ${event.sequence} ${event.characteristic}`,
        note: [event.first && "first", event.last && "last", `${event.length} B`].filter(Boolean).join(" · "),
      };
    case "message":
      return {
        kind,
        arrow: arrow(event.direction),
        title: event.name,
        note: `${event.bytes.length} B`,
        fields: { ...event.fields, bytes: toHex(event.bytes) },
      };
    case "record":
      return { kind, arrow: arrow(event.direction), title: event.name, note: "record", fields: event.fields };
    case "state":
      return { kind, arrow: "", title: `${event.from} → ${event.to}`, note: event.because };
    case "timer":
      return { kind, arrow: "", title: `timer ${event.name}`, note: "" };
    case "trace":
      return { kind, arrow: "", title: event.name, ...hidden(event) };
    case "refusal":
      return { kind, arrow: "←", title: `refused: ${event.reason}`, note: `sent ${event.sent}` };
    case "display":
      return { kind, arrow: "", title: `display ${event.state}`, note: "" };
  }
}

/** A value that opens under its line. */
const hidden = ({ value }: { readonly value: Bytes }) => ({
  note: `${value.length} B`,
  fields: { value: toHex(value) },
});

const arrow = (direction: "in" | "out") => (direction === "in" ? "→" : "←");
