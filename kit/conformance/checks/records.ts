/**
 * C55–C60: protected records and their place (docs/protocol.md, Records). Each of them ends a session: of a commit where
 * that proves as much, for those are made anyway.
 */
import { payloadDigest } from "../../../core/bag/payload.ts";
import { expectCode, expectDead } from "../answers.ts";
import type { CheckRow } from "../check-row.ts";
import { type Desk, LABEL_BYTES, NoSession } from "../desk.ts";
import { SecSession } from "../session.ts";
import { type Verdict, verdict } from "../types.ts";

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
