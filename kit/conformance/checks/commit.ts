/** C55–C60: protected records and their place; C61–C66: commits that must be refused (docs/protocol.md, Records, States and Payload). */
import { encodePayload, payloadDigest } from "../../../core/bag/payload.ts";
import { type Bytes, utf8 } from "../../../core/encoding/bytes.ts";
import type { StatusName } from "../../../core/gatt/profile.ts";
import type { TransactionTokenRequest } from "../../../sdk/index.ts";
import type { CheckRow } from "../check-row.ts";
import { CLEAR_BYTES, type Desk, LABEL_BYTES, NoSession, TEST_LABEL } from "../desk.ts";
import { type Deviation, SecSession } from "../session.ts";
import { expectCode, expectDead, type Verdict, verdict } from "../types.ts";

const OTHER_BYTES = encodePayload({ ...TEST_LABEL, licencePlate: "0000242424" });
const GARBAGE: Bytes = utf8("this is no payload");

interface Delivery {
  /** What the token allows. */
  readonly allowed: Bytes;
  readonly tokenRequest?: Partial<TransactionTokenRequest>;
  /** What is delivered in its place. */
  readonly delivered: Bytes;
  readonly deviation?: Deviation;
}

/**
 * The tag must refuse the commit with `code`, and be unchanged on the next connection. A low battery is refused before
 * what a tag checks of the payload.
 */
const refused = (desk: Desk, code: StatusName, { allowed, tokenRequest, delivered, deviation }: Delivery) => {
  if (code !== "OFFSET") desk.requireBattery();
  return desk.unchangedBy(
    allowed,
    async (session) => {
      const answer = await session.deliver(delivered, await payloadDigest(delivered), deviation);
      return expectCode(await desk.unlessLow(answer), code);
    },
    tokenRequest,
  );
};

const exchanged = (desk: Desk) => refused(desk, "DIGEST", { allowed: LABEL_BYTES, delivered: OTHER_BYTES });

const total = (desk: Desk) =>
  refused(desk, "OFFSET", {
    allowed: LABEL_BYTES,
    delivered: LABEL_BYTES,
    deviation: { total: LABEL_BYTES.length + 1 },
  });

const offset = (desk: Desk) =>
  refused(desk, "OFFSET", { allowed: LABEL_BYTES, delivered: LABEL_BYTES, deviation: { offset: 1 } });

const garbage = (desk: Desk) => refused(desk, "STORAGE", { allowed: GARBAGE, delivered: GARBAGE });

/** The reverse cannot be tested: for a clear, the service permits only the clear payload. */
const operation = (desk: Desk) =>
  refused(desk, "DIGEST", {
    allowed: CLEAR_BYTES,
    tokenRequest: { operation: "write" },
    delivered: CLEAR_BYTES,
  });

const lost = (desk: Desk): Promise<Verdict> =>
  desk.unchangedBy(OTHER_BYTES, async (session) => {
    await session.stage(OTHER_BYTES);
    return verdict(true, "displayKept");
  });

export const COMMIT_CHECKS = [
  { id: "C61", group: "commit", profile: "both", run: exchanged },
  { id: "C62", group: "commit", profile: "2.1", run: total },
  { id: "C63", group: "commit", profile: "2.1", run: offset },
  { id: "C64", group: "commit", profile: "both", run: garbage },
  { id: "C65", group: "commit", profile: "both", run: operation },
  { id: "C66", group: "commit", profile: "both", run: lost },
] as const satisfies readonly CheckRow[];

// Each of the checks of records ends a session: of a commit where that proves as much, for those are made anyway.

/** The tag answers nothing more, not even a record that would be valid without the one before. */
async function expectOver(session: SecSession): Promise<Verdict> {
  const first = await session.next();
  return expectDead(first.kind === "silence" ? await session.askFresh() : first);
}

/** Repeats the commit, which every session has: a tag that accepts it twice shows it twice, or answers that it is too late. */
async function replayed(desk: Desk): Promise<Verdict> {
  const session = await desk.committedSec();
  await session.repeat();
  return expectOver(session);
}

/** Drops the rest of a payload between token and commit, as writes without response may. */
const reordered = (desk: Desk): Promise<Verdict> =>
  desk.unchangedBy(LABEL_BYTES, async (session: SecSession) => {
    const { length } = LABEL_BYTES;
    await session.stage(LABEL_BYTES);
    await session.seal({ kind: "data", offset: length >> 1, data: LABEL_BYTES.slice(length >> 1) });
    const sha256 = await payloadDigest(LABEL_BYTES);
    await session.sendSealed("SEC", await session.seal({ kind: "commit", sha256, total: length }));
    return expectOver(session);
  });

async function changed(desk: Desk): Promise<Verdict> {
  const session = await desk.committedSec();
  const record = await session.seal({ kind: "fresh" });
  await session.sendSealed("SEC", record.with(-1, (record.at(-1) ?? 0) ^ 1));
  return expectDead(await session.next());
}

async function unauthorized(desk: Desk): Promise<Verdict> {
  const session = await desk.session();
  if (!(session instanceof SecSession))
    return expectCode(await (await desk.newSession()).deliver(LABEL_BYTES, new Uint8Array(32)), "STATE");
  // Behind a refused token a tag drops data silently, until something else comes.
  const fresh = await session.askFresh();
  if (fresh.kind !== "app") throw new NoSession(fresh);
  session.abandon();
  await session.sendSealed("DATA", await session.seal({ kind: "data", offset: 0, data: LABEL_BYTES }));
  return expectCode(await session.next(), "STATE");
}

/** Sends it in the one state in which DATA would accept it. */
const misplaced = (desk: Desk): Promise<Verdict> =>
  desk.unchangedBy(LABEL_BYTES, async (session: SecSession) => {
    await session.sendSealed("SEC", await session.seal({ kind: "data", offset: 0, data: LABEL_BYTES }));
    return expectCode(await session.next(), "STATE");
  });

async function aborted(desk: Desk): Promise<Verdict> {
  const session = await desk.committedSec();
  await session.sendSealed("SEC", await session.seal({ kind: "abort" }));
  await session.sendSealed("SEC", await session.seal({ kind: "fresh" }));
  const dead = expectDead(await session.next());
  return dead.outcome === "pass" ? verdict(true, "gone") : dead;
}

export const RECORD_CHECKS = [
  { id: "C55", group: "record", profile: "2.1", run: replayed },
  { id: "C56", group: "record", profile: "2.1", run: reordered },
  { id: "C57", group: "record", profile: "2.1", run: changed },
  { id: "C58", group: "record", profile: "both", run: unauthorized },
  { id: "C59", group: "record", profile: "2.1", run: misplaced },
  { id: "C60", group: "record", profile: "2.1", run: aborted },
] as const satisfies readonly CheckRow[];
