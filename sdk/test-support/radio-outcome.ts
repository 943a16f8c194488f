/** What may have come of a job over the radio, and what must hold whatever came. */
import type { LabelPayload } from "../../core/bag/payload.ts";
import { type Bytes, equalBytes } from "../../core/encoding/bytes.ts";
import type { TagSnapshot } from "../../sim/tag/tag-types.ts";
import { isTaglatchError, type TaglatchError } from "../errors.ts";
import type { Result, TransferResult } from "../types.ts";
import type { RadioScene } from "./radio-scene.ts";

/** What a outcomeOfJob looks at. */
type ObservedScene = Pick<RadioScene, "tag" | "service" | "events" | "choosers">;

/** A failure that left the tag as it was is "unchanged" when it says so by its code; all others name theirs. */
export type JobOutcome = "committed" | "pending" | `failed ${string}`;

export interface Expected {
  readonly before: TagSnapshot;
  /** SHA-256 of what was to be shown. */
  readonly digest: Bytes;
  readonly shown: LabelPayload | null;
}

/** The outcome's name. Throws where the job broke a rule; call it after the scene has settled. */
export function outcomeOfJob(
  scene: ObservedScene,
  result: Result<TransferResult>,
  expected: Expected,
): JobOutcome {
  const after = scene.tag.snapshot();
  const { before } = expected;
  must(scene.choosers() === 1, `the chooser opened ${scene.choosers()} times`);
  must(after.state !== "COMMITTING", "the tag is still at work");
  const commits = after.commits - before.commits;
  must(commits === 0 || commits === 1, `${commits} commits`);
  checkDisplay(scene, expected, commits);
  if (result.ok) {
    must(commits === 1, "ok without a commit");
    must(
      after.lastDigest !== null && equalBytes(after.lastDigest, expected.digest),
      "ok, but the tag committed something else",
    );
    checkService(scene, expected);
    return result.value.pendingRetry ? "pending" : "committed";
  }
  const { error } = result;
  must(isTyped(error), `an untyped failure: ${String(error)}`);
  must(
    commits === 0 || error.code === "outcome_unknown",
    `failed with ${error.code}, but the tag has changed`,
  );
  must(
    scene.service.locks.size === (before.display.content === null ? 0 : 1),
    "failed, but the lock changed",
  );
  return `failed ${error.code}`;
}

/** The display was only ever old or new, and new only once the tag said COMMITTED. */
function checkDisplay(scene: ObservedScene, { before, shown }: Expected, commits: number): void {
  const old = before.display.content;
  const after = scene.tag.snapshot().display;
  must(same(after.content, commits === 0 ? old : shown), "the display shows something else");
  must(after.state !== "REFRESHING", "the display never finished");
  for (const event of scene.events)
    if (event.type === "display")
      must(same(event.content, old) || same(event.content, shown), "the display showed a third thing");
  const committed = scene.events.filter((event) => event.type === "state" && event.to === "COMMITTED").length;
  must(committed === scene.tag.snapshot().commits, "the display changed without COMMITTED");
}

/** Once the outbox had its turn, the service knows what the tag shows. */
function checkService({ service }: ObservedScene, { shown }: Expected): void {
  must(service.locks.size === (shown === null ? 0 : 1), "the service got no report");
}

function isTyped(error: unknown): error is TaglatchError {
  return isTaglatchError(error) && error.code !== "internal";
}

function same(a: unknown, b: unknown): boolean {
  return JSON.stringify(a) === JSON.stringify(b);
}

function must(holds: boolean, otherwise: string): asserts holds {
  if (!holds) throw new Error(otherwise);
}
