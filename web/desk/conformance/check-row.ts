/** What a check is. */
import type { GattVersion } from "../../../core/gatt/profile.ts";
import type { Desk } from "./desk.ts";
import type { Verdict } from "./types.ts";

/** The generation that a check is about; `both` where the two share the rule. */
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
  /** Has an effect that outlives the run: runs only if the person said so. */
  readonly optional?: true;
  readonly run: (desk: Desk) => Promise<Verdict>;
}
