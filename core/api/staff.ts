import * as v from "valibot";
import { optional, text } from "./fields.ts";

/** Which member of staff uses a device that is signed in for all of them (rules §5): an addition to the interface. */

/** A staff id and its PIN, as an operator gave them out. */
export const StaffProof = v.object({
  /** As on the badge; case and spaces do not matter. */
  id: text(32),
  /** The PIN that goes with it. */
  pin: text(64),
});
export type StaffProof = v.InferOutput<typeof StaffProof>;

/** POST /v2/auth/staff-checks; without `staff` it only asks whether this client demands one. */
export const StaffCheckRequest = v.object({
  /** The member of staff. */
  staff: optional(StaffProof),
  /** What for: kept in the audit log. */
  purpose: optional(v.picklist(["set_up", "end_of_shift", "tracing"])),
});
export type StaffCheckRequest = v.InferOutput<typeof StaffCheckRequest>;

/** Whether releases of this client need id and PIN. */
export const StaffCheckResponse = v.object({
  /** Releases of this client need `staff`. */
  pinRequired: v.boolean(),
});
export type StaffCheckResponse = v.InferOutput<typeof StaffCheckResponse>;
