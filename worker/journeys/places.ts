import type { Journey } from "../../core/api/index.ts";
import type { BearerContext } from "../context.ts";
import { withCityNames } from "./city-names.ts";
import { withAcceptance } from "./ebt-airports.ts";
import { type JourneyRows, viewJourneys } from "./view.ts";

/** The journeys of `rows` with what their airports mean to people. */
export const viewWithPlaces = async (ctx: BearerContext, rows: JourneyRows): Promise<readonly Journey[]> =>
  withAcceptance(ctx, await withCityNames(ctx, await viewJourneys(ctx, rows)));
