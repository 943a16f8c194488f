import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { fromHex, toHex } from "../encoding/bytes.ts";
import vectors from "../vectors/statement.json" with { type: "json" };
import {
  certificateHash,
  commitMark,
  decodeStatement,
  signStatement,
  type TagStatement,
  verifyStatementSignature,
} from "./statement.ts";
import { isRefusedChanged, isSignedAlike, keysOf } from "./test-support/signed-vectors.ts";

const HASH = fromHex(vectors.certificateHash);
const STATEMENT_FORMAT = expect.objectContaining({ name: "SecError", code: "STATEMENT_FORMAT" });
const { publicKey, privateKey } = await keysOf(vectors.key);
const STATEMENT = {
  code: "STATEMENT_FORMAT",
  decode: decodeStatement,
  verify: verifyStatementSignature,
  publicKey,
} as const;

type Vector = (typeof vectors.valid)[number];

/** The vectors have bytes as hex. */
function statementOf({ statement }: Vector): TagStatement {
  const bytes = (hex: string | null) => (hex === null ? null : fromHex(hex));
  const { deviceId, cti, mark, operation, commits, challenge } = statement;
  return {
    ...{ deviceId, cti: bytes(cti), mark: bytes(mark), commits },
    operation: operation as TagStatement["operation"],
    ...(challenge !== undefined && { challenge: fromHex(challenge) }),
  };
}

const sign = (statement: TagStatement, hash = HASH) =>
  signStatement(statement, { certificateHash: hash, privateKey });

describe.each(vectors.valid)("the statement of another implementation: $name", (vector) => {
  it("decodes to what it says, and names its certificate", () => {
    const decoded = decodeStatement(fromHex(vector.bytes));
    expect(decoded.statement).toEqual(statementOf(vector));
    expect(toHex(decoded.certificateHash)).toBe(vectors.certificateHash);
    expect(toHex(decoded.toBeSigned)).toBe(vector.toBeSigned);
  });

  isSignedAlike(STATEMENT, fromHex(vector.bytes), () => sign(statementOf(vector)));
});

it.each(vectors.refused)("refuses as a statement $name", ({ bytes }) => {
  expect(() => decodeStatement(fromHex(bytes))).toThrow(STATEMENT_FORMAT);
});

it.each(vectors.badSignature)("decodes a signature $name, which does not verify", async ({ bytes }) => {
  expect(await verifyStatementSignature(decodeStatement(fromHex(bytes)), publicKey)).toBe(false);
});

it("does not verify under a key of another curve", async () => {
  const { publicKey: other } = await crypto.subtle.generateKey(
    { name: "ECDSA", namedCurve: "P-384" },
    false,
    ["sign", "verify"],
  );
  expect(await verifyStatementSignature(decodeStatement(fromHex(presence.bytes)), other)).toBe(false);
});

const receipt = vectors.valid[1] as Vector;
const presence = vectors.valid[2] as Vector;

describe("a whole statement", () => isRefusedChanged(STATEMENT, fromHex(presence.bytes)));

it("refuses whatever bytes come, with its own error and no other", () => {
  const bytes = fc.uint8Array({ maxLength: 300 });
  fc.assert(
    fc.property(bytes, (random) => {
      expect(() => decodeStatement(random)).toThrow(STATEMENT_FORMAT);
    }),
    { numRuns: 500 },
  );
});

it("gives every statement back as it was signed", async () => {
  const bytes = (length: number) =>
    fc.uint8Array({ minLength: length, maxLength: length }).map((each) => Uint8Array.from(each));
  const last = fc.record({
    cti: bytes(8),
    mark: bytes(32),
    operation: fc.constantFrom("write" as const, "clear" as const),
  });
  const any = fc.record(
    {
      deviceId: fc.string({ minLength: 1, maxLength: 128, unit: "grapheme-ascii" }),
      last: fc.option(last, { nil: { cti: null, mark: null, operation: null } }),
      commits: fc.integer({ min: 0, max: 0xffff_ffff }),
      challenge: bytes(16),
    },
    { requiredKeys: ["deviceId", "last", "commits"] },
  );
  await fc.assert(
    fc.asyncProperty(any, async ({ last, ...rest }) => {
      const statement = { ...rest, ...last };
      const decoded = decodeStatement(await sign(statement));
      expect(decoded.statement).toEqual(statement);
    }),
    { numRuns: 100 },
  );
});

it.each([
  ["an empty device id", { deviceId: "" }],
  ["a device id of 129 characters", { deviceId: "x".repeat(129) }],
  ["a cti alone missing", { cti: null }],
  ["a mark alone missing", { mark: null }],
  ["an operation alone missing", { operation: null }],
  ["a cti of 7 bytes", { cti: new Uint8Array(7) }],
  ["a mark of 31 bytes", { mark: new Uint8Array(31) }],
  ["a challenge of 15 bytes", { challenge: new Uint8Array(15) }],
  ["half a commit", { commits: 0.5 }],
  ["fewer commits than none", { commits: -1 }],
  ["more commits than fit", { commits: 2 ** 32 }],
])("does not sign a statement with %s", async (_, change) => {
  await expect(sign({ ...statementOf(presence), ...change })).rejects.toThrow(STATEMENT_FORMAT);
});

it("does not sign under a whole digest of the certificate", async () => {
  await expect(sign(statementOf(receipt), new Uint8Array(32))).rejects.toThrow(STATEMENT_FORMAT);
});

it("names a certificate by the first 8 bytes of its SHA-256", async () => {
  expect(toHex(await certificateHash(fromHex(vectors.certificate)))).toBe(vectors.certificateHash);
});

it("marks a commit with SHA-256 of the nonce and the payload's digest", async () => {
  const { nonce, payloadDigest, mark } = vectors.mark;
  expect(toHex(await commitMark(fromHex(nonce), fromHex(payloadDigest)))).toBe(mark);
});

it("stays within 170 bytes with every claim and a short device id", () => {
  expect(presence.bytes.length / 2).toBeLessThanOrEqual(170);
});
