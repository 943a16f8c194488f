/** C55–C60: protected records and their place (docs/protocol.md, Records). Each of them ends a session. */
import { type Bytes, concat } from "../../../../core/encoding/bytes.ts";
import { expectCode, expectDead } from "../answers.ts";
import type { CheckRow } from "../check-row.ts";
import { type Desk, LABEL_BYTES } from "../desk.ts";
import type { SecSession } from "../session.ts";
import { type Verdict, verdict } from "../types.ts";

/** Sends records in a session of its own and waits for the answer. */
async function after(desk: Desk, send: (session: SecSession) => Promise<void>) {
  const session = await desk.newSec();
  session.abandon();
  await send(session);
  return session.next();
}

async function replayed(desk: Desk): Promise<Verdict> {
  const session = await desk.newSec();
  session.abandon();
  const record = await session.seal({ kind: "fresh" });
  await session.sendSealed("SEC", record);
  const first = await session.next();
  if (first.kind !== "app") return expectDead(first);
  await session.sendSealed("SEC", record);
  return expectDead(await session.next());
}

async function reordered(desk: Desk): Promise<Verdict> {
  return expectDead(
    await after(desk, async (session) => {
      await session.seal({ kind: "fresh" });
      await session.sendSealed("SEC", await session.seal({ kind: "fresh" }));
    }),
  );
}

async function changed(desk: Desk): Promise<Verdict> {
  return expectDead(
    await after(desk, async (session) => {
      const record = await session.seal({ kind: "fresh" });
      const spoilt: Bytes = concat(record.slice(0, -1), Uint8Array.of((record.at(-1) ?? 0) ^ 1));
      await session.sendSealed("SEC", spoilt);
    }),
  );
}

async function unauthorised(desk: Desk): Promise<Verdict> {
  if (await desk.isV21()) {
    return expectCode(
      await after(desk, async (session) =>
        session.sendSealed("DATA", await session.seal({ kind: "data", offset: 0, data: LABEL_BYTES })),
      ),
      "STATE",
    );
  }
  const session = await desk.newSession();
  return expectCode(await session.deliver(LABEL_BYTES, new Uint8Array(32)), "STATE");
}

async function misplaced(desk: Desk): Promise<Verdict> {
  const answer = await after(desk, async (session) =>
    session.sendSealed("SEC", await session.seal({ kind: "data", offset: 0, data: LABEL_BYTES })),
  );
  return expectCode(answer, "STATE");
}

async function aborted(desk: Desk): Promise<Verdict> {
  const session = await desk.newSec();
  session.abandon();
  await session.sendSealed("SEC", await session.seal({ kind: "abort" }));
  await session.sendSealed("SEC", await session.seal({ kind: "fresh" }));
  const dead = expectDead(await session.next());
  return dead.outcome === "pass" ? verdict(true, "gone") : dead;
}

export const RECORD_CHECKS = [
  { id: "C55", group: "record", profile: "2.1", run: replayed },
  { id: "C56", group: "record", profile: "2.1", run: reordered },
  { id: "C57", group: "record", profile: "2.1", run: changed },
  { id: "C58", group: "record", profile: "both", run: unauthorised },
  { id: "C59", group: "record", profile: "2.1", run: misplaced },
  { id: "C60", group: "record", profile: "2.1", run: aborted },
] as const satisfies readonly CheckRow[];
