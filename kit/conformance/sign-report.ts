/** The tag's statement on a report. */
import { toBase64, toBase64Url } from "../../core/encoding/bytes.ts";
import { type Report, type ReportWord, reportChallenge } from "../../core/sec/report.ts";
import { sleep } from "../../sdk/index.ts";
import type { Desk } from "./desk.ts";
import type { SecSession } from "./session.ts";
import { Skipped } from "./types.ts";

/** A tag that the run has locked opens after 30 s. */
const LOCKED = { pause: 2_000, attempts: 20 } as const;

/** Asks the tag to sign `report`, in the session that the run left. Undefined where it does not. Throws `cancelled`. */
export async function signReport(report: Report, desk: Desk): Promise<ReportWord | undefined> {
  const { signal } = desk.probe;
  try {
    const session = await unlocked(desk);
    const answer = await session.askStatement(await reportChallenge(report));
    const [certificate] = session.opened.peerChain;
    if (answer.kind !== "statement" || certificate === undefined) return undefined;
    return { certificate: toBase64(certificate), statement: toBase64Url(answer.statement) };
  } catch (error) {
    if (signal.aborted) throw error;
    return undefined;
  }
}

async function unlocked(desk: Desk): Promise<SecSession> {
  const { bench, signal } = desk.probe;
  for (let attempt = 1; ; attempt++) {
    try {
      await desk.probe.connected();
      return await desk.statementSession();
    } catch (error) {
      if (!(error instanceof Skipped) || attempt === LOCKED.attempts) throw error;
      await sleep(bench.pause ?? LOCKED.pause, signal);
    }
  }
}
