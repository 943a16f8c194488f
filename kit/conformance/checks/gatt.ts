/** C01–C11, C91: the GATT table and the plain values; C12–C19, C87: frames (docs/protocol.md, GATT profile and Frames). */
import { type Bytes, concat, equalBytes, fromUtf8 } from "../../../core/encoding/bytes.ts";
import { type CharacteristicName, PROFILE, VERSION } from "../../../core/gatt/profile.ts";
import { tagName } from "../../../core/gatt/tag-name.ts";
import { decodeBattery, decodeInfo, decodeStatus, ValueError } from "../../../core/gatt/values.ts";
import type { CheckRow } from "../check-row.ts";
import type { Desk } from "../desk.ts";
import type { Probe, ProbeName } from "../probe.ts";
import { expectCode, isCode, Skipped, seenOf, type Verdict, verdict } from "../types.ts";

const NAMES = Object.keys(PROFILE.characteristics) as CharacteristicName[];
/** Bit 4 comes with the first v2.1 commit, and stays: a tag may have been written before. */
const KNOWN_CAPS = 0b1_1111;
const KNOWN_FLAGS = 0b11;
/** Longest hold of a read, with room for the radio, in milliseconds. */
const HOLD = 6_000;

async function table({ probe }: Desk): Promise<Verdict> {
  await probe.fresh();
  const expected = NAMES.filter((name) => name !== "SEC" || secure(probe));
  const missing = expected.filter((name) => !probe.has(name));
  const surplus = NAMES.filter((name) => probe.has(name) && !expected.includes(name));
  if (missing.join() === "SEC") return verdict(false, "outdatedTable");
  if (missing.length > 0) return verdict(false, "missing", missing.join(", "));
  if (surplus.length > 0) return verdict(false, "surplus", surplus.join(", "));
  return verdict(true, "table", expected.length);
}

function secure(probe: Probe): boolean {
  return decodeInfo(probe.infoBytes).versionMax >= VERSION["2.1"];
}

async function properties({ probe }: Desk): Promise<Verdict> {
  await probe.connected();
  const wrong = NAMES.filter((name) => {
    const found = probe.properties(name);
    const row = PROFILE.characteristics[name];
    if (found === undefined) return false;
    // A tag may leave writes without response out, and must where the profile has none.
    const tooOpen = found.writeWithoutResponse === true && !("command" in row);
    return tooOpen || (["read", "write", "notify"] as const).some((one) => found[one] !== row[one]);
  });
  return wrong.length === 0
    ? verdict(true, "table", NAMES.filter((name) => probe.has(name)).length)
    : verdict(false, "properties", wrong.join(", "));
}

/** Passes where `read` does; if a codec refuses the value, that is what was seen. */
async function decodes(read: () => Promise<Verdict>): Promise<Verdict> {
  try {
    return await read();
  } catch (error) {
    if (error instanceof ValueError) return verdict(false, "value", error.message);
    throw error;
  }
}

const info = ({ probe }: Desk) =>
  decodes(async () => {
    await probe.fresh();
    const value = await probe.read("INFO");
    const { versionMax, versionMin, frame, maxMessage, state } = decodeInfo(value);
    const caps = (value[2] as number) | ((value[3] as number) << 8);
    const known = [20, 21].includes(versionMax) && [20, 21].includes(versionMin);
    const clean = (caps & ~KNOWN_CAPS) === 0 && ((value[9] as number) & ~KNOWN_FLAGS) === 0;
    const roomy = frame >= 20 && frame <= 512 && maxMessage >= 1024;
    return verdict(known && clean && roomy && state === "CONNECTED", "bytes", hex(value));
  });

async function identity({ probe }: Desk): Promise<Verdict> {
  await probe.fresh();
  const first = await probe.read("ID");
  await probe.fresh();
  const again = await probe.read("ID");
  const id = fromUtf8(first);
  const named = probe.bench.link.name === tagName(id);
  const good = first.length >= 1 && first.length <= 64 && equalBytes(first, again) && named;
  return verdict(good, "value", `${id} · ${probe.bench.link.name}`);
}

const status = ({ probe }: Desk) =>
  decodes(async () => {
    await probe.fresh();
    const value = await probe.read("STATUS");
    const { state } = decodeStatus(value);
    return verdict(state === "CONNECTED", "bytes", hex(value));
  });

const agreement = ({ probe }: Desk) =>
  decodes(async () => {
    await probe.fresh();
    const { flags } = await probe.info();
    const { display, battery } = await probe.status();
    const agree = flags.displayBlank === (display === "BLANK") && (!flags.lowBattery || battery <= 30);
    return verdict(agree, "display", display, flags.displayBlank ? 1 : 0, battery, flags.lowBattery ? 1 : 0);
  });

const battery = ({ probe }: Desk) =>
  decodes(async () => {
    await probe.connected();
    const level = decodeBattery(await probe.read("LEVEL"));
    const shown = (await probe.status()).battery;
    return verdict(Math.abs(level - shown) <= 1, "value", `${level} % · ${shown} %`);
  });

async function device({ probe }: Desk): Promise<Verdict> {
  await probe.connected();
  const id = (await probe.id()).toLowerCase();
  const texts: string[] = [];
  for (const name of ["MANUFACTURER", "MODEL", "FIRMWARE"] as const)
    texts.push(fromUtf8(await probe.read(name)));
  const revealing = texts.some((text) => text.toLowerCase().includes(id));
  return verdict(!revealing && texts.every((text) => text.trim() !== ""), "value", texts.join(" · "));
}

/** Names of the characteristics that could be read although no client may read them. */
export async function readables(probe: Probe, names: readonly ProbeName[]): Promise<string[]> {
  const open: string[] = [];
  for (const name of names) {
    try {
      await probe.read(name);
      open.push(name);
    } catch (error) {
      // A refusal is right, but not a closed link.
      if (!probe.open) throw error;
    }
  }
  return open;
}

async function writeOnly({ probe }: Desk): Promise<Verdict> {
  await probe.fresh();
  const open = await readables(probe, ["CERT", "AUTH", "DATA"]);
  return open.length === 0 ? verdict(true, "noLeak") : verdict(false, "readable", open.join(", "));
}

async function harmless({ probe }: Desk): Promise<Verdict> {
  await probe.fresh();
  const look = async () => [await probe.read("INFO"), await probe.read("STATUS"), await probe.read("ID")];
  const before = await look();
  await probe.read("LEVEL");
  await probe.read("FIRMWARE");
  const after = await look();
  const same = before.every((value, i) => equalBytes(value, after[i] ?? new Uint8Array()));
  return verdict(same && probe.open, same ? "same" : "different");
}

async function hash({ probe }: Desk): Promise<Verdict> {
  const values: Uint8Array[] = [];
  for (let connection = 0; connection < 2; connection++) {
    await probe.fresh();
    if ((await readables(probe, ["DATABASE_HASH"])).length === 0) throw new Skipped("hidden");
    values.push(await probe.read("DATABASE_HASH"));
  }
  const [first = new Uint8Array(), again = new Uint8Array()] = values;
  return verdict(first.length === 16 && equalBytes(first, again), "bytes", values.map(hex).join(" · "));
}

async function held({ probe }: Desk): Promise<Verdict> {
  await probe.fresh();
  const began = performance.now();
  const value = await probe.read("SEC");
  const took = Math.round(performance.now() - began);
  return verdict(value.length === 0 && took <= HOLD && probe.open, "milliseconds", value.length, took);
}

function hex(value: Uint8Array): string {
  return [...value].map((byte) => byte.toString(16).padStart(2, "0")).join(" ");
}

export const GATT_CHECKS = [
  { id: "C01", group: "gatt", profile: "both", run: table },
  { id: "C02", group: "gatt", profile: "both", run: properties },
  { id: "C03", group: "gatt", profile: "both", run: info },
  { id: "C04", group: "gatt", profile: "both", run: identity },
  { id: "C05", group: "gatt", profile: "both", run: status },
  { id: "C06", group: "gatt", profile: "both", run: agreement },
  { id: "C07", group: "gatt", profile: "both", run: battery },
  { id: "C08", group: "gatt", profile: "both", run: device },
  { id: "C09", group: "gatt", profile: "both", run: writeOnly },
  { id: "C10", group: "gatt", profile: "both", run: harmless },
  { id: "C11", group: "gatt", profile: "2.1", run: held },
  { id: "C91", group: "gatt", profile: "both", run: hash },
] as const satisfies readonly CheckRow[];

// Frames. Each fault comes first on a connection of its own.

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
