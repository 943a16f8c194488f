/** Two passengers of one booking, which an airline's system announces as it does in operation. */
import { post } from "../../scripts/drivers/caller.ts";

const LOCATOR = "FAM1LY";

/** With two bags. */
export const IRENE = {
  recordLocator: LOCATOR,
  surname: "JOLIOT",
  givenName: "IRENE",
  licencePlate: "0117995001",
  destination: "CPH",
};
/** With one. */
export const EVE = { ...IRENE, surname: "CURIE", givenName: "EVE", licencePlate: "0117995003" };

/** Known to the service from now on; again changes nothing. */
export async function announceFamily(service: string): Promise<void> {
  const client = { "X-Source-App-Key": "demo-kiosk-key" };
  const login = await post(
    service,
    "/v2/auth/b2b-secret/sessions",
    { username: "kiosk-osl-1", password: "correct horse battery staple" },
    { ...client, "X-B2B-Secret": "demo-b2b-secret" },
  );
  const tomorrow = new Date(Date.now() + 86_400_000).toISOString().slice(0, 10);
  const bag = (licencePlate: string) => ({ licencePlate });
  const { status, body } = await post(
    service,
    "/v2/journeys/from-airline-payload",
    {
      airline: "SK",
      recordLocator: LOCATOR,
      flights: [{ carrier: "SK", number: "1466", date: tomorrow, from: "OSL", to: "CPH" }],
      passengers: [
        {
          surname: IRENE.surname,
          givenName: IRENE.givenName,
          baggage: [bag(IRENE.licencePlate), bag("0117995002")],
        },
        { surname: EVE.surname, givenName: EVE.givenName, baggage: [bag(EVE.licencePlate)] },
      ],
    },
    { ...client, Authorization: `Bearer ${login.body.accessToken}` },
  );
  if (status !== 200) throw new Error(JSON.stringify(body));
}
