/** The tag's signed word on a report. */
import { toBase64, toBase64Url } from "../../../core/encoding/bytes.ts";
import { type Report, type ReportWord, reportChallenge } from "../../../core/sec/report.ts";
import { sleep } from "../../../sdk/index.ts";
import { handshake } from "./handshake.ts";
import { type Bench, Probe } from "./probe.ts";
import { SecSession } from "./session.ts";
import { Skipped } from "./types.ts";

/** A tag that the run has locked opens after 30 s. */
const LOCKED = { pause: 2_000, attempts: 20 } as const;

/** Asks the tag to sign `report`, in a session of its own. Undefined where it does not. Throws `cancelled`. */
export async function wordOn(
  report: Report,
  bench: Bench,
  signal: AbortSignal,
): Promise<ReportWord | undefined> {
  const probe = new Probe(bench, signal);
  try {
    await unlocked(probe);
    const opened = await handshake(probe);
    if ("at" in opened) return undefined;
    const answer = await new SecSession(probe, opened).askWord(await reportChallenge(report));
    const [certificate] = opened.peerChain;
    if (answer.kind !== "statement" || certificate === undefined) return undefined;
    return { certificate: toBase64(certificate), statement: toBase64Url(answer.statement) };
  } catch (error) {
    if (signal.aborted) throw error;
    return undefined;
  } finally {
    probe.close();
  }
}

async function unlocked(probe: Probe): Promise<void> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await probe.fresh();
    } catch (error) {
      if (!(error instanceof Skipped) || attempt === LOCKED.attempts) throw error;
      await sleep(probe.bench.pause ?? LOCKED.pause, probe.signal);
    }
  }
}
