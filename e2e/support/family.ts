/** Bookings that an airline's system announces as it does in operation. */
import { B2B } from "../../db/demo/values.ts";
import { post } from "../../scripts/drivers/caller.ts";

/** The service has the booking of SK's from now on; again changes nothing. */
async function feed(service: string, booking: object): Promise<void> {
  const client = { "X-Source-App-Key": "demo-kiosk-key" };
  const { username, password, secret } = B2B;
  const staff = { ...client, "X-B2B-Secret": secret };
  const login = await post(service, "/v2/auth/b2b-secret/sessions", { username, password }, staff);
  const headers = { ...client, Authorization: `Bearer ${login.body.accessToken}` };
  const payload = { airline: "SK", ...booking };
  const { status, body } = await post(service, "/v2/journeys/from-airline-payload", payload, headers);
  if (status !== 200) throw new Error(JSON.stringify(body));
}

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
export function announceFamily(service: string): Promise<void> {
  const date = new Date(Date.now() + 86_400_000).toISOString().slice(0, 10);
  const passenger = ({ surname, givenName }: typeof IRENE, ...plates: readonly string[]) => ({
    ...{ surname, givenName },
    baggage: plates.map((licencePlate) => ({ licencePlate })),
  });
  return feed(service, {
    recordLocator: IRENE.recordLocator,
    flights: [{ carrier: "SK", number: "1466", date, from: "OSL", to: "CPH" }],
    passengers: [passenger(IRENE, IRENE.licencePlate, "0117995002"), passenger(EVE, EVE.licencePlate)],
  });
}
