import { expect, it } from "vitest";
import { BAG_REFUSALS, type BagAcceptance, type BagAcceptanceAnswer } from "../../core/api/index.ts";
import { decideBag } from "./bag.ts";

const ASKED: BagAcceptance = {
  ...{ airline: "SK", recordLocator: "ABC123", flights: [], licencePlates: ["0117000001", "0117000002"] },
  ...{ journeyId: "j-1", passenger: { surname: "O'BRIEN", givenName: "SÍLE" } },
  bag: { number: 3 },
};
const PLATE = "0117000009";
const allowed = { kilograms: 23, pieces: 3 };
const granted = (...grants: object[]) => grants;
const refused = (...errors: string[]) => ({ code: "bag_refused", detail: { reason: errors[0], errors } });
const unanswered = (fault: string) => ({
  ...{ code: "service_unavailable", detail: { reason: `bag.acceptance: ${fault}` } },
});

/** What is granted, or the error. */
function decided(...args: Parameters<typeof decideBag>) {
  try {
    return decideBag(...args);
  } catch (error) {
    return error;
  }
}

type Row = readonly [string, BagAcceptanceAnswer, object, ...drawing: readonly object[]];

/** What the host answers; then what follows with the fallback `refuse`, and with `draw` where that differs. */
const ANSWERS: readonly Row[] = [
  ["accepts, leaves the plate to us", { result: "accepted" }, granted({})],
  ["accepts with limits", { result: "accepted", allowed }, granted({ allowed })],
  [
    "accepts with a plate",
    { result: "accepted", licencePlate: PLATE, readable: "SK000009", allowed },
    granted({ plate: { licencePlate: PLATE, readable: "SK000009" }, allowed }),
    granted({ plate: { licencePlate: PLATE, readable: "SK000009" }, allowed }, { allowed }),
  ],
  ["accepts fewer than there would be", { result: "accepted", allowed: { pieces: 2 } }, refused("allowance")],
  ...BAG_REFUSALS.map(
    (reason): Row => [`refuses: ${reason}`, { result: "refused", reason }, refused(reason)],
  ),
  ["refuses for a reason of its own", { result: "refused", reason: "moon" }, refused("restricted")],
  [
    "refuses without a reason, even with a plate",
    { result: "refused", licencePlate: PLATE },
    refused("restricted"),
  ],
  [
    "says why",
    { result: "refused", reason: "allowance", sentence: "Two bags are free." },
    refused("allowance", "Two bags are free."),
  ],
  ...["Dear Mrs O’Brien, no.", "o'brien: no", "ABC123 has two.", "Booking abc123!"].map(
    (sentence): Row => [
      `names the passenger or the booking: ${sentence}`,
      { result: "refused", reason: "route", sentence },
      refused("route"),
    ],
  ),
];

it.each(ANSWERS.map((row) => [row[0], row] as const))(
  "a host that %s",
  (_, [, value, refusing, drawing = refusing]) => {
    expect(decided(ASKED, { ok: true, value }, "refuse")).toMatchObject(refusing);
    expect(decided(ASKED, { ok: true, value }, "draw")).toMatchObject(drawing);
  },
);

it("a host that fails leaves it to the airline's choice", () => {
  const failed = { ok: false, fault: "timeout" } as const;
  expect(decided(ASKED, failed, "refuse")).toMatchObject(unanswered("timeout"));
  expect(decided(ASKED, failed, "draw")).toEqual(granted({}));
});

it("a host that answers staff's plate with another has not answered", () => {
  const asked = { ...ASKED, bag: { number: 3, licencePlate: "0117000003" } };
  const accepted = (licencePlate: string) =>
    ({ ok: true, value: { result: "accepted", licencePlate } }) as const;
  expect(decided(asked, accepted("0117000003"), "refuse")).toEqual(granted({}));
  expect(decided(asked, accepted(PLATE), "refuse")).toMatchObject(unanswered("another plate"));
  expect(decided(asked, accepted(PLATE), "draw")).toEqual(granted({}));
});
