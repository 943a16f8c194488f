import type { Journey } from "../../core/api/index.ts";
import type { BearerContext, EbtAirports } from "../context.ts";
import { readBuildFile, withCityNames } from "./city-names.ts";
import { type JourneyTexts, viewJourneys } from "./view.ts";

/** The journeys that were read, with what their airports mean to people. */
export async function viewWithPlaces(ctx: BearerContext, read: JourneyTexts): Promise<readonly Journey[]> {
  const journeys = await withCityNames(ctx, await viewJourneys(ctx, read));
  const listed = await ebtAirports(ctx);
  return journeys.map((journey) =>
    isUnlisted(listed, journey) ? { ...journey, acceptsTags: false } : journey,
  );
}

/** Whether the first flight's airline is listed, and its airport is not. */
export const isUnlisted = (listed: EbtAirports, { flights: [first] }: Pick<Journey, "flights">): boolean =>
  first !== undefined && listed[first.carrier]?.includes(first.from) === false;

/** The operator's file, as the build has verified it (scripts/build/ebt-airports.ts); without one, nothing is listed. */
async function ebtAirports({ assets, isolate, unread }: BearerContext): Promise<EbtAirports> {
  try {
    isolate.ebtAirports ??= await readBuildFile<EbtAirports>(assets, "branding/ebt-airports.json");
    return isolate.ebtAirports;
  } catch {
    unread.add("acceptsTags");
    return {};
  }
}
