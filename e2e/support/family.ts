/** Bookings that an airline's system announces as it does in operation. */
import { feed } from "../../scripts/drivers/caller.ts";

/** With two bags. */
export const IRENE = {
  recordLocator: "FAM1LY",
  surname: "JOLIOT",
  givenName: "IRENE",
  licencePlate: "0117995001",
  destination: "CPH",
};
/** With one. */
export const EVE = { ...IRENE, surname: "CURIE", givenName: "EVE", licencePlate: "0117995003" };

/** Two passengers of one booking. */
export async function announceFamily(service: string): Promise<void> {
  const date = new Date(Date.now() + 86_400_000).toISOString().slice(0, 10);
  const passenger = ({ surname, givenName }: typeof IRENE, ...plates: readonly string[]) => ({
    ...{ surname, givenName },
    baggage: plates.map((licencePlate) => ({ licencePlate })),
  });
  const booking = {
    recordLocator: IRENE.recordLocator,
    flights: [{ carrier: "SK", number: "1466", date, from: "OSL", to: "CPH" }],
    passengers: [passenger(IRENE, IRENE.licencePlate, "0117995002"), passenger(EVE, EVE.licencePlate)],
  };
  await feed(service, [booking]);
}
