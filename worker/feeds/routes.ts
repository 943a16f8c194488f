import type { Routes } from "../http/route.ts";
import { takePayload } from "./airline-payload.ts";
import { takeMessages } from "./baggage-messages.ts";

/** What departure control and the airline's own systems send. */
export const feedRoutes = {
  journeysFromAirlinePayload: takePayload,
  baggageSourceMessages: takeMessages,
} satisfies Partial<Routes>;
