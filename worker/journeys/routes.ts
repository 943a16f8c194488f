import { oneTrip, type Routes } from "../http/route.ts";
import { addBag } from "./baggage-tags.ts";
import { loadBoardingPass } from "./boarding-pass.ts";
import { loadJourney } from "./load.ts";
import { ownJourney, readOwnJourneys } from "./own-journeys.ts";
import { viewJourneys } from "./view.ts";

/** Journeys of the caller. */
export const journeyRoutes = {
  journeyFromRecordLocator: loadJourney,
  journeyFromBcbp: loadBoardingPass,
  baggageTag: addBag,
  journeys: oneTrip("journeys", {
    reads: readOwnJourneys,
    answer: async (ctx, rows) => ({ journeys: [...(await viewJourneys(ctx, rows))] }),
  }),
  journey: (ctx, _input, http) => ownJourney(ctx, http.param("journeyId")),
} satisfies Partial<Routes>;
