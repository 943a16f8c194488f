import type { Journey } from "../../core/api/index.ts";
import type { BearerContext, EbtAirports } from "../context.ts";
import { readBuildFile } from "./city-names.ts";

type Reader = Pick<BearerContext, "assets" | "isolate" | "unread">;

/** The journeys, each with whether its first airport accepts the airline's electronic tags, where that is known. */
export async function withAcceptance(ctx: Reader, journeys: readonly Journey[]): Promise<readonly Journey[]> {
  const listed = await readListed(ctx);
  return journeys.map((journey) =>
    isUnlisted(listed, journey) ? { ...journey, acceptsTags: false } : journey,
  );
}

/** Whether the first flight's airline is listed, and its airport is not. */
export const isUnlisted = (listed: EbtAirports, { flights: [first] }: Pick<Journey, "flights">): boolean =>
  first !== undefined && listed[first.carrier]?.includes(first.from) === false;

/** The operator's file, as the build has verified it (scripts/build/ebt-airports.ts); without one, nothing is listed. */
async function readListed({ assets, isolate, unread }: Reader): Promise<EbtAirports> {
  try {
    isolate.ebtAirports ??= await readBuildFile<EbtAirports>(assets, "branding/ebt-airports.json");
    return isolate.ebtAirports;
  } catch {
    unread.add("acceptsTags");
    return {};
  }
}
