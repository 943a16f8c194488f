import type { Journey } from "../../core/api/index.ts";
import type { BearerContext, CityFile } from "../context.ts";

type Reader = Pick<BearerContext, "assets" | "isolate" | "unread">;

/** The journeys with the names of the cities in which they end, for people; what is printed stays the airline's. */
export function withCityNames(ctx: Reader, journeys: readonly Journey[]): Promise<Journey[]> {
  return Promise.all(
    journeys.map(async (journey) => {
      const destinationNames = await namesOf(ctx, journey.destinationAirport);
      return destinationNames === undefined ? journey : { ...journey, destinationNames };
    }),
  );
}

/** From a file of the build (scripts/build/cities.ts); undefined where it names no such airport, or cannot be read. */
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
