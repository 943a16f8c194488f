/** C75–C84: what the tag signs of its last commit (docs/protocol.md, Statement). */
import { type Bytes, concat, equalBytes } from "../../../core/encoding/bytes.ts";
import { RECORD_KIND } from "../../../core/sec/records.ts";
import {
  certificateHash,
  type DecodedStatement,
  decodeStatement,
  type TagStatement,
  verifyStatementSignature,
} from "../../../core/sec/statement.ts";
import type { CheckRow } from "../check-row.ts";
import { CLEAR_BYTES, type Desk, LABEL_BYTES, NoSession } from "../desk.ts";
import { keyOf } from "../handshake.ts";
import type { SecSession } from "../session.ts";
import { type Answer, expectCode, isCode, Skipped, seenOf, type Verdict, verdict } from "../types.ts";
import { type CommitStatements, labelStatements, newChallenge } from "./written.ts";

/** The statement, if `answer` is one; else what was seen in its place. */
function read(answer: Answer): DecodedStatement | Verdict {
  if (answer.kind !== "statement") return verdict(false, ...seenOf(answer));
  try {
    return decodeStatement(answer.statement);
  } catch {
    return verdict(false, ...seenOf({ kind: "garbage" }));
  }
}

/** The claims, which another check has seen to be readable. */
function claimsIn(answer: Answer): TagStatement {
  const decoded = read(answer);
  if ("outcome" in decoded) throw new Skipped("noSession", decoded.seen[0]);
  return decoded.statement;
}

async function isSigned(decoded: DecodedStatement, { opened }: SecSession): Promise<boolean> {
  const leaf = opened.peerChain[0] as Bytes;
  if (!equalBytes(decoded.certificateHash, await certificateHash(leaf))) return false;
  return verifyStatementSignature(decoded, await keyOf(leaf));
}

const said = (good: boolean, { operation, commits, challenge }: TagStatement): Verdict =>
  verdict(good, "statement", operation ?? "–", commits, challenge === undefined ? 0 : 1);

const same = (a: Bytes | null | undefined, b: Bytes | null | undefined): boolean =>
  a && b ? equalBytes(a, b) : a === b;

async function receipt(desk: Desk): Promise<Verdict> {
  const { session, receipt: answer } = await labelStatements(desk);
  const decoded = read(answer);
  if ("outcome" in decoded) return decoded;
  const { challenge } = decoded.statement;
  return said((await isSigned(decoded, session)) && challenge === undefined, decoded.statement);
}

async function content(desk: Desk): Promise<Verdict> {
  const { cti, mark, receipt: answer } = await labelStatements(desk);
  const claims = claimsIn(answer);
  const own = claims.deviceId === (await desk.probe.id());
  return said(
    own && same(claims.cti, cti) && same(claims.mark, mark) && claims.operation === "write",
    claims,
  );
}

async function counted(desk: Desk): Promise<Verdict> {
  const { before, receipt: answer } = await labelStatements(desk);
  const claims = claimsIn(answer);
  return verdict(claims.commits === before + 1, "value", `${before} → ${claims.commits}`);
}

/** The answer to a challenge has the claims of the receipt, our challenge, and the tag's signature. */
async function answers(
  session: SecSession,
  answer: Answer,
  { challenge, receipt: first }: Pick<CommitStatements, "challenge" | "receipt">,
): Promise<Verdict> {
  const decoded = read(answer);
  if ("outcome" in decoded) return decoded;
  const { statement } = decoded;
  const { deviceId, cti, mark, operation, commits } = claimsIn(first);
  const alike =
    statement.deviceId === deviceId &&
    same(statement.cti, cti) &&
    same(statement.mark, mark) &&
    statement.operation === operation &&
    statement.commits === commits;
  const echoed = same(statement.challenge, challenge);
  return said(alike && echoed && (await isSigned(decoded, session)), statement);
}

async function asked(desk: Desk): Promise<Verdict> {
  const label = await labelStatements(desk);
  return answers(label.session, label.answers[0] as Answer, label);
}

/** Also shows that the statement survives the end of the session. */
async function later(desk: Desk): Promise<Verdict> {
  const label = await labelStatements(desk);
  const session = await desk.sec();
  const challenge = newChallenge();
  return answers(session, await session.askStatement(challenge), { ...label, challenge });
}

async function tooOften(desk: Desk): Promise<Verdict> {
  const { answers: given } = await labelStatements(desk);
  const unanswered = given.slice(0, -1).find(({ kind }) => kind !== "statement");
  return unanswered ? verdict(false, ...seenOf(unanswered)) : expectCode(given.at(-1) as Answer, "STATE");
}

const outOfState = (desk: Desk): Promise<Verdict> =>
  desk.unchangedBy(LABEL_BYTES, async (session: SecSession) =>
    expectCode(await session.askStatement(newChallenge()), "STATE"),
  );

/** A record that no client could have made: there are no keys yet, and the tag must not try any. */
async function beforeKeys({ probe }: Desk): Promise<Verdict> {
  await probe.fresh();
  const record = concat(Uint8Array.of(RECORD_KIND.challenge), new Uint8Array(35));
  await probe.try(() => probe.send("SEC", "APP", record));
  return expectCode(await probe.receive(), "STATE");
}

async function cleared(desk: Desk): Promise<Verdict> {
  const before = (await desk.sec()).hello.commits;
  const done = await desk.commit(CLEAR_BYTES);
  const { committed } = desk;
  if (!isCode(done, "COMMITTED") || committed === undefined) throw new NoSession(done);
  const decoded = read(await desk.receipt());
  if ("outcome" in decoded) return decoded;
  const { statement } = decoded;
  const own = same(statement.cti, committed.cti) && same(statement.mark, committed.mark);
  return said(own && statement.operation === "clear" && statement.commits === before + 1, statement);
}

async function silent(desk: Desk): Promise<Verdict> {
  const session = await desk.sec();
  session.abandon();
  return expectCode(await session.askStatement(newChallenge()), "STATE");
}

export const STATEMENT_CHECKS = [
  { id: "C75", group: "statement", profile: "2.1", signs: true, run: receipt },
  { id: "C76", group: "statement", profile: "2.1", signs: true, run: content },
  { id: "C77", group: "statement", profile: "2.1", signs: true, run: counted },
  { id: "C78", group: "statement", profile: "2.1", signs: true, run: asked },
  { id: "C79", group: "statement", profile: "2.1", signs: true, run: later },
  { id: "C80", group: "statement", profile: "2.1", signs: true, run: tooOften },
  { id: "C81", group: "statement", profile: "2.1", signs: true, run: outOfState },
  { id: "C82", group: "statement", profile: "2.1", run: beforeKeys },
  { id: "C83", group: "statement", profile: "2.1", signs: true, run: cleared },
  { id: "C84", group: "statement", profile: "2.1", signs: false, run: silent },
] as const satisfies readonly CheckRow[];
