import * as v from "valibot";
import { AUDITED_EVENTS, BAG_EVENT_NAMES, LOCK_EVIDENCE } from "./events.ts";
import { base64UrlText, deviceId, instant, int32, namedDevice, optional } from "./fields.ts";

/** The audit log as ground staff read it (rules §5, §8): an addition to the interface. */

const eventName = v.pipe(v.string(), v.maxLength(64), v.metadata({ knownValues: AUDITED_EVENTS }));

const sealedCursor = v.pipe(base64UrlText(200), v.nonEmpty());

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
  cursor: optional(sealedCursor),
});
export type AuditEventsRequest = v.InferOutput<typeof AuditEventsRequest>;

/** The bag that an event is about, as it was then. */
const bag = {
  /** The journey's id with the service. */
  journeyId: optional(v.string()),
  /** The bag's number with the service. */
  baggageId: optional(int32(1)),
  /** Ten digits (IATA Resolution 740). */
  licencePlate: optional(v.string()),
  /** The evidence for the lock (docs/listen.md). */
  evidence: optional(v.picklist(LOCK_EVIDENCE)),
};

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
  /** Which rule decided, what staff gave as a reason, or the minute that is counted. */
  reason: optional(v.string()),
  /** How many refusals of one cause, or how many reads, within a minute this event stands for. */
  count: optional(int32(1)),
  ...bag,
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

/** POST /v2/events: what happened to bags and tags, oldest first. */
export const EventsRequest = v.object({
  /** The last answer's `cursor`. Without one, the feed begins with the oldest event that is kept. */
  cursor: optional(sealedCursor),
  /** Where to begin without a cursor: at this instant, or up to five minutes before. */
  from: optional(instant),
  /** At most so many events, 100 unless it says otherwise. */
  limit: optional(v.pipe(int32(1), v.maxValue(500))),
});
export type EventsRequest = v.InferOutput<typeof EventsRequest>;

/** One thing that happened to a bag or a tag. */
export const BagEvent = v.object({
  /** The same at each delivery: a listener may receive an event more than once. */
  id: v.string(),
  /** When. */
  at: instant,
  /** What. */
  event: v.pipe(v.string(), v.metadata({ knownValues: BAG_EVENT_NAMES })),
  /** IATA designator of the airline that receives the event. */
  airline: v.string(),
  uniqueDeviceId: optional(namedDevice),
  ...bag,
  /**
   * What a sorter must know of it: a baggage source message as docs/feed.md describes it, `BSM` to `ENDBSM`. For readers with
   * the scope `baggage:message` alone; made when it is delivered, and absent where the booking is erased.
   */
  baggageMessage: optional(v.string()),
});
export type BagEvent = v.InferOutput<typeof BagEvent>;

/** Oldest first: the events of one tag come in the order in which they happened. */
export const EventsResponse = v.object({
  /** Oldest first; there may be none although there is `more`. */
  events: v.array(BagEvent),
  /** Where to go on: send it as `cursor`. Keep it only once the events are safe. */
  cursor: v.string(),
  /** Whether there is more to read now. */
  more: v.boolean(),
  /** Set where events may have gone from the service before they were read, or come again: `/v2/audit-events` and the archive have them. */
  missed: optional(v.boolean()),
});
export type EventsResponse = v.InferOutput<typeof EventsResponse>;

/** What a webhook is sent: up to 100 events, oldest first (docs/listen.md). */
export const BagEventsMessage = v.object({
  /** Always `bag.events`. */
  type: v.literal("bag.events"),
  /** When the newest of the events happened. */
  timestamp: instant,
  /** The events. */
  data: v.object({
    /** Oldest first; none where the message only says that some were missed. */
    events: v.array(BagEvent),
    /** Set where events went to the archive before they could be sent: `/v2/audit-events` has them. */
    missed: optional(v.literal(true)),
  }),
});
export type BagEventsMessage = v.InferOutput<typeof BagEventsMessage>;
