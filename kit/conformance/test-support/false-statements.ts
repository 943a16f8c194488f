/** v2.1 tags whose statement is false, missing or to be had where it must not be, and the checks that must find it. */
import type { Bytes } from "../../../core/encoding/bytes.ts";
import { STATUS, TAG_LIMIT } from "../../../core/gatt/profile.ts";
import { RECORD_KIND, type ResponderRecord } from "../../../core/sec/records.ts";
import {
  certificateHash,
  decodeStatement,
  signStatement,
  type TagStatement,
} from "../../../core/sec/statement.ts";
import type { RecordFault, TagCredential } from "../../../sim/tag/tag-types.ts";
import { type BrokenTag, behind } from "./broken-tags.ts";
import { type Fixture, tagOf } from "./fixture.ts";
import { edhoc } from "./tampered-tag.ts";

/** A tag whose firmware says another statement instead, or none, signed as it should be unless `key` is another. */
const saying =
  (
    fault: () => (statement: TagStatement) => TagStatement | undefined,
    key?: (fixture: Fixture) => CryptoKey,
  ) =>
  (fixture: Fixture) => {
    const { credential } = fixture.people;
    const change = fault();
    const says: RecordFault["says"] = async (record) => {
      if (record.kind !== "statement") return record;
      const statement = change(decodeStatement(record.statement).statement);
      return statement && { ...record, statement: await sign(statement, credential, key?.(fixture)) };
    };
    return tagOf(fixture, "2.1", { fault: { says } });
  };

async function sign(statement: TagStatement, { chain, privateKey }: TagCredential, key = privateKey) {
  return signStatement(statement, {
    certificateHash: await certificateHash(chain[0] as Bytes),
    privateKey: key,
  });
}

/** A tag whose firmware takes another record than it receives, or none. */
const withFault =
  (make: () => RecordFault, signs = true) =>
  (fixture: Fixture) =>
    tagOf(fixture, "2.1", { fault: make(), signs });

const isReceipt = ({ challenge }: TagStatement): boolean => challenge === undefined;
const reversed = (bytes: Bytes): Bytes => bytes.toReversed();
const NEVER = { cti: null, mark: null, operation: null, commits: 0 } as const;

/** Repeats its last statement where it should refuse to give another. */
function ignoreLimit(): RecordFault {
  let said: ResponderRecord[] = [];
  return {
    async says(record) {
      if (record.kind === "hello") said = [];
      if (record.kind === "statement") said.push(record);
      const refuses = record.kind === "status" && record.status === STATUS.STATE;
      return refuses && said.length > TAG_LIMIT.challenges ? said.at(-1) : record;
    },
  };
}

/** Ignores a challenge that follows a token. */
function ignoreChallengeAfterToken(): RecordFault {
  let last = "";
  return {
    receives(record) {
      const isIgnored = record.kind === "challenge" && last === "token";
      last = record.kind;
      return isIgnored ? undefined : record;
    },
  };
}

/** Knows what it has committed in this session alone. */
function forgetful(): (statement: TagStatement) => TagStatement {
  let challenges = 0;
  return (statement) => {
    challenges = isReceipt(statement) ? 0 : challenges + 1;
    return challenges > 1 ? { ...statement, ...NEVER } : statement;
  };
}

const broken = (name: string, caught: BrokenTag["caught"], make: BrokenTag["make"]): BrokenTag => ({
  name,
  generation: "2.1",
  caught,
  make,
});

export const FALSE_STATEMENTS: readonly BrokenTag[] = [
  broken(
    "says nothing behind COMMITTED",
    ["C75", "C83"],
    saying(() => (statement) => (isReceipt(statement) ? undefined : statement)),
  ),
  broken(
    "signs with another key than its certificate’s",
    ["C75", "C78", "C79"],
    saying(
      () => (statement) => statement,
      ({ throwAway }) => throwAway.privateKey,
    ),
  ),
  broken(
    "names a token that it never took",
    ["C76", "C83"],
    saying(() => (statement) => (statement.cti ? { ...statement, cti: reversed(statement.cti) } : statement)),
  ),
  broken(
    "speaks for another tag",
    ["C76"],
    saying(() => (statement) => ({ ...statement, deviceId: "ebt-21-0002" })),
  ),
  broken(
    "counts a commit twice in its statement",
    ["C77", "C83"],
    saying(() => (statement) => ({ ...statement, commits: statement.commits * 2 })),
  ),
  broken(
    "answers a challenge after the commit with the receipt once more",
    ["C78", "C79"],
    saying(
      () =>
        ({ challenge: _dropped, ...statement }) =>
          statement,
    ),
  ),
  broken("forgets in the next session what it has signed", ["C79"], saying(forgetful)),
  broken("goes on answering after four challenges", ["C80"], withFault(ignoreLimit)),
  broken("ignores a challenge between token and commit", ["C81"], withFault(ignoreChallengeAfterToken)),
  broken(
    "does not answer a challenge before keys",
    ["C82"],
    behind("2.1", () => ({
      message: (name, message) =>
        name === "SEC" && message[0] === RECORD_KIND.challenge && message.slice(1).every((byte) => byte === 0)
          ? { instead: [edhoc(new Uint8Array(200))] }
          : message,
    })),
  ),
  broken(
    "calls every commit a write",
    ["C83"],
    saying(() => (statement) => (statement.operation ? { ...statement, operation: "write" } : statement)),
  ),
  broken(
    "answers a challenge although it does not sign",
    ["C84"],
    withFault(
      () => ({ receives: (record) => (record.kind === "challenge" ? { kind: "fresh" } : record) }),
      false,
    ),
  ),
];
