import { beforeEach, expect, it } from "vitest";
import { delegations } from "../../db/schema.ts";
import { appointed, claim, codeBy, decide, startWithAda, TAG } from "../test-support/delegating.ts";
import { expectError } from "../test-support/expect-error.ts";
import type { TestSession } from "../test-support/logins.ts";
import type { TestService } from "../test-support/service.ts";

/** What delegates and strangers reach by a way round (rules §5, "Delegates"). */

const LINK = "https://share.apple.com/item/4pY1xQz";

let service: TestService;
let ada: TestSession;
let bob: TestSession;
let eve: TestSession;
beforeEach(async () => {
  ({ service, ada, bob, eve } = await startWithAda());
});

const make = () => codeBy(ada);
const attach = (session: TestSession, baggageId = 1, uniqueID = TAG) =>
  session.call("deviceAttachment", { device: { uniqueID }, baggageId });

const appoint = () => appointed(bob, ada);

it("the reports on a tag that a delegate wrote are for the holder alone", async () => {
  await appoint();
  await attach(bob);
  await ada.call("bagTraceChange", { uniqueDeviceId: TAG, locationLink: LINK });
  await service.post("/v2/found-reports", { uniqueDeviceId: TAG, desk: "4" });
  expectError(await bob.call("bagTrace", { uniqueDeviceId: TAG }), "not_lock_holder");
  for (const change of [{ muted: true }, { locationLink: "" }])
    expectError(await bob.call("bagTraceChange", { uniqueDeviceId: TAG, ...change }), "not_lock_holder");
  expect((await bob.call("journeys")).text).not.toContain("foundAt");
  expect((await ada.call("bagTrace", { uniqueDeviceId: TAG })).body).toMatchObject({
    muted: false,
    reports: [{ desk: "4" }],
    link: { host: "share.apple.com" },
  });
});

it("a stranger's yes to an active delegation ends no other", async () => {
  const active = await appoint();
  const { code, delegationId } = await make();
  await claim(bob, code);
  expectError(await decide(eve, active), "delegation_ended");
  expect((await decide(bob, active)).body.state).toBe("active");
  expect((await service.db.select().from(delegations)).map(({ id }) => id).sort()).toEqual(
    [active, delegationId].sort(),
  );
});
