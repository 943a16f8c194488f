import type { Journey } from "../../core/api/index.ts";
import type { BearerContext } from "../context.ts";
import { withCityNames } from "./city-names.ts";
import { withAcceptance } from "./ebt-airports.ts";
import { type JourneyTexts, viewJourneys } from "./view.ts";

/** The journeys that were read, with what their airports mean to people. */
export const viewWithPlaces = async (ctx: BearerContext, read: JourneyTexts): Promise<readonly Journey[]> =>
  withAcceptance(ctx, await withCityNames(ctx, await viewJourneys(ctx, read)));
