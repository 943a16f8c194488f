/** What a tag writes into its characteristics. A file of its own: clients only read them. */
import { type Bytes, utf8 } from "../encoding/bytes.ts";
import { Writer } from "../encoding/cursor.ts";
import { DISPLAY, STATUS, TAG_STATE } from "./profile.ts";
import {
  CAPABILITIES,
  capabilities,
  INTERMEDIATE,
  INTERMEDIATE_HASH,
  type Info,
  type Status,
  ValueError,
} from "./values.ts";

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
