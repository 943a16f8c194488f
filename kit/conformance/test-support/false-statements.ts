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
import { type BrokenTag, broken, v21 } from "./broken-tags.ts";
import { type Fixture, tagOf } from "./fixture.ts";
import { edhoc } from "./tampered-tag.ts";

type Change = (statement: TagStatement) => TagStatement | undefined;

/** A tag whose firmware says another statement instead, or none, signed as it should be unless `key` is another. */
const saying = (
  name: string,
  caught: BrokenTag["caught"],
  fault: () => Change,
  key?: (fixture: Fixture) => CryptoKey,
): BrokenTag =>
  broken("2.1", name, caught, (fixture) => {
    const change = fault();
    const says: RecordFault["says"] = async (record) => {
      if (record.kind !== "statement") return record;
      const statement = change(decodeStatement(record.statement).statement);
      const { credential } = fixture.people;
      return statement && { ...record, statement: await sign(statement, credential, key?.(fixture)) };
    };
    return tagOf(fixture, "2.1", { fault: { says } });
  });

async function sign(statement: TagStatement, { chain, privateKey }: TagCredential, key = privateKey) {
  return signStatement(statement, {
    certificateHash: await certificateHash(chain[0] as Bytes),
    privateKey: key,
  });
}

/** A tag whose firmware takes another record than it receives, or none. */
const taking = (name: string, caught: BrokenTag["caught"], fault: () => RecordFault, signs = true) =>
  broken("2.1", name, caught, (fixture) => tagOf(fixture, "2.1", { fault: fault(), signs }));

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

export const FALSE_STATEMENTS: readonly BrokenTag[] = [
  saying(
    "says nothing behind COMMITTED",
    ["C75", "C83"],
    () => (statement) => (isReceipt(statement) ? undefined : statement),
  ),
  saying(
    "signs with another key than its certificate’s",
    ["C75", "C78", "C79"],
    () => (statement) => statement,
    ({ throwAway }) => throwAway.privateKey,
  ),
  saying(
    "names a token that it never took",
    ["C76", "C83"],
    () => (statement) => (statement.cti ? { ...statement, cti: reversed(statement.cti) } : statement),
  ),
  saying("speaks for another tag", ["C76"], () => (statement) => ({ ...statement, deviceId: "ebt-21-0002" })),
  saying("counts a commit twice in its statement", ["C77", "C83"], () => (statement) => ({
    ...statement,
    commits: statement.commits * 2,
  })),
  saying(
    "answers a challenge after the commit with the receipt once more",
    ["C78", "C79"],
    () =>
      ({ challenge: _dropped, ...statement }) =>
        statement,
  ),
  saying("forgets in the next session what it has signed", ["C79"], forgetful),
  taking("goes on answering after four challenges", ["C80"], ignoreLimit),
  taking("ignores a challenge between token and commit", ["C81"], ignoreChallengeAfterToken),
  v21("does not answer a challenge before keys", ["C82"], () => ({
    message: (name, message) =>
      name === "SEC" && message[0] === RECORD_KIND.challenge && message.slice(1).every((byte) => byte === 0)
        ? { instead: [edhoc(new Uint8Array(200))] }
        : message,
  })),
  saying(
    "calls every commit a write",
    ["C83"],
    () => (statement) => (statement.operation ? { ...statement, operation: "write" } : statement),
  ),
  taking(
    "answers a challenge although it does not sign",
    ["C84"],
    () => ({ receives: (record) => (record.kind === "challenge" ? { kind: "fresh" } : record) }),
    false,
  ),
];
