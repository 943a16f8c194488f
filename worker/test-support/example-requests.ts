import { type EndpointName, endpoints } from "../../core/api/index.ts";
import { EXAMPLES, type Example, PATH_EXAMPLE } from "../../core/api/openapi/examples.ts";
import { hostToken } from "./app-instance.ts";
import { bsmText } from "./baggage-message-text.ts";
import { demoPasses } from "./boarding-pass-text.ts";
import { TOMORROW } from "./days.ts";
import { attestedLogin, guestLogin, guestSession, staffSession, type TestSession } from "./logins.ts";
import { addStaff } from "./rows.ts";
import { type Answer, STAFF_LOGIN, type TestService } from "./service.ts";

/** The examples of the OpenAPI document as requests that the service accepts, one after the other. */

/** Every example, in the document's order. */
export const examples = Object.entries(EXAMPLES) as [EndpointName, Example<EndpointName>][];

/** Sends the example of an endpoint, or another request by its caller, with what is new each time in its place. */
export type SendExample = (name: EndpointName, request?: object) => Promise<Answer>;
type Send = (request: object | undefined) => Promise<Answer>;

interface Callers {
  readonly service: TestService;
  readonly guest: TestSession;
  readonly stranger: TestSession;
  readonly staff: TestSession;
}

/** Logs three callers in at `service`; what sends their examples. */
export async function exampleSender(service: TestService): Promise<SendExample> {
  await addStaff(service, { id: "1001", pin: "24681357" });
  const callers = {
    service,
    guest: await guestSession(service),
    stranger: await guestSession(service),
    staff: await staffSession(service),
  };
  const special = specialOf(callers);
  return (name, request = EXAMPLES[name].request) => (special[name] ?? by(callers.guest, name))(request);
}

const by =
  (session: TestSession, name: EndpointName, fields: object = {}): Send =>
  (request) => {
    const path = endpoints[name].path.replace("{journeyId}", PATH_EXAMPLE);
    return session.call(name, request && { ...request, ...fields }, {}, path);
  };

/** What a guest does not send as it is printed. */
function specialOf({ service, guest, stranger, staff }: Callers): { readonly [Name in EndpointName]?: Send } {
  const attach = () => guest.call("deviceAttachment", { device: { uniqueID: "ebt-21-0001" }, baggageId: 1 });
  return {
    nonce: () => service.call("nonce"),
    federatedSession: async () => service.call("federatedSession", { token: await hostToken(service.now()) }),
    attestationSession: () => attestedLogin(service),
    guestSession: () => guestLogin(service),
    b2bSession: (request) => service.call("b2bSession", request, STAFF_LOGIN),
    refresh: () => service.call("refresh", { refreshToken: stranger.refreshToken }),
    staffCheck: by(staff, "staffCheck"),
    journeyFromBcbp: by(guest, "journeyFromBcbp", { scanData: demoPasses(TOMORROW).lovelace }),
    ebtCustodyProof: async (request) => {
      await attach();
      return stranger.call("ebtCustodyProof", request);
    },
    lockRelease: async (request) => {
      await attach();
      return staff.call("lockRelease", request);
    },
    tracedBags: by(staff, "tracedBags"),
    locationLink: by(staff, "locationLink"),
    delegationClaim: async () => {
      const { code } = (await guest.call("delegation", { journeyId: PATH_EXAMPLE })).body;
      return stranger.call("delegationClaim", { code });
    },
    delegationDecision: async (request) => {
      const { delegationId } = (await guest.call("delegations")).body.delegations[0];
      return guest.call("delegationDecision", { ...request, delegationId });
    },
    auditEvents: by(staff, "auditEvents"),
    events: by(staff, "events"),
    journeysFromAirlinePayload: (request) =>
      staff.call("journeysFromAirlinePayload", {
        ...request,
        flights: [{ carrier: "SK", number: "1234", date: TOMORROW, from: "OSL", to: "ARN" }],
      }),
    baggageSourceMessages: () =>
      staff.call("baggageSourceMessages", { message: bsmText({ date: TOMORROW, locator: "HOPPER" }) }),
    logout: () => stranger.call("logout"),
  };
}
