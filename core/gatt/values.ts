import { type Bytes, fromUtf8, utf8 } from "../encoding/bytes.ts";
import { Reader, Writer } from "../encoding/cursor.ts";
import { DISPLAY, type DisplayState, STATUS, type StatusName, TAG_STATE, type TagState } from "./profile.ts";

/** The value of a characteristic does not match the profile. */
export class ValueError extends Error {
  override readonly name = "ValueError";
}

/** INFO: the tag's abilities and its state. */
export interface Info {
  /** Highest and lowest supported GATT generation, decimal: 20 or 21. */
  readonly versionMax: number;
  readonly versionMin: number;
  readonly caps: Readonly<Record<Capability, boolean>>;
  /** Longest frame in bytes: ATT_MTU − 3, at most 512. */
  readonly frame: number;
  /** Longest framed message in bytes. */
  readonly maxMessage: number;
  readonly state: TagState;
  readonly flags: { readonly lowBattery: boolean; readonly displayBlank: boolean };
  /** Per cent. */
  readonly battery: number;
  /** First 8 bytes of SHA-256 of the client intermediate (DER) that the tag knows: message_3 may leave it out. */
  readonly intermediate?: Bytes;
  /** The device id, where it fits; else it is read from ID. */
  readonly id?: string;
}

/** Abilities by the position of their bit in `caps`; `intermediate` says by its presence that bit 4 is set. */
const CAPABILITIES = { suite6: 0, suite3: 1, statement: 2, button: 3 } as const;
export type Capability = keyof typeof CAPABILITIES;
const INTERMEDIATE = 4;

/** Bytes of INFO's hash of an intermediate. */
const INTERMEDIATE_HASH = 8;

/** STATUS: the outcome of the last operation. */
export interface Status {
  readonly state: TagState;
  readonly code: StatusName;
  readonly detail: number;
  /** Per cent. */
  readonly battery: number;
  readonly display: DisplayState;
  /** First 8 bytes of the last commit's mark; zeros where nothing was committed. */
  readonly markPrefix: Bytes;
}

/** Their names. */
export const capabilities = Object.keys(CAPABILITIES) as Capability[];

/** Unknown capability and flag bits are ignored (later firmware); an unknown state is refused. */
export function decodeInfo(value: Uint8Array): Info {
  if (value.length < 11) throw new ValueError("INFO is shorter than 11 bytes");
  const reader = new Reader(value);
  const versionMax = reader.u8();
  const versionMin = reader.u8();
  const caps = reader.u16le();
  const frame = reader.u16le();
  const maxMessage = reader.u16le();
  const state = nameOf(TAG_STATE, reader.u8(), "state");
  const flags = reader.u8();
  const battery = percent(reader.u8());
  const known = has(caps, INTERMEDIATE);
  if (known && reader.remaining < INTERMEDIATE_HASH) throw new ValueError("INFO lacks the hash it announces");
  const intermediate = known ? { intermediate: reader.take(INTERMEDIATE_HASH) } : {};
  const id = reader.remaining > 0 ? { id: decodeId(reader.rest()) } : {};
  if (versionMin > versionMax) throw new ValueError("INFO has its versions reversed");
  return {
    versionMax,
    versionMin,
    caps: Object.fromEntries(
      capabilities.map((name) => [name, has(caps, CAPABILITIES[name])]),
    ) as Info["caps"],
    frame,
    maxMessage,
    state,
    flags: { lowBattery: has(flags, 0), displayBlank: has(flags, 1) },
    battery,
    ...intermediate,
    ...id,
  };
}

/** Exactly 13 bytes with known numbers. */
export function decodeStatus(value: Uint8Array): Status {
  if (value.length !== 13) throw new ValueError("STATUS is not 13 bytes");
  const reader = new Reader(value);
  return {
    state: nameOf(TAG_STATE, reader.u8(), "state"),
    code: nameOf(STATUS, reader.u8(), "status code"),
    detail: reader.u8(),
    battery: percent(reader.u8()),
    display: nameOf(DISPLAY, reader.u8(), "display"),
    markPrefix: reader.take(8),
  };
}

/** The name of a status code as received, or undefined where the profile has none. */
export function statusName(code: number): StatusName | undefined {
  return lookUp(STATUS, code);
}

/** ID is UTF-8, 1–64 bytes, not personal data. */
export function decodeId(value: Uint8Array): string {
  if (value.length < 1 || value.length > 64) throw new ValueError("ID is not 1 to 64 bytes");
  return fromUtf8(value);
}

/** Battery Level (0x2A19): one byte, 0–100. */
export function decodeBattery(value: Uint8Array): number {
  if (value.length !== 1) throw new ValueError("battery level is not one byte");
  return percent(value[0] as number);
}

function percent(value: number): number {
  if (value > 100) throw new ValueError("battery level is over 100 %");
  return value;
}

function has(bits: number, position: number): boolean {
  return (bits & (1 << position)) !== 0;
}

function nameOf<Name extends string>(
  table: Readonly<Record<Name, number>>,
  value: number,
  what: string,
): Name {
  const name = lookUp(table, value);
  if (name === undefined) throw new ValueError(`unknown ${what}`);
  return name;
}

function lookUp<Name extends string>(table: Readonly<Record<Name, number>>, value: number): Name | undefined {
  return (Object.keys(table) as Name[]).find((name) => table[name] === value);
}

// ver_max(1) ver_min(1) caps(2) frame(2) max_msg(2) state(1) flags(1) battery(1) ? intermediate(8) ? id, little endian
export function encodeInfo(info: Info): Bytes {
  const { intermediate } = info;
  const caps = capabilities.reduce(
    (bits, name) => bits | bit(info.caps[name], CAPABILITIES[name]),
    bit(intermediate !== undefined, INTERMEDIATE),
  );
  if (intermediate !== undefined && intermediate.length !== INTERMEDIATE_HASH)
    throw new ValueError("the hash of an intermediate is not 8 bytes");
  return new Writer()
    .u8(info.versionMax)
    .u8(info.versionMin)
    .u16le(caps)
    .u16le(info.frame)
    .u16le(info.maxMessage)
    .u8(TAG_STATE[info.state])
    .u8(bit(info.flags.lowBattery, 0) | bit(info.flags.displayBlank, 1))
    .u8(info.battery)
    .raw(intermediate ?? new Uint8Array())
    .raw(encodeId(info.id ?? ""))
    .bytes();
}

// state(1) status(1) detail(1) battery(1) display(1) mark(8)
export function encodeStatus(status: Status): Bytes {
  if (status.markPrefix.length !== 8) throw new ValueError("the mark prefix of STATUS is not 8 bytes");
  return new Writer()
    .u8(TAG_STATE[status.state])
    .u8(STATUS[status.code])
    .u8(status.detail)
    .u8(status.battery)
    .u8(DISPLAY[status.display])
    .raw(status.markPrefix)
    .bytes();
}

export function encodeId(id: string): Bytes {
  return utf8(id);
}

function bit(on: boolean, position: number): number {
  return on ? 1 << position : 0;
}
