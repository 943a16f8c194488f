import type { OneTripRoute, Routes } from "../route.ts";
import { takePayload } from "../services/airline-payload.ts";
import { takeMessages } from "../services/baggage-messages.ts";
import { addBag } from "../services/baggage-tags.ts";
import { loadBoardingPass } from "../services/boarding-pass.ts";
import { loadJourney } from "../services/journey-load.ts";
import { type JourneyRows, viewJourneys } from "../services/journey-view.ts";
import { ownJourney, readOwnJourneys } from "../services/own-journeys.ts";
import { keyed, said } from "./idempotent.ts";

const journeys: OneTripRoute<"journeys"> = {
  reads: readOwnJourneys,
  answer: async (ctx, _input, rows) => ({
    journeys: [...(await viewJourneys(ctx, rows as unknown as JourneyRows))],
  }),
};

/** Journeys of the caller. */
export const journeyRoutes = {
  journeyFromRecordLocator: loadJourney,
  journeyFromBcbp: loadBoardingPass,
  journeysFromAirlinePayload: takePayload,
  baggageSourceMessages: takeMessages,
  baggageTag: async (ctx, input, http) => {
    const journeyId = http.param("journeyId");
    return said(await addBag(ctx, journeyId, input, await keyed("baggageTag", http, journeyId)), http);
  },
  journeys,
  journey: (ctx, _input, http) => ownJourney(ctx, http.param("journeyId")),
} satisfies Partial<Routes>;
