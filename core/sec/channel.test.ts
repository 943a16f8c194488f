import { beforeEach, describe, expect, it } from "vitest";
import { type Bytes, fromHex } from "../encoding/bytes.ts";
import {
  type InitiatorChannel,
  openInitiatorChannel,
  openResponderChannel,
  type ResponderChannel,
} from "./channel.ts";
import type { InitiatorRecord, ResponderRecord } from "./records.ts";
import type { SuiteId } from "./suites.ts";
import { forgeRecords } from "./test-support/forge.ts";
import { codeOf, flipped, shakeHands } from "./test-support/parties.ts";

const INFO = fromHex("15150700f40000100102");
const bytes = (length: number, fill: number) => new Uint8Array(length).fill(fill);

const FROM_CLIENT: InitiatorRecord[] = [
  { kind: "token", token: bytes(272, 1) },
  { kind: "data", offset: 0, data: bytes(300, 2) },
  { kind: "data", offset: 300, data: bytes(0, 0) },
  { kind: "commit", sha256: bytes(32, 3), total: 300 },
  { kind: "abort" },
  { kind: "fresh" },
];
const HELLO = { kind: "hello", nonce: bytes(16, 4), ttl: 120, id: "ebt-21-0001", commits: 7 } as const;
const FROM_TAG: ResponderRecord[] = [
  { ...HELLO, mark: null },
  { ...HELLO, mark: bytes(32, 5) },
  { kind: "status", status: 1 },
  { kind: "status", status: 64, detail: 300 },
];

let client: InitiatorChannel;
let tag: ResponderChannel;

async function connect(suites: SuiteId[] = [6], clientInfo = INFO, tagInfo = INFO) {
  const { initiator, responder } = await shakeHands(suites);
  client = await openInitiatorChannel(initiator, clientInfo);
  tag = await openResponderChannel(responder, tagInfo);
}

describe.each<[string, SuiteId[]]>([
  ["suite 6", [6]],
  ["suite 3", [6, 3]],
])("a channel in %s", (_name, suites) => {
  beforeEach(() => connect(suites));

  it("carries every record of the client", async () => {
    for (const record of FROM_CLIENT) expect(await tag.open(await client.seal(record))).toEqual(record);
  });

  it("carries every record of the tag", async () => {
    for (const record of FROM_TAG) expect(await client.open(await tag.seal(record))).toEqual(record);
  });

  it("has one binding on both ends, and another one in every session", async () => {
    expect(client.channelBinding).toEqual(tag.channelBinding);
    expect(client.channelBinding.length).toBe(32);
    const before = client.channelBinding;
    await connect(suites);
    expect(client.channelBinding).not.toEqual(before);
  });

  it("costs kind, CBOR and tag: 17 bytes over the CBOR", async () => {
    expect((await client.seal({ kind: "fresh" })).length).toBe(1 + 2 + 16);
  });

  it("numbers records in the order of the calls, even if they overlap", async () => {
    const sealed = await Promise.all(FROM_CLIENT.map((record) => client.seal(record)));
    const opened = await Promise.all(sealed.map((record) => tag.open(record)));
    expect(opened).toEqual(FROM_CLIENT);
  });

  it("never seals the same bytes twice", async () => {
    expect(await client.seal({ kind: "fresh" })).not.toEqual(await client.seal({ kind: "fresh" }));
  });
});

describe("a channel", () => {
  beforeEach(() => connect());

  // Every other way to spoil a record is a row of sec-refusals.json.
  it.each<[string, () => Promise<Bytes>]>([
    ["a record that was changed", async () => flipped(await client.seal({ kind: "fresh" }), 40)],
    ["66 kilobytes", async () => bytes(66_000, 1)],
  ])("ends at %s", async (_what, record) => {
    const bad = await record();
    expect(await codeOf(() => tag.open(bad))).toBe("RECORD");
    expect(tag.alive).toBe(false);
    expect(await codeOf(() => tag.seal({ kind: "status", status: 0 }))).toBe("STATE");
    expect(await codeOf(() => tag.open(bad))).toBe("STATE");
  });

  it("gives nothing of an overlapping record once one has failed", async () => {
    const [first, second] = [await client.seal({ kind: "fresh" }), await client.seal({ kind: "abort" })];
    const results = await Promise.allSettled([tag.open(flipped(first, 40)), tag.open(second)]);
    expect(results.map(({ status }) => status)).toEqual(["rejected", "rejected"]);
  });

  it("has keys of the session alone: the public exporters of EDHOC libraries give them", async () => {
    const session = await shakeHands();
    const library = await session.responder.export(32772, 32);
    const ours = await openInitiatorChannel(session.initiator, INFO);
    expect(ours.channelBinding).toEqual(library);
  });

  it("forgets its keys when it is destroyed", async () => {
    const record = await client.seal({ kind: "fresh" });
    tag.destroy();
    tag.destroy();
    expect(tag.alive).toBe(false);
    expect(await codeOf(() => tag.open(record))).toBe("STATE");
  });

  it("uses its session up, so that no second one starts from the same keys", async () => {
    const { initiator } = await shakeHands();
    const both = [openInitiatorChannel(initiator, INFO), openInitiatorChannel(initiator, INFO)];
    const settled = await Promise.allSettled(both);
    expect(settled.map(({ status }) => status)).toEqual(["fulfilled", "rejected"]);
    expect(await codeOf(() => initiator.export(1, 16))).toBe("STATE");
  });

  it("numbers records in eight bytes: what others seal as number 256 and 257 is opened as that", async () => {
    const session = await shakeHands();
    const forge = await forgeRecords(session.initiator);
    const reader = await openResponderChannel(session.responder, INFO);
    const fresh = (sequence: number) =>
      forge({
        kind: 5,
        plaintext: fromHex("8105"),
        keys: "i2r",
        sequence,
        associated: { kind: 5, sequence, length: 2 },
      });
    for (let sequence = 0; sequence < 258; sequence++) {
      expect(await reader.open(await fresh(sequence))).toEqual({ kind: "fresh" });
    }
  });

  it("refuses to seal what no record can say", async () => {
    const short = { kind: "commit", sha256: bytes(31, 0), total: 1 } as const;
    await expect(client.seal(short)).rejects.toThrow(RangeError);
    await expect(client.seal({ kind: "data", offset: -1, data: bytes(1, 0) })).rejects.toThrow(RangeError);
    // [2, 0, bstr]: one byte of array, kind and offset each, three of the string's head.
    const longest = { kind: "data", offset: 0, data: bytes(65_535 - 6, 0) } as const;
    expect(await tag.open(await client.seal(longest))).toEqual(longest);
    const tooLong = { kind: "data", offset: 0, data: bytes(65_535 - 5, 0) } as const;
    await expect(client.seal(tooLong)).rejects.toThrow(RangeError);
    expect(await tag.open(await client.seal({ kind: "fresh" }))).toEqual({ kind: "fresh" });
  });
});
