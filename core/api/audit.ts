import * as v from "valibot";
import { AUDITED_EVENTS } from "./events.ts";
import { deviceId, instant, int32, namedDevice, optional } from "./fields.ts";

/** The audit log as ground staff read it (rules §5, §8): an addition to the interface. */

const eventName = v.pipe(v.string(), v.maxLength(64), v.metadata({ knownValues: AUDITED_EVENTS }));

/** POST /v2/audit-events. */
export const AuditEventsRequest = v.object({
  /** This instant and later. */
  from: optional(instant),
  /** Before this instant. */
  to: optional(instant),
  uniqueDeviceId: optional(deviceId),
  /** Events of this name alone. */
  event: optional(eventName),
  /** The last answer's `nextCursor`. */
  cursor: optional(v.pipe(v.string(), v.regex(/^[0-9a-z]{1,10}\.[0-9a-z]{1,10}$/))),
});
export type AuditEventsRequest = v.InferOutput<typeof AuditEventsRequest>;

/** One thing that happened. */
export const AuditEvent = v.object({
  /** When. */
  at: instant,
  /** What. */
  event: eventName,
  /** `X-Request-Id` of the request, or that of a scheduled run. */
  requestId: v.string(),
  /** IATA designator of the airline whose staff may read it. */
  airline: v.string(),
  uniqueDeviceId: optional(namedDevice),
  /** Who did it: a pseudonym. */
  subject: optional(v.string()),
  /** The client they used. */
  clientId: optional(v.string()),
  /** Which member of staff stood there. */
  staffId: optional(v.string()),
  /** Which rule decided, or what staff gave as a reason. */
  reason: optional(v.string()),
  /** How many refusals of one cause within a minute this event stands for. */
  count: optional(int32(1)),
});
export type AuditEvent = v.InferOutput<typeof AuditEvent>;

/** Newest first. The filters may leave a page short or empty although it has a `nextCursor`. */
export const AuditEventsResponse = v.object({
  /** Newest first. */
  events: v.array(AuditEvent),
  /** There may be older events: send it as `cursor`. */
  nextCursor: optional(v.string()),
});
export type AuditEventsResponse = v.InferOutput<typeof AuditEventsResponse>;
