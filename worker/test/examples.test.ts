import { beforeAll, expect, it } from "vitest";
import { type EndpointName, endpoints, HEADER } from "../../core/api/index.ts";
import {
  DOCUMENT_EXAMPLES,
  EXAMPLES,
  type Example,
  NEW_EACH_TIME,
  PATH_EXAMPLE,
} from "../../core/api/openapi/examples.ts";
import { attestationObject, demoEvidence, hostToken, newAppInstance } from "../test-support/app-instance.ts";
import { bsmText } from "../test-support/baggage-message-text.ts";
import { demoPasses } from "../test-support/boarding-pass-text.ts";
import { startWithCleanTags } from "../test-support/clean-tags.ts";
import { TOMORROW } from "../test-support/days.ts";
import { guestSession, newNonce, staffSession, type TestSession } from "../test-support/logins.ts";
import { type Answer, B2B_SECRET, KIOSK_KEY, type TestService } from "../test-support/service.ts";
import { addStaff } from "../test-support/staff-members.ts";

/** The examples of the OpenAPI document, carried out one after the other: what is printed there happens. */

let service: TestService;
let guest: TestSession;
let stranger: TestSession;
let staff: TestSession;
beforeAll(async () => {
  service = await startWithCleanTags();
  await addStaff(service, { id: "1001", pin: "24681357" });
  [guest, stranger, staff] = [
    await guestSession(service),
    await guestSession(service),
    await staffSession(service),
  ];
});

/** Sends the example's request, with what is new each time in its place. */
type Send = (request: object | undefined) => Promise<Answer>;

const attach = () => guest.call("deviceAttachment", { device: { uniqueID: "ebt-21-0001" }, baggageId: 1 });
const by = (session: () => TestSession, name: EndpointName, fields: object = {}): Send => {
  const path = endpoints[name].path.replace("{journeyId}", PATH_EXAMPLE);
  return (request) => session().call(name, request && { ...request, ...fields }, {}, path);
};

async function attested(name: EndpointName, isIdentified: boolean): Promise<Answer> {
  const [nonce, app] = [await newNonce(service), await newAppInstance()];
  const email = "ada@example.org";
  const identity = isIdentified ? { email, evidence: await demoEvidence(app, { nonce, email }) } : {};
  const statement = await attestationObject(app, { nonce, now: service.now(), ...identity });
  return service.call(name, { nonce, attestationObject: statement });
}

/** What a guest does not send as it is printed. */
const SEND: { readonly [Name in EndpointName]?: Send } = {
  nonce: () => service.call("nonce"),
  federatedSession: async () => service.call("federatedSession", { token: await hostToken(service.now()) }),
  attestationSession: () => attested("attestationSession", true),
  guestSession: () => attested("guestSession", false),
  b2bSession: (request) =>
    service.call("b2bSession", request, {
      [HEADER.clientKey]: KIOSK_KEY,
      [HEADER.b2bSecret]: B2B_SECRET,
    }),
  refresh: () => service.call("refresh", { refreshToken: stranger.refreshToken }),
  staffCheck: by(() => staff, "staffCheck"),
  journeyFromBcbp: by(() => guest, "journeyFromBcbp", { scanData: demoPasses(TOMORROW).lovelace }),
  ebtCustodyProof: async (request) => {
    await attach();
    return stranger.call("ebtCustodyProof", request);
  },
  lockRelease: async (request) => {
    await attach();
    return staff.call("lockRelease", request);
  },
  tracedBags: by(() => staff, "tracedBags"),
  locationLink: by(() => staff, "locationLink"),
  delegationClaim: async () => {
    const { code } = (await guest.call("delegation", { journeyId: PATH_EXAMPLE })).body;
    return stranger.call("delegationClaim", { code });
  },
  delegationDecision: async (request) => {
    const { delegationId } = (await guest.call("delegations")).body.delegations[0];
    return guest.call("delegationDecision", { ...request, delegationId });
  },
  auditEvents: by(() => staff, "auditEvents"),
  events: by(() => staff, "events"),
  journeysFromAirlinePayload: (request) =>
    staff.call("journeysFromAirlinePayload", {
      ...request,
      flights: [{ carrier: "SK", number: "1234", date: TOMORROW, from: "OSL", to: "ARN" }],
    }),
  baggageSourceMessages: () =>
    staff.call("baggageSourceMessages", { message: bsmText({ date: TOMORROW, locator: "HOPPER" }) }),
  logout: () => stranger.call("logout"),
};

/** `value` without what differs from run to run, of which only the kind stays. */
function settled(value: unknown, name = ""): unknown {
  if (NEW_EACH_TIME.has(name)) return typeof value;
  if (Array.isArray(value)) return value.map((item) => settled(item));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([field, inner]) => [field, settled(inner, field)]));
}

it.each(Object.entries(EXAMPLES) as [EndpointName, Example<EndpointName>][])(
  "the example of %s happens as it is written",
  async (name, { request, response }) => {
    const answer = await (SEND[name] ?? by(() => guest, name))(request);
    expect([answer.status, settled(answer.body)]).toEqual([200, settled(response)]);
  },
);

it.each([
  ["/.well-known/jwks.json", DOCUMENT_EXAMPLES.accessTokenKeys],
  ["/.well-known/ebt-configuration", DOCUMENT_EXAMPLES.ebtConfiguration],
  ["/healthz", DOCUMENT_EXAMPLES.health],
])("GET %s answers as its example", async (path, example) => {
  const answer = await service.fetch(path);
  expect([answer.status, settled(answer.body)]).toEqual([200, settled(example)]);
});

it("the printed baggage message and boarding pass are of the kind that was sent", () => {
  const { message } = EXAMPLES.baggageSourceMessages.request as { message: string };
  expect(message).toBe(bsmText({ date: "2027-03-14", locator: "HOPPER" }));
  const { scanData } = EXAMPLES.journeyFromBcbp.request as { scanData: string };
  expect(demoPasses("2027-03-14").lovelace.slice(0, 30)).toBe(`M2${scanData.slice(2, 30)}`);
});
