import * as v from "valibot";
import { deviceId, instant, int32, optional, text } from "./fields.ts";

/** The audit log as ground staff read it (rules §5, §8): an addition to the interface. */

/** POST /v2/audit-events. `from` is included, `to` is not; `cursor` is the last answer's `nextCursor`. */
export const AuditEventsRequest = v.object({
  from: optional(instant),
  to: optional(instant),
  uniqueDeviceId: optional(deviceId),
  event: optional(text(64)),
  cursor: optional(v.pipe(v.string(), v.regex(/^[0-9a-z]{1,10}\.[0-9a-z]{1,10}$/))),
});
export type AuditEventsRequest = v.InferOutput<typeof AuditEventsRequest>;

/**
 * One thing that happened. `subject` is a pseudonym, `staffId` who stood there; `reason` says which rule
 * decided, or what staff gave as one. Refusals of one cause within a minute are one event with their `count`.
 */
export const AuditEvent = v.object({
  at: instant,
  event: v.string(),
  requestId: v.string(),
  airline: v.string(),
  uniqueDeviceId: optional(v.string()),
  subject: optional(v.string()),
  clientId: optional(v.string()),
  staffId: optional(v.string()),
  reason: optional(v.string()),
  count: optional(int32(1)),
});
export type AuditEvent = v.InferOutput<typeof AuditEvent>;

/** Newest first. The filters may leave a page short or empty although it has a `nextCursor`. */
export const AuditEventsResponse = v.object({
  events: v.array(AuditEvent),
  nextCursor: optional(v.string()),
});
export type AuditEventsResponse = v.InferOutput<typeof AuditEventsResponse>;
