import type { Page } from "playwright";
import { toHex } from "../../core/encoding/bytes.ts";
import type { TagEvent, TranscriptValue, VirtualTag } from "../../sim/tag/tag-types.ts";

/** What a demo shows of one scenario as it happens: service calls, the handshake decoded, records, the display. */
export class DemoLog {
  readonly #started = performance.now();
  readonly #lines: string[] = [];

  /** Milliseconds since the scenario began. */
  get ms(): number {
    return performance.now() - this.#started;
  }

  step(text: string): void {
    console.log(`  ${(this.ms / 1000).toFixed(3).padStart(7)} s  ${text}`);
  }

  watchTag(tag: VirtualTag): void {
    tag.observe((event) => {
      this.#lines.push(JSON.stringify({ ms: Math.round(this.ms), ...event }, bytesAsHex));
      const line = lineOf(event);
      if (line !== undefined) this.step(line);
    });
  }

  watchService(page: Page): void {
    page.on("requestfinished", async (request) => {
      const path = new URL(request.url()).pathname;
      if (!path.startsWith("/v2/")) return;
      const status = (await request.response())?.status();
      this.step(`service  POST ${path} ${status} (${Math.round(request.timing().responseEnd)} ms)`);
    });
  }

  /** Every event of the tag, one JSON object per line. */
  get transcript(): string {
    return this.#lines.map((line) => `${line}\n`).join("");
  }
}

function bytesAsHex(_key: string, value: unknown): unknown {
  return value instanceof Uint8Array ? toHex(value) : value;
}

/** One line for what a reader wants to see; frames and single GATT operations are in the transcript only. */
function lineOf(event: TagEvent): string | undefined {
  switch (event.type) {
    case "link":
      return `link     ${event.change} by ${event.by}`;
    case "message":
      return `sec   ${arrow(event.direction)}  ${event.name} (${event.bytes.length} B)${fields(event.fields)}`;
    case "record":
      return `record ${arrow(event.direction)} ${event.name}${fields(event.fields)}`;
    case "state":
      return `tag      ${event.from} → ${event.to}`;
    case "refusal":
      return `refusal  ${event.reason}, sent ${event.sent}`;
    case "display":
      return `display  ${event.state} ${event.content?.segments?.map(({ airport }) => airport).join(" ") ?? ""}`;
    case "gatt":
    case "frame":
    case "timer":
    case "trace":
      return undefined;
  }
}

const arrow = (direction: "in" | "out") => (direction === "in" ? "→" : "←");

/** Long values are cut; the transcript has them in full. */
function fields(values: { readonly [name: string]: TranscriptValue }): string {
  return Object.entries(values)
    .map(([name, value]) => {
      const text = typeof value === "string" ? value : JSON.stringify(value);
      return `\n${" ".repeat(23)}${name}: ${text.length > 88 ? `${text.slice(0, 88)}…` : text}`;
    })
    .join("");
}
