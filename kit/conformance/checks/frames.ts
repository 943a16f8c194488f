/** C12–C19: frames (docs/protocol.md, Frames). Each fault comes first on a connection of its own. */
import { type Bytes, concat } from "../../../core/encoding/bytes.ts";
import { expectCode, isCode, seenOf } from "../answers.ts";
import type { CheckRow } from "../check-row.ts";
import type { Desk } from "../desk.ts";
import { type Verdict, verdict } from "../types.ts";

/** Anything longer than two short frames; its content does not matter. */
const MESSAGE: Bytes = new Uint8Array(60).fill(0x2a);
const SHORT = 20;
/** A tag ends the link after its alert was read; the radio needs some intervals for that. */
const CLOSING = 1_000;

/**
 * Writes frames that break a rule and waits for the alert: on SEC if the tag has it, else on CERT through
 * STATUS.
 */
async function faulty({ probe }: Desk, spoil: (good: readonly Bytes[]) => readonly Bytes[]) {
  await probe.fresh();
  const { on, type } = await probe.opening();
  const good = await probe.framesOf(type, MESSAGE, SHORT);
  await probe.try(async () => {
    for (const frame of spoil(good)) await probe.write(on, frame);
  });
  return probe.answer(on);
}

const refuses =
  (code: "FRAME" | "TOO_LARGE", spoil: (good: readonly Bytes[]) => readonly Bytes[]) =>
  async (desk: Desk): Promise<Verdict> =>
    expectCode(await faulty(desk, spoil), code);

const gap = refuses("FRAME", ([first, , third]) => [first, third] as Bytes[]);
const headless = refuses("FRAME", ([, second]) => [second] as Bytes[]);
const twice = refuses("FRAME", ([first]) => [first, first] as Bytes[]);
const early = refuses("FRAME", ([first, second]) => [first, with0(second as Bytes, 0x41)] as Bytes[]);
const unknown = refuses("FRAME", ([first]) => [with1(first as Bytes, 0x55)]);
const huge = refuses("TOO_LARGE", ([first]) => [
  concat((first as Bytes).slice(0, 2), Uint8Array.of(0xff, 0xff, 1)),
]);

function with0(frame: Bytes, b0: number): Bytes {
  return concat(Uint8Array.of(b0), frame.slice(1));
}

function with1(frame: Bytes, type: number): Bytes {
  return concat(frame.slice(0, 1), Uint8Array.of(type), frame.slice(2));
}

/** A whole message, and another behind it, in the shortest `frame`: only values that are read have several frames. */
const several = refuses("FRAME", ([first]) => {
  const whole = concat(
    Uint8Array.of(0xc0),
    (first as Bytes).slice(1, 2),
    Uint8Array.of(5, 0),
    new Uint8Array(5),
  );
  return [concat(whole, whole)];
});

async function closes(desk: Desk): Promise<Verdict> {
  const answer = await faulty(desk, ([, second]) => [second] as Bytes[]);
  if (answer.kind === "gone") return verdict(true, "gone");
  return (await desk.probe.ends(CLOSING)) ? verdict(true, "gone") : verdict(false, "stays");
}

/** Longer than INFO's `frame`: either the radio or the tag refuses it. */
async function tooLong({ probe }: Desk): Promise<Verdict> {
  await probe.fresh();
  const { frame } = await probe.info();
  if (frame >= 512) return { outcome: "skip", seen: ["value", `frame = ${frame}`] };
  const { on, type } = await probe.opening();
  const length = frame + 1;
  const [value] = await probe.framesOf(type, new Uint8Array(2 * length), length);
  try {
    await probe.write(on, value as Bytes);
  } catch (error) {
    if (!(error instanceof Error)) throw error;
    return verdict(true, "failed", "code" in error ? String(error.code) : error.name);
  }
  const answer = await probe.answer(on);
  return verdict(isCode(answer, "FRAME") || answer.kind === "gone", ...seenOf(answer));
}

export const FRAME_CHECKS = [
  { id: "C12", group: "frames", profile: "both", run: gap },
  { id: "C13", group: "frames", profile: "both", run: headless },
  { id: "C14", group: "frames", profile: "both", run: twice },
  { id: "C15", group: "frames", profile: "both", run: early },
  { id: "C16", group: "frames", profile: "both", run: huge },
  { id: "C17", group: "frames", profile: "both", run: unknown },
  { id: "C18", group: "frames", profile: "both", run: closes },
  { id: "C19", group: "frames", profile: "both", run: tooLong },
  { id: "C87", group: "frames", profile: "both", run: several },
] as const satisfies readonly CheckRow[];
