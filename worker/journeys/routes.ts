import type { Routes } from "../http/route.ts";
import { addBag } from "./baggage-tags.ts";
import { loadBoardingPass } from "./boarding-pass.ts";
import { claimCode, decide, makeCode, ownDelegations } from "./delegations.ts";
import { loadJourney } from "./load.ts";
import { ownJourney, ownJourneys } from "./own-journeys.ts";

/** Journeys of the caller. */
export const journeyRoutes = {
  journeyFromRecordLocator: loadJourney,
  journeyFromBcbp: loadBoardingPass,
  baggageTag: addBag,
  journeys: ownJourneys,
  delegation: makeCode,
  delegationClaim: claimCode,
  delegationDecision: decide,
  delegations: ownDelegations,
  journey: ownJourney,
} satisfies Partial<Routes>;
