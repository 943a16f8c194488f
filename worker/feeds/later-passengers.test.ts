import { expect, it } from "vitest";
import { bsmText } from "../test-support/baggage-message-text.ts";
import { TOMORROW as date } from "../test-support/days.ts";
import { startFeeding } from "../test-support/feeds.ts";
import { guestSession } from "../test-support/logins.ts";

it("passengers who join a booking later, by either feed, find it like the first", async () => {
  const { service, staff } = await startFeeding();
  const feed = (surname: string, givenName: string) =>
    staff.call("journeysFromAirlinePayload", {
      ...{ airline: "SK", recordLocator: "LATER1", passengers: [{ surname, givenName }] },
      flights: [{ carrier: "SK", number: "1460", date, from: "OSL", to: "CPH" }],
    });
  await feed("NOETHER", "EMMY");
  await feed("CURIE", "MARIE");
  const flown = { date, flights: ["SK1460/CPH"], locator: "LATER1" };
  const message = bsmText({ ...flown, name: "HOPPER/GRACE", plates: "0117830009001" });
  expect((await staff.call("baggageSourceMessages", { message })).body.results[0].outcome).toBe("applied");
  for (const surname of ["NOETHER", "CURIE", "HOPPER"]) {
    const guest = await guestSession(service);
    const found = await guest.call("journeyFromRecordLocator", { recordLocator: "LATER1", surname });
    expect([surname, found.body.passenger?.surname]).toEqual([surname, surname]);
  }
});
