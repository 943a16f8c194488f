/** What a check is. */
import type { GattVersion } from "../../core/gatt/profile.ts";
import type { Desk } from "./desk.ts";
import type { Seen, SeenKey } from "./seen.ts";
import type { CheckOutcome, Verdict } from "./types.ts";

/** The generation that a check is about: a tag may serve both. `both` where the two share the rule. */
export type Profile = GattVersion | "both";

export type Group =
  | "gatt"
  | "frames"
  | "handshake"
  | "session"
  | "label"
  | "token"
  | "record"
  | "commit"
  | "statement"
  | "v20"
  | "end";

/** One row of the table of checks. An `id` never changes its meaning and is never reused. */
export interface CheckRow {
  readonly id: `C${number}`;
  readonly group: Group;
  readonly profile: Profile;
  /** Only for tags that sign statements, or only for those that do not (caps bit 2). */
  readonly signs?: boolean;
  /** Has an effect that outlives the run: runs only if the person allowed it. */
  readonly optional?: true;
  readonly run: (desk: Desk) => Promise<Verdict>;
}

/** What decides which checks a run is about. */
export interface Scope {
  readonly generation: string;
  /** Whether the tag served v2.0 when the run began: its first v2.1 commit ends that. */
  readonly servesV20: boolean;
  readonly signs: boolean;
  /** Whether checks with an effect that outlives the run were asked for. */
  readonly optional: boolean;
}

/** Why a check does not apply; undefined where it does. */
export function whyNot(row: CheckRow, { generation, servesV20, signs, optional }: Scope): Seen | undefined {
  if (row.optional && !optional) return ["optedOut"];
  const isServed = row.profile === "2.0" ? servesV20 : row.profile === generation;
  if (row.profile !== "both" && !isServed) return ["generation", row.profile];
  if (row.signs !== undefined && row.signs !== signs) return ["signs", row.signs ? 1 : 0];
  return undefined;
}

const NOT_APPLYING: ReadonlySet<SeenKey> = new Set([
  ...(["optedOut", "generation", "signs", "knows", "responses", "hidden", "unseen"] as const),
]);

/** Whether a check applies to the tag: one that was skipped for another reason should have run. */
export const applied = ({ outcome, seen: [key] }: Verdict): boolean =>
  outcome !== "skip" || !NOT_APPLYING.has(key);

/** Of the checks that apply: `skip` should have run and tested nothing. */
export interface Counts {
  readonly applies: number;
  readonly pass: number;
  readonly fail: number;
  readonly skip: number;
}

export function countsOf(results: readonly Verdict[]): Counts {
  const about = results.filter(applied);
  const count = (outcome: CheckOutcome) => about.filter((result) => result.outcome === outcome).length;
  return { applies: about.length, pass: count("pass"), fail: count("fail"), skip: count("skip") };
}

/** Groups whose checks leave the display alone, and need no token of the service. */
const WITHOUT_WRITING: ReadonlySet<Group> = new Set(["gatt", "frames", "handshake", "session", "v20"]);

/** Whether the service must allow this client to write the tag. */
export const writes = ({ group }: CheckRow): boolean => !WITHOUT_WRITING.has(group);

/** The rows of one group, as {@link rowsNamed}. Without a group, all. */
export function rowsOf<Row extends CheckRow>(rows: readonly Row[], group: Group | undefined): readonly Row[] {
  return group === undefined ? rows : rowsNamed(rows, [group]);
}

/** The rows that `names` have, as groups or ids, and the clear where one of them writes: a tag is left blank. */
export function rowsNamed<Row extends CheckRow>(
  rows: readonly Row[],
  names: readonly string[],
): readonly Row[] {
  const isNamed = ({ id, group }: Row) => names.includes(group) || names.includes(id);
  const clears = rows.some((row) => isNamed(row) && writes(row));
  return rows.filter((row) => isNamed(row) || (clears && row.group === "end"));
}
