import type { Journey } from "../../core/api/index.ts";
import type { BearerContext, CityFile, EbtAirports } from "../context.ts";
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

/** The operator's file, as the build has verified it (scripts/build/places.ts); without one, nothing is listed. */
async function ebtAirports({ assets, isolate, unread }: BearerContext): Promise<EbtAirports> {
  try {
    isolate.ebtAirports ??= await readBuildFile<EbtAirports>(assets, "branding/ebt-airports.json");
    return isolate.ebtAirports;
  } catch {
    unread.add("acceptsTags");
    return {};
  }
}

type Reader = Pick<BearerContext, "assets" | "isolate" | "unread">;

/** The journeys with the names of the cities in which they end, for people; what is printed stays the airline's. */
function withCityNames(ctx: Reader, journeys: readonly Journey[]): Promise<Journey[]> {
  return Promise.all(
    journeys.map(async (journey) => {
      const destinationNames = await namesOf(ctx, journey.destinationAirport);
      return destinationNames === undefined ? journey : { ...journey, destinationNames };
    }),
  );
}

/** From a file of the build (scripts/build/places.ts); undefined where it names no such airport, or cannot be read. */
async function namesOf({ assets, isolate, unread }: Reader, airport: string) {
  if (!/^[A-Z]{3}$/.test(airport)) return undefined;
  const letter = airport.slice(0, 1);
  try {
    const file =
      isolate.cities.get(letter) ?? (await readBuildFile<CityFile>(assets, `cities/${letter}.json`));
    isolate.cities.set(letter, file);
    return file[airport];
  } catch {
    unread.add("destinationNames");
    return undefined;
  }
}

/** A file of the build, empty where there is none. The host is never asked: the binding answers by path alone. */
export async function readBuildFile<T>(assets: Reader["assets"], path: string): Promise<T> {
  const answer = await assets?.fetch(new Request(`https://assets.invalid/${path}`));
  return answer?.ok ? answer.json<T>() : ({} as T);
}
