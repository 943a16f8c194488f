import type { JourneyPassenger } from "../../core/api/index.ts";
import { type DataKey, open, type Place, seal } from "./sealed.ts";

/** What is sealed with a passenger's name, and erased with it. */
export interface SealedPassenger {
  readonly passenger: JourneyPassenger;
  readonly loading: Loading;
}

/** What departure control said of bags, by licence plate: `.S` and `.W` of their message (core/bag/bsm.ts). */
export type Loading = Readonly<Record<string, readonly string[]>>;

const placeOf = (id: string): Place => ({ field: "passenger", id });

/** `id` is the journey's. Rejects as `open` does. */
export async function openPassenger(key: DataKey, id: string, sealed: string): Promise<SealedPassenger> {
  // Most bookings have no such lines, and older ones no such member.
  const { loading = {}, ...passenger } = JSON.parse(await open(key, placeOf(id), sealed));
  return { passenger, loading };
}

export const sealPassenger = (key: DataKey, id: string, { passenger, loading }: SealedPassenger) =>
  seal(
    key,
    placeOf(id),
    JSON.stringify({ ...passenger, ...(Object.keys(loading).length > 0 && { loading }) }),
  );
