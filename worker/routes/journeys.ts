import { ApiError } from "../errors.ts";
import type { Routes } from "../route.ts";

const notBuilt = async (): Promise<never> => {
  throw new ApiError("service_unavailable", { reason: "not built" });
};

/** Journeys of the caller. */
export const journeyRoutes = {
  journeyFromRecordLocator: notBuilt,
  journeys: notBuilt,
  journey: notBuilt,
} satisfies Partial<Routes>;
