import { describe, expect, it } from "vitest";
import { fromHex, toHex } from "../encoding/bytes.ts";
import {
  decodeInitiatorRecord,
  decodeResponderRecord,
  encodeInitiatorRecord,
  encodeResponderRecord,
} from "./records.ts";
import { SUITES } from "./suites.ts";
import { codeOf } from "./test-support/parties.ts";

const NONCE = `50${"04".repeat(16)}`;
const DIGEST = "05".repeat(32);
const INFO_DIGEST = fromHex(DIGEST);
const HELLO = `8210a701${NONCE}02187803616104820201055820${DIGEST}060707f6`;

describe("records of the client", () => {
  it.each([
    [{ kind: "token", token: fromHex("aabb") }, "820142aabb"],
    [{ kind: "data", offset: 300, data: fromHex("01") }, "830219012c4101"],
    [{ kind: "commit", sha256: fromHex(DIGEST), total: 24 }, `83035820${DIGEST}1818`],
    [{ kind: "abort" }, "8104"],
    [{ kind: "fresh" }, "8105"],
    [{ kind: "challenge", challenge: fromHex("06".repeat(16)) }, `820650${"06".repeat(16)}`],
  ] as const)("%o are the array of the CDDL", (record, hex) => {
    expect(toHex(encodeInitiatorRecord(record))).toBe(hex);
    expect(decodeInitiatorRecord(fromHex(hex))).toEqual(record);
  });

  it.each([
    ["nothing", ""],
    ["an unknown kind", "8107"],
    ["a token with something more", "83014100" + "00"],
    ["a commit with a digest of 33 bytes", `83035821${"05".repeat(33)}01`],
    ["an abort with something more", "820400"],
    ["a challenge without a value", "8106"],
    ["a challenge of 15 bytes", `82064f${"06".repeat(15)}`],
    ["a challenge of 17 bytes", `820651${"06".repeat(17)}`],
    ["an indefinite array", "9f05ff"],
  ])("are not %s", async (_what, hex) => {
    expect(await codeOf(() => decodeInitiatorRecord(fromHex(hex)))).toBe("RECORD");
  });
});

describe("records of the tag", () => {
  it("are the array of the CDDL", () => {
    const hello = {
      kind: "hello",
      nonce: new Uint8Array(16).fill(4),
      ttl: 120,
      id: "a",
      commits: 7,
      mark: null,
    } as const;
    expect(toHex(encodeResponderRecord(hello, INFO_DIGEST))).toBe(HELLO);
    expect(decodeResponderRecord(fromHex(HELLO), INFO_DIGEST)).toEqual(hello);
    expect(toHex(encodeResponderRecord({ kind: "status", status: 64, detail: 300 }, INFO_DIGEST))).toBe(
      "8311184019012c",
    );
    const statement = { kind: "statement", statement: fromHex("aabb") } as const;
    expect(toHex(encodeResponderRecord(statement, INFO_DIGEST))).toBe("821242aabb");
    expect(decodeResponderRecord(fromHex("821242aabb"), INFO_DIGEST)).toEqual(statement);
  });

  it.each([
    ["an unknown kind", "811800"],
    ["a statement without a value", "8112"],
    ["a statement that is text", "82126161"],
    ["a hello with a key left out", HELLO.replace("8210a7", "8210a6").replace("060707f6", "0607")],
    ["a hello with keys in another order", HELLO.replace("021878036161", "036161021878")],
    ["something after the record", `${HELLO}00`],
  ])("are not %s", async (_what, hex) => {
    expect(hex).not.toBe(HELLO);
    expect(await codeOf(() => decodeResponderRecord(fromHex(hex), INFO_DIGEST))).toBe("RECORD");
  });
});

it.each([
  ["of an unknown kind, in the form of a status", "821200"],
  ["of an unknown kind, in the form of a status with its detail", "83120000"],
  ["of an unknown kind, in the form of a statement", "82181e4100"],
  ["of a token's kind, in the form of a status", "820100"],
])("a record %s is none of the tag's", async (_what, hex) => {
  expect(await codeOf(() => decodeResponderRecord(fromHex(hex), new Uint8Array(32)))).toBe("RECORD");
});

const { hash } = SUITES[6];
const KEY = new Uint8Array(32).fill(1);
const INFO = Uint8Array.of(2);

it("HKDF-Expand gives 255 blocks and no byte more", async () => {
  const longest = await hash.expand(KEY, INFO, 255 * 32);
  expect(longest.length).toBe(8_160);
  expect(longest.slice(0, 40)).toEqual(await hash.expand(KEY, INFO, 40));
  await expect(hash.expand(KEY, INFO, 255 * 32 + 1)).rejects.toThrow(RangeError);
});
