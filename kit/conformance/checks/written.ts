/**
 * One label for all checks that need one: a display takes its time, and a session one of the few message_1 that a tag
 * allows. What was seen of it is stored, and each check evaluates its part.
 */
import { type Bytes, equalBytes, utf8 } from "../../../core/encoding/bytes.ts";
import { TAG_LIMIT } from "../../../core/gatt/profile.ts";
import type { Info, Status } from "../../../core/gatt/values.ts";
import { type Desk, LABEL_BYTES, type Mark, NoSession, TEST_LABEL } from "../desk.ts";
import type { Probe, ProbeName } from "../probe.ts";
import type { SecSession } from "../session.ts";
import { type Answer, isCode } from "../types.ts";

/** The tag's statements on a commit: in its session, and in answer to challenges. */
export interface CommitStatements {
  readonly session: SecSession;
  readonly cti: Bytes;
  readonly mark: Bytes;
  /** Commits that hello counted before it. */
  readonly before: number;
  readonly receipt: Answer;
  readonly challenge: Bytes;
  /** The answers to one challenge more than a tag must answer; the first is to `challenge`. */
  readonly answers: readonly Answer[];
}

export interface Written {
  /** To the commit; only behind COMMITTED is there more. */
  readonly answer: Answer;
  readonly before: Mark;
  /** Of a tag that signs. */
  readonly statements?: CommitStatements;
  /** On the next connection, before any session. */
  readonly after?: { readonly status: Status; readonly info: Info; readonly revealed: readonly ProbeName[] };
}

/** Runs `make` once in a run, for the first check that asks; the others get the same value. */
export function once<Value>(make: (desk: Desk) => Promise<Value>): (desk: Desk) => Promise<Value> {
  const known = new WeakMap<Desk, { readonly value: Value }>();
  return async (desk) => {
    const { value } = known.get(desk) ?? { value: await make(desk) };
    known.set(desk, { value });
    return value;
  };
}

/** The label of this run, written where it was not yet. */
export const labelled = once(async (desk): Promise<Written> => {
  const before = await desk.mark();
  const answer = await desk.commit(LABEL_BYTES);
  if (!isCode(answer, "COMMITTED")) return { answer, before };
  return { answer, before, ...(await statementsOf(desk, before)), after: await lookAround(desk) };
});

/** The statements on the label of this run. Skips where there are none. */
export async function labelStatements(desk: Desk): Promise<CommitStatements> {
  const { answer, statements } = await labelled(desk);
  if (statements === undefined) throw new NoSession(answer);
  return statements;
}

async function statementsOf(desk: Desk, { commits }: Mark): Promise<Pick<Written, "statements">> {
  if (!(await desk.probe.signs()) || desk.committed === undefined || commits === undefined) return {};
  const { cti, mark } = desk.committed;
  const receipt = await desk.receipt();
  const session = await desk.committedSec();
  const challenge = newChallenge();
  const answers = [await session.askStatement(challenge)];
  while (answers.length <= TAG_LIMIT.challenges) answers.push(await session.askStatement(newChallenge()));
  return { statements: { session, cti, mark, before: commits, receipt, challenge, answers } };
}

export const newChallenge = (): Bytes => crypto.getRandomValues(new Uint8Array(16));

async function lookAround(desk: Desk): Promise<Required<Written>["after"]> {
  const { probe } = desk;
  await probe.fresh();
  const [status, info] = [await probe.status(), await probe.info()];
  // Before a session SEC has nothing due.
  const names: readonly ProbeName[] = (await desk.isV21()) ? [...READABLE, "SEC"] : READABLE;
  return { status, info, revealed: await revealing(probe, names) };
}

export const READABLE: readonly ProbeName[] = [
  "INFO",
  "ID",
  "NONCE",
  "STATUS",
  "LEVEL",
  "MANUFACTURER",
  "MODEL",
  "FIRMWARE",
];

/** Those of `names` that reveal any of the test label. */
export async function revealing(probe: Probe, names: readonly ProbeName[]): Promise<ProbeName[]> {
  const found: ProbeName[] = [];
  for (const name of names) if (reveals(await probe.read(name))) found.push(name);
  return found;
}

/** Whether `value` reveals any of the label: in clear, or as digits packed two to a byte. */
function reveals(value: Uint8Array): boolean {
  const { licencePlate, name, destinationCity, segments } = TEST_LABEL;
  const packed = Uint8Array.from(licencePlate.match(/../g) ?? [], (two) => Number.parseInt(two, 16));
  const secrets = [licencePlate, name, destinationCity, segments[0].flight].map(utf8);
  return [...secrets, packed].some((secret) => contains(value, secret));
}

function contains(value: Uint8Array, part: Uint8Array): boolean {
  for (let at = 0; at + part.length <= value.length; at++) {
    if (equalBytes(value.slice(at, at + part.length), part)) return true;
  }
  return false;
}
