import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type Bytes, concat, toHex } from "../encoding/bytes.ts";
import {
  CborReader,
  encodeArray,
  encodeBstr,
  encodeInt,
  encodeMap,
  encodeSimple,
  encodeTstr,
} from "../encoding/cbor.ts";
import { cases } from "../full.test-support.ts";
import { errorFrom } from "./answers.ts";
import { SecError } from "./errors.ts";
import { frames, Reassembler } from "./framing.ts";
import {
  decodeMessage1,
  decodePlaintext2,
  decodePlaintext3,
  encodeMessage1,
  encodePlaintext2,
} from "./messages.ts";
import { decodeInitiatorRecord, decodeResponderRecord } from "./records.ts";

const RUNS = cases(300);
const anyBytes = (maxLength: number) =>
  fc.uint8Array({ maxLength }).map((bytes): Bytes => Uint8Array.from(bytes));

/** An item of our part of CBOR, encoded. */
const { item } = fc.letrec<{ item: Bytes }>((tie) => ({
  item: fc.oneof(
    { maxDepth: 4 },
    fc.maxSafeInteger().map(encodeInt),
    anyBytes(40).map(encodeBstr),
    fc.string({ maxLength: 20 }).map(encodeTstr),
    fc.constantFrom(true, false, null).map(encodeSimple),
    fc.array(tie("item"), { maxLength: 4 }).map((items) => encodeArray(...items)),
    tie("item").map((value) => encodeMap([encodeInt(33), value])),
  ),
}));

/** Random bytes reach little; CBOR of random items, cut or lengthened, reaches the rest. */
const hostile = fc.oneof(
  anyBytes(80),
  fc.array(item, { maxLength: 6 }).map((items) => concat(...items)),
  fc.tuple(item, fc.nat(60)).map(([bytes, cut]) => bytes.slice(0, cut)),
);

/** What is decoded is the whole of what was given; what is not is a SecError, never anything else. */
function decodesOrRefuses<Value>(decode: (bytes: Bytes) => Value, encode?: (value: Value) => Bytes) {
  return fc.property(hostile, (bytes) => {
    let value: Value;
    try {
      value = decode(bytes);
    } catch (error) {
      expect(error).toBeInstanceOf(SecError);
      return;
    }
    if (encode !== undefined) expect(toHex(encode(value))).toBe(toHex(bytes));
  });
}

describe("whatever comes over the air", () => {
  it("message_1 is refused or has exactly one spelling", () => {
    fc.assert(decodesOrRefuses(decodeMessage1, encodeMessage1), RUNS);
  });

  it("PLAINTEXT_2 is refused or has exactly one spelling", () => {
    fc.assert(
      fc.property(hostile, (bytes) => {
        try {
          const plaintext = decodePlaintext2(bytes);
          if (plaintext.chain !== undefined) expect(toHex(encodePlaintext2(plaintext))).toBe(toHex(bytes));
        } catch (error) {
          expect(error).toBeInstanceOf(SecError);
        }
      }),
      RUNS,
    );
  });

  it.each([
    ["PLAINTEXT_3", decodePlaintext3],
    ["a record of the client", decodeInitiatorRecord],
    ["a record of the tag", (bytes: Bytes) => decodeResponderRecord(bytes, new Uint8Array(32))],
  ])("%s is decoded or refused, nothing else", (_what, decode) => {
    fc.assert(decodesOrRefuses<unknown>(decode), RUNS);
  });

  it("an error message is an error of some kind", () => {
    const anyType = fc.constantFrom("EDHOC_ERROR" as const, "ALERT" as const);
    fc.assert(
      fc.property(anyType, hostile, (type, bytes) => {
        expect(errorFrom(type, bytes)).toBeInstanceOf(SecError);
      }),
      RUNS,
    );
  });
});

describe("CBOR", () => {
  it("of any items is read back as the bytes it came in", () => {
    fc.assert(
      fc.property(item, (bytes) => {
        const reader = new CborReader(bytes);
        expect(toHex(reader.raw())).toBe(toHex(bytes));
        expect(reader.done).toBe(true);
      }),
      RUNS,
    );
  });
});

describe("frames", () => {
  it("of any message at any length come together again", () => {
    const message = fc.uint8Array({ minLength: 1, maxLength: 2000 }).map((bytes) => Uint8Array.from(bytes));
    fc.assert(
      fc.property(message, fc.integer({ min: 5, max: 512 }), (bytes, frameLength) => {
        const reassembler = new Reassembler(bytes.length, frameLength);
        const parts = frames("PAYLOAD", bytes, frameLength);
        const whole = parts.map((part) => reassembler.push(part)).at(-1);
        expect(toHex(whole?.message ?? new Uint8Array())).toBe(toHex(bytes));
      }),
      RUNS,
    );
  });

  it("that are not ours are refused or wait for more, and never give a longer message than allowed", () => {
    const sequence = fc.array(anyBytes(24), { maxLength: 8 });
    fc.assert(
      fc.property(sequence, (parts) => {
        const reassembler = new Reassembler(30, 20);
        for (const part of parts) {
          try {
            const whole = reassembler.push(part);
            expect(whole?.message.length ?? 1).toBeLessThanOrEqual(30);
          } catch (error) {
            expect(error).toBeInstanceOf(SecError);
            return;
          }
        }
      }),
      RUNS,
    );
  });
});
