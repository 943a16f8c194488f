import * as audit from "./audit.ts";
import type { Call } from "./calls.ts";
import * as feeds from "./feeds.ts";
import * as outcomes from "./outcomes.ts";
import * as traces from "./traces.ts";

/** The POST endpoints of others: of an airline's own systems, and of reports without a session. */
export const otherCalls = {
  foundReport: { path: "/v2/found-reports", response: traces.FoundReportResponse },
  outcomes: { path: "/v2/outcomes", response: outcomes.OutcomesResponse },
  journeysFromAirlinePayload: {
    path: "/v2/journeys/from-airline-payload",
    response: feeds.JourneysFromAirlinePayloadResponse,
  },
  baggageSourceMessages: {
    path: "/v2/baggage-source-messages",
    response: feeds.BaggageSourceMessagesResponse,
  },
  auditEvents: { path: "/v2/audit-events", response: audit.AuditEventsResponse },
  events: { path: "/v2/events", response: audit.EventsResponse },
} as const satisfies Record<string, Call>;
