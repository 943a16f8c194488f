/** v2.1 tags that are wrong about messages and records on their way in, and the checks that must find them. */
import { type Bytes, concat, equalBytes } from "../../../core/encoding/bytes.ts";
import { MAX_FRAME } from "../../../core/gatt/profile.ts";
import { frames } from "../../../core/sec/framing.ts";
import { RECORD_KIND } from "../../../core/sec/records.ts";
import { LABEL_BYTES } from "../desk.ts";
import { type BrokenTag, v21 } from "./broken-tags.ts";
import { edhoc, type Tampering } from "./tampered-tag.ts";

/** An answer where there should be none, or another: what a tag says that goes on. */
const GOES_ON = { instead: [edhoc(new Uint8Array(200))] };
const MESSAGE_4 = { instead: [edhoc(new Uint8Array(17))] };
const REFUSES = { instead: frames("EDHOC_ERROR", Uint8Array.of(1, 0x60), MAX_FRAME) };
const SWALLOWS = { instead: [] };
/** Longer than a message_1, and too short for two certificates. */
const isLeafAlone = ({ length }: Bytes): boolean => length > 200 && length < 700;
const [FIRST, L] = [0x80, 0x40];
/** `frame` of the tags here. */
const FULL = 244;
/** Half of the label in a record: kind, CBOR around it, and the AEAD's tag. */
const HALF = (LABEL_BYTES.length >> 1) + 22;
/** Of a first frame. */
const HEAD = 4;

/** SEC and DATA as one stream of messages. */
const onRecords =
  (
    change: (
      kind: number | undefined,
      message: Bytes,
      on: string,
    ) => ReturnType<NonNullable<Tampering["message"]>>,
  ) =>
  (name: string, message: Bytes) =>
    name === "SEC" || name === "DATA" ? change(message[0], message, name) : message;

export const BROKEN_RECORDS: readonly BrokenTag[] = [
  v21("takes the first message of a value and forgets the rest", ["C87"], () => ({
    frame: (_name, frame) => {
      const end = HEAD + (frame[2] ?? 0);
      return ((frame[0] ?? 0) & L) !== 0 && frame[3] === 0 && frame.length === 2 * end
        ? frame.slice(0, end)
        : frame;
    },
  })),
  v21("takes a leaf under whatever intermediate", ["C86"], (_fixture, tag) => ({
    message: (name, message) =>
      name === "SEC" &&
      tag.snapshot().state === "WAIT_M3" &&
      tag.snapshot().commits === 0 &&
      isLeafAlone(message)
        ? MESSAGE_4
        : message,
  })),
  v21("shows the hash of an intermediate that it has not kept", ["C85"], (_fixture, tag) => ({
    message: (name, message) =>
      name === "SEC" &&
      tag.snapshot().state === "WAIT_M3" &&
      tag.snapshot().commits > 0 &&
      isLeafAlone(message)
        ? REFUSES
        : message,
  })),
  v21("forgets what comes before its answer was read", ["C88", "C90"], () => {
    let unread = false;
    return {
      read: (name, value) => {
        if (name === "SEC") unread = false;
        return value;
      },
      message: onRecords((kind, message, on) => {
        const late = on === "DATA" && unread;
        unread = kind === RECORD_KIND.token;
        return late ? SWALLOWS : message;
      }),
    };
  }),
  v21("loses what is written without response", ["C90"], () => ({
    frame: (_name, frame, command) => (command ? [] : frame),
  })),
  v21("expects more behind a frame that is full", ["C89"], () => ({
    frame: (_name, frame) => {
      const [b0 = 0] = frame;
      return frame.length === FULL && (b0 & FIRST) === 0
        ? concat(Uint8Array.of(b0 & ~L), frame.slice(1))
        : frame;
    },
  })),
  v21("takes a commit twice", ["C55"], () => {
    let last: Bytes = new Uint8Array();
    return {
      message: onRecords((_kind, message) => {
        const again = equalBytes(message, last);
        last = message;
        return again ? GOES_ON : message;
      }),
    };
  }),
  v21("does not miss a record that was lost", ["C56"], () => {
    let part = false;
    return {
      message: onRecords((kind, message) => {
        const lost = part && kind === RECORD_KIND.commit;
        part = kind === RECORD_KIND.data && message.length === HALF;
        return lost ? GOES_ON : message;
      }),
    };
  }),
  v21("takes a record in which a bit was changed", ["C57"], (_fixture, tag) => ({
    message: onRecords((kind, message) =>
      tag.snapshot().state === "COMMITTED" && kind === RECORD_KIND.fresh ? GOES_ON : message,
    ),
  })),
  v21("takes data on SEC", ["C59"], () => ({
    message: onRecords((kind, message, on) =>
      on === "SEC" && kind === RECORD_KIND.data ? SWALLOWS : message,
    ),
  })),
];
