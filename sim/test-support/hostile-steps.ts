/**
 * The steps of a hostile central as data, which fast-check can shrink: any frames and records, in any order, at any time.
 */
import * as fc from "fast-check";
import { type Bytes, concat } from "../../core/encoding/bytes.ts";
import {
  encodeArray,
  encodeBstr,
  encodeInt,
  encodeMap,
  encodeSimple,
  encodeTstr,
} from "../../core/encoding/cbor.ts";
import { PROFILE } from "../../core/gatt/profile.ts";
import { openInitiatorChannel } from "../../core/sec/channel.ts";
import { readMessage4 } from "../../core/sec/initiator.ts";
import {
  encodeInitiatorRecord,
  type Hello,
  type InitiatorRecord,
  RECORD_KIND,
} from "../../core/sec/records.ts";
import { forgeRecords } from "../../core/sec/test-support/forge.ts";
import type { TagSimulator } from "../tag/tag-simulator.ts";
import type { VirtualWorld } from "../virtual-world.ts";
import { Central } from "./central.ts";
import { CLEAR, PAYLOAD } from "./stages.ts";
import { sleepIn } from "./virtual-time.ts";

/**
 * A hostile central with a certified key: it completes the handshake correctly, and then sends anything it likes under the
 * right keys.
 */

/** How a record deviates. */
export interface Deviation {
  readonly kind?: number;
  /** Added to the expected number. */
  readonly ahead?: number;
  /** Sealed with the keys of the other direction. */
  readonly mirrored?: boolean;
}

export class HostileCentral extends Central {
  #forge: Awaited<ReturnType<typeof forgeRecords>> | undefined;
  #next = 0;
  /** Every record of every session so far, to be sent again. */
  readonly said: Bytes[] = [];

  override async finish(): Promise<Hello> {
    if (this.begun === undefined) throw new Error("no handshake under way");
    const { info, state } = this.begun;
    const session = await readMessage4(state, await this.expect("EDHOC"));
    this.#forge = await forgeRecords(session);
    this.#next = 0;
    this.channel = await openInitiatorChannel(session, info);
    return this.nextHello();
  }

  override async say(record: InitiatorRecord): Promise<void> {
    const sealed = await this.sealed(encodeInitiatorRecord(record), { kind: RECORD_KIND[record.kind] });
    await this.send(record.kind === "data" ? "DATA" : "SEC", "APP", sealed);
  }

  /** Any bytes as the next record of this session, or as a record it does not expect. */
  async sealed(plaintext: Bytes, { kind = 5, ahead = 0, mirrored = false }: Deviation): Promise<Bytes> {
    if (this.#forge === undefined) throw new Error("no handshake yet");
    const sequence = Math.max(0, this.#next++ + ahead);
    const associated = { kind, sequence, length: plaintext.length };
    const record = await this.#forge({
      kind,
      plaintext,
      keys: mirrored ? "r2i" : "i2r",
      sequence,
      associated,
    });
    this.said.push(record);
    return record;
  }
}

export interface Attack {
  readonly world: VirtualWorld;
  readonly tag: TagSimulator;
  readonly central: HostileCentral;
}
/** A step; its name is what a counterexample shows. */
export interface Step extends fc.WithToStringMethod {
  readonly name: string;
  readonly take: (attack: Attack) => Promise<unknown>;
}

const step = (name: string, take: Step["take"]): Step => ({ name, take, [fc.toStringMethod]: () => name });
const UUID = PROFILE.characteristics;
const anyBytes = (maxLength: number) =>
  fc.uint8Array({ maxLength }).map((bytes): Bytes => Uint8Array.from(bytes));
const written = fc.constantFrom<Written>("CERT", "AUTH", "SEC", "DATA");

const token = async (central: HostileCentral, operation: "write" | "clear"): Promise<Bytes> => {
  const payload = operation === "clear" ? CLEAR : PAYLOAD;
  return central.channel === undefined
    ? central.plainToken(payload, operation)
    : central.token(payload, operation);
};
const say = (record: InitiatorRecord) => step(record.kind, ({ central }) => central.say(record));

/** Steps of an honest transfer: without them no sequence would get far. */
const HONEST: readonly Step[] = [
  step("connect", ({ tag, central }) => {
    central.channel = undefined;
    return tag.connect();
  }),
  step("disconnect", async ({ tag }) => tag.disconnect()),
  // Long enough for the link to end after its session has ended.
  step("silence", ({ world }) => sleepIn(world, 3_000)),
  step("reboot", async ({ tag }) => tag.reboot()),
  step("handshake", ({ central }) => central.handshake()),
  step("half a handshake", ({ central }) => central.begin()),
  step("the other half", async ({ central }) => {
    await central.send("SEC", "EDHOC", central.begun?.message3 ?? Uint8Array.of(0x40));
    await central.finish();
  }),
  step("chain", ({ central }) => central.sendChain()),
  step("token", async ({ central }) => {
    const bytes = await token(central, "write");
    return central.channel === undefined
      ? central.send("AUTH", "TOKEN", bytes)
      : central.say({ kind: "token", token: bytes });
  }),
  step("token of another tag", async ({ central }) => {
    const nonce = central.hello?.nonce ?? new Uint8Array(16);
    const bytes = await central.parties.tokens.sign({ aud: "ebt-21-0002", nonce });
    await (central.channel === undefined
      ? central.send("AUTH", "TOKEN", bytes)
      : central.say({ kind: "token", token: bytes }));
  }),
  step("payload", ({ central }) =>
    central.channel === undefined ? central.send("DATA", "PAYLOAD", PAYLOAD) : central.stage(PAYLOAD),
  ),
  step("commit", ({ central }) => central.commit(PAYLOAD)),
  step("commit of another", ({ central }) => central.commit(CLEAR)),
  say({ kind: "fresh" }),
  say({ kind: "abort" }),
];

const read = (name: "INFO" | "ID" | "NONCE" | "SEC" | "STATUS"): Step =>
  step(`read ${name}`, ({ tag }) => tag.read(UUID[name].uuid));
const reads = fc.constantFrom(...(["INFO", "ID", "NONCE", "SEC", "STATUS"] as const).map(read));

const waits: fc.Arbitrary<Step> = fc
  .constantFrom(10, 1_000, 6_000, 11_000, 16_000, 61_000, 121_000, 301_000)
  .map((milliseconds) => step(`wait ${milliseconds}`, ({ world }) => sleepIn(world, milliseconds)));

/** A malformed frame, often with something right about it. */
const frame: fc.Arbitrary<Step> = fc
  .record({
    on: written,
    flags: fc.constantFrom(0, 0x40, 0x80, 0xc0),
    sequence: fc.oneof(fc.constantFrom(0, 1, 63), fc.nat(63)),
    type: fc.oneof(fc.constantFrom(1, 2, 3, 4, 5, 6, 0x7f), fc.nat(255)),
    total: fc.oneof(fc.nat(40), fc.constantFrom(2048, 2049, 0xffff)),
    body: anyBytes(40),
    header: fc.integer({ min: 0, max: 3 }),
  })
  .map(({ on, flags, sequence, type, total, body, header }) => {
    const first = [type, total & 0xff, total >> 8].slice(0, header === 0 ? 3 : header);
    const value = concat(Uint8Array.of(flags | sequence, ...(flags >= 0x80 ? first : [])), body);
    return step(`frame on ${on}`, ({ central }) => central.raw(on, value));
  });

type Written = "CERT" | "AUTH" | "SEC" | "DATA";

const item: fc.Arbitrary<Bytes> = fc.oneof(
  fc.integer({ min: -70_000, max: 70_000 }).map(encodeInt),
  anyBytes(40).map(encodeBstr),
  fc.uint8Array({ minLength: 32, maxLength: 32 }).map(encodeBstr),
  fc.string({ maxLength: 8 }).map(encodeTstr),
  fc.constantFrom(true, false, null).map(encodeSimple),
  fc.constant(encodeMap([encodeInt(1), encodeInt(2)])),
);

/** Well protected records of any content, kind, number and place. */
const record: fc.Arbitrary<Step> = fc
  .record({
    plaintext: fc.oneof(
      fc
        .tuple(fc.nat(18), fc.array(item, { maxLength: 3 }))
        .map(([kind, items]) => encodeArray(encodeInt(kind), ...items)),
      anyBytes(20),
      fc
        .constantFrom<InitiatorRecord>(
          { kind: "data", offset: 0, data: PAYLOAD },
          { kind: "data", offset: 1, data: PAYLOAD },
          { kind: "data", offset: 0, data: new Uint8Array(600) },
          { kind: "commit", sha256: new Uint8Array(32), total: PAYLOAD.length },
          { kind: "token", token: new Uint8Array(40) },
        )
        .map(encodeInitiatorRecord),
    ),
    kind: fc.oneof({ weight: 3, arbitrary: fc.constant(undefined) }, { weight: 1, arbitrary: fc.nat(255) }),
    ahead: fc.constantFrom(0, 0, 0, 0, -1, 1, 256),
    mirrored: fc.constantFrom(false, false, false, true),
    on: fc.constantFrom("SEC" as const, "DATA" as const),
  })
  .map(({ plaintext, kind, ahead, mirrored, on }) =>
    step(`record on ${on}`, async ({ central }) => {
      const claimed = kind ?? (plaintext[1] ?? 0) & 0x1f;
      await central.send(on, "APP", await central.sealed(plaintext, { kind: claimed, ahead, mirrored }));
    }),
  );

const again: fc.Arbitrary<Step> = fc
  .tuple(fc.nat(), fc.constantFrom("SEC" as const, "DATA" as const))
  .map(([pick, on]) =>
    step("a record again", async ({ central }) => {
      const old = central.said[pick % Math.max(1, central.said.length)];
      if (old !== undefined) await central.send(on, "APP", old);
    }),
  );

/** Two operations at once, which no stack allows, and a link that falls during one of them. */
const overlaps: fc.Arbitrary<Step> = fc.constantFrom(
  step("two reads at once", async ({ tag }) => {
    await Promise.all([tag.read(UUID.SEC.uuid), tag.read(UUID.STATUS.uuid)]);
  }),
  step("hang up under a read", async ({ tag }) => {
    const read = tag.read(UUID.SEC.uuid);
    tag.disconnect();
    await read;
  }),
  step("no power under a write", async ({ tag }) => {
    const write = tag.write(UUID.SEC.uuid, Uint8Array.of(0xc0, 1, 1, 0, 0));
    tag.reboot();
    await write;
  }),
  step("the link will fall after the next operation", async ({ tag }) => {
    tag.faults.dropAt = { operation: 3, when: "after" };
  }),
);

/** Honest beginnings, so that what follows meets a tag in any state. */
const BEGINNINGS: readonly (readonly string[])[] = [
  ["connect"],
  ["connect", "half a handshake"],
  ["connect", "handshake"],
  ["connect", "handshake", "token of another tag", "token of another tag"],
  ["connect", "handshake", "token"],
  ["connect", "handshake", "token", "payload"],
  ["connect", "handshake", "token", "payload", "commit"],
  ["connect", "handshake", "token", "payload", "commit of another"],
  ["connect", "chain"],
  ["connect", "chain", "token of another tag", "token of another tag", "token of another tag"],
  ["connect", "chain", "token"],
  ["connect", "chain", "token", "payload"],
];

const honest = fc.constantFrom(...HONEST);
const ends = fc.constantFrom(...["disconnect", "reboot", "silence"].flatMap(named));
const anyStep = fc.oneof(honest, ends, reads, waits, frame, record, record, again, overlaps);
/** A central that listens learns more, and leaves the tag in other states. */
const listening = fc.constantFrom([], [], [read("SEC")], [read("STATUS"), read("SEC")]);

const deeds = fc
  .array(fc.tuple(anyStep, listening), { minLength: 1, maxLength: 4 })
  .map((taken) => taken.flatMap(([one, reads]) => [one, ...reads]));
/** Rounds at one tag, most of them on a link of their own. */
export const attacks: fc.Arbitrary<readonly Step[]> = fc
  .array(
    fc.tuple(
      fc.constantFrom(["silence", "disconnect"], ["disconnect"], []),
      fc.constantFrom(...BEGINNINGS),
      deeds,
    ),
    {
      minLength: 1,
      maxLength: 5,
    },
  )
  .map((rounds) =>
    rounds.flatMap(([hangUp, beginning, steps]) => [...[...hangUp, ...beginning].flatMap(named), ...steps]),
  );

function named(name: string): readonly Step[] {
  return HONEST.filter((one) => one.name === name);
}
