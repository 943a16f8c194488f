import { keyed, said } from "../guards/idempotent-route.ts";
import type { OneTripRoute, Routes } from "../http/route.ts";
import { addBag } from "./baggage-tags.ts";
import { loadBoardingPass } from "./boarding-pass.ts";
import { loadJourney } from "./load.ts";
import { ownJourney, readOwnJourneys } from "./own-journeys.ts";
import { type JourneyRows, viewJourneys } from "./view.ts";

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
  baggageTag: async (ctx, input, http) => {
    const journeyId = http.param("journeyId");
    return said(await addBag(ctx, journeyId, input, await keyed("baggageTag", http, journeyId)), http);
  },
  journeys,
  journey: (ctx, _input, http) => ownJourney(ctx, http.param("journeyId")),
} satisfies Partial<Routes>;
