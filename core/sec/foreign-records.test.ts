import { expect, it } from "vitest";
import { fromHex } from "../encoding/bytes.ts";
import { decodeResponderRecord } from "./records.ts";
import { codeOf } from "./test-support/parties.ts";

it.each([
  ["of an unknown kind, in the form of a status", "821200"],
  ["of an unknown kind, in the form of a status with its detail", "83120000"],
  ["of an unknown kind, in the form of a statement", "82181e4100"],
  ["of a token's kind, in the form of a status", "820100"],
])("a record %s is none of the tag's", async (_what, hex) => {
  expect(await codeOf(() => decodeResponderRecord(fromHex(hex), new Uint8Array(32)))).toBe("RECORD");
});
