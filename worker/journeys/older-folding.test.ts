import { eq } from "drizzle-orm";
import { describe, expect, it } from "vitest";
import { OLDER_UNTIL, storedTokens } from "../../core/bag/surname.ts";
import { toBase64Url } from "../../core/encoding/bytes.ts";
import { flights, journeys, travelPlans } from "../../db/schema.ts";
import { boardingPassText } from "../test-support/boarding-pass-text.ts";
import { startWithCleanTags } from "../test-support/clean-tags.ts";
import { guestSession } from "../test-support/logins.ts";

/** Names that were stored before the folding changed: `Lord-Jones` was `JONES`. */

const DAY = 86_400_000;
const TAG = "ebt-21-0001";

/** A service on the day of `now`; Ada is a Lord-Jones whose name was stored long ago, and holds a tag. */
async function startOn(now: number) {
  const service = await startWithCleanTags();
  service.advance((now - service.now()) / 1_000);
  const date = new Date(now + DAY).toISOString().slice(0, 10);
  const tokens = await storedTokens(service.settings.pepperKey, "ABC123", "Jones");
  const { db } = service;
  await db.batch([
    db
      .update(travelPlans)
      .set({ endsAt: now + 3 * DAY })
      .where(eq(travelPlans.id, "demo-plan-1")),
    db.update(flights).set({ date }).where(eq(flights.journeyId, "demo-journey-1")),
    db
      .update(journeys)
      .set({ surnameTokens: toBase64Url(tokens) })
      .where(eq(journeys.id, "demo-journey-1")),
  ]);
  const holder = await guestSession(service);
  await holder.call("deviceAttachment", { device: { uniqueID: TAG }, baggageId: 1 });
  const caller = await guestSession(service);
  const booking = { recordLocator: "ABC\u00ad123\u200f", surname: "Lord-Jones" };
  const leg = { recordLocator: "ABC123", flight: "SK1234", route: "OSL-ARN", date } as const;
  const answers = [
    await caller.call("ebtCustodyProof", { uniqueDeviceId: TAG, ...booking }),
    await caller.call("journeyFromRecordLocator", booking),
    await caller.call("journeyFromBcbp", { scanData: boardingPassText("LORD-JONES/ADA", [leg]) }),
  ];
  return answers.map(({ status }) => status);
}

describe("a name stored in the older folding", () => {
  it("is found by proofs and look-ups alike until the day", async () => {
    expect(await startOn(OLDER_UNTIL - 1_000)).toEqual([200, 200, 200]);
  });

  it("is found by none of them from the day on", async () => {
    expect(await startOn(OLDER_UNTIL + 1_000)).toEqual([422, 404, 404]);
  });
});
