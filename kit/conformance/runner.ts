/** Runs the table against one tag: one check after the other, each with its time; none stops the next. */

import { fromUtf8 } from "../../core/encoding/bytes.ts";
import { ValueError } from "../../core/gatt/values.ts";
import { asTaglatchError, BluetoothError, orCancelled, within } from "../../sdk/index.ts";
import { type CheckRow, whyNot, writes } from "./check-row.ts";
import type { CheckId } from "./checks.ts";
import { Desk } from "./desk.ts";
import { type Bench, Probe } from "./probe.ts";
import { NotPermitted, Skipped, type Verdict, verdict } from "./types.ts";

/** A display may take a minute, and a tag may make us wait for its message_1 allowance. */
const CHECK_TIMEOUT = 180_000;

export interface CheckResult extends Verdict {
  readonly id: CheckId;
  /** Milliseconds. */
  readonly took: number;
}

/** The tag that was checked. What could not be read is empty. */
export interface TagFacts {
  readonly name: string;
  readonly id: string;
  readonly generation: string;
  /** Whether it served v2.0 when the run began. */
  readonly servesV20: boolean;
  readonly firmware: string;
  /** Whether it gives signed statements. */
  readonly signs: boolean;
}

export interface RunOptions {
  readonly signal: AbortSignal;
  /** Also runs the checks with an effect that outlives the run. */
  readonly optional: boolean;
  readonly onTag: (facts: TagFacts) => void;
  readonly onStart: (id: CheckId) => void;
  readonly onResult: (result: CheckResult) => void;
  /** Behind the last check, while its session may still be open. */
  readonly onEnd?: (desk: Desk) => Promise<void>;
}

type Row = CheckRow & { readonly id: CheckId };

/** The tag is another person's: no check that writes could run, and a report would say nothing of the tag. */
const HELD: ReadonlySet<string> = new Set(["custody_proof_required", "device_lost"]);

/**
 * Throws `cancelled`, BluetoothError if the tag cannot be reached at all, and the service's refusal (ServiceError) if the
 * tag is locked to another person and `rows` write. The connection is closed then.
 */
export async function runChecks(
  rows: readonly Row[],
  bench: Bench,
  options: RunOptions,
): Promise<CheckResult[]> {
  const probe = new Probe(bench, options.signal);
  const desk = new Desk(probe);
  const results: CheckResult[] = [];
  try {
    await probe.connected();
    const facts = await factsOf(probe);
    options.onTag(facts);
    if (rows.some(writes)) await requireUnlocked(desk);
    for (const row of rows) {
      options.onStart(row.id);
      const began = performance.now();
      const result = await orCancelled(options.signal, oneCheck(row, desk, { ...options, ...facts }));
      results.push({ id: row.id, ...result, took: Math.round(performance.now() - began) });
      options.onResult(results.at(-1) as CheckResult);
    }
    await options.onEnd?.(desk);
    return results;
  } finally {
    probe.close();
  }
}

async function requireUnlocked(desk: Desk): Promise<void> {
  try {
    await desk.permittedToClear();
  } catch (error) {
    if (error instanceof NotPermitted && HELD.has(error.code)) throw error.cause ?? error;
    // The checks that need a token say why they have none.
    if (!(error instanceof Skipped)) throw error;
  }
}

async function factsOf(probe: Probe): Promise<TagFacts> {
  // Even a tag that cannot give its id gets a report: its checks show what is wrong.
  const text = (value: Promise<string>) => value.catch(() => "");
  return {
    name: probe.bench.link.name,
    id: await text(probe.id()),
    generation: await text(probe.generation()),
    servesV20: await probe.servesV20().catch(() => false),
    firmware: await text(probe.read("FIRMWARE").then(fromUtf8)),
    signs: await probe.signs().catch(() => false),
  };
}

async function oneCheck(
  row: Row,
  desk: Desk,
  { optional, signal, servesV20 }: RunOptions & Pick<TagFacts, "servesV20">,
): Promise<Verdict> {
  // If the link falls by itself, the check is tried once more, from the start.
  for (let attempt = 1; ; attempt++) {
    try {
      const [generation, signs] = [await desk.probe.generation(), await desk.probe.signs()];
      const reason = whyNot(row, { generation, servesV20, signs, optional });
      if (reason !== undefined) return { outcome: "skip", seen: reason };
      const late = () => new BluetoothError("timeout", "the check took too long");
      return await within(CHECK_TIMEOUT, signal, row.run(desk), late);
    } catch (error) {
      if (signal.aborted) throw error;
      if (error instanceof Skipped) return { outcome: "skip", seen: error.reason };
      desk.probe.close();
      if (error instanceof BluetoothError && attempt === 1) continue;
      return failed(error);
    }
  }
}

/**
 * A tag that we cannot follow has failed: shown with a code if there is one, else with the name of the error.
 */
function failed(error: unknown): Verdict {
  if (error instanceof TypeError || error instanceof RangeError) throw error;
  if (error instanceof ValueError) return verdict(false, "failed", error.message);
  const known = error instanceof Error && "code" in error && typeof error.code === "string";
  return verdict(false, "failed", known ? (error.code as string) : asTaglatchError(error).code);
}
