import { notLike } from "drizzle-orm";
import { beforeEach, expect, it } from "vitest";
import { type ErrorCode, errorStatus, HEADER, RESERVED, type ReservedCode } from "../../core/api/index.ts";
import { ERROR_EXAMPLES } from "../../core/api/openapi/examples.ts";
import { acceptanceHosts, federatedIssuers, travelPlans } from "../../db/schema.ts";
import { AirlineHosts, setHost } from "../test-support/airline-host.ts";
import { attestationObject, hostToken, newAppInstance } from "../test-support/app-instance.ts";
import { TOMORROW } from "../test-support/days.ts";
import { failingDatabase } from "../test-support/guarded-database.ts";
import {
  ADA,
  guestSession,
  newNonce,
  staffSession,
  startWithTwoGuests,
  type TestSession,
} from "../test-support/logins.ts";
import {
  type Answer,
  expectError,
  KIOSK_KEY,
  startService,
  type TestService,
} from "../test-support/service.ts";
import { ctiOf, signTagStatement, tagCertificateOf, tokenFor } from "../test-support/signing-tag.ts";

/**
 * Every row of the error table, produced by a request (rules §1). The table below is complete by its type: a new
 * code does not compile before it has a row here, or a reason in RESERVED why nothing answers with it.
 */

const TAG = "ebt-21-0001";
const NONCE = "AAAAAAAAAAAAAAAAAAAAAA";
const WRONG_DIGEST = "A".repeat(43);

let service: TestService;
let guest: TestSession;
let stranger: TestSession;
beforeEach(async () => {
  ({ service, guest, stranger } = await startWithTwoGuests());
});

const attach = (baggageId = 1, headers = {}) =>
  guest.call("deviceAttachment", { device: { uniqueID: TAG }, baggageId }, headers);
const authorize = (session: TestSession, fields = {}) =>
  session.call("ebtAuthorization", { uniqueDeviceId: TAG, nonce: NONCE, ...fields });
const prove = (surname: string) =>
  stranger.call("ebtCustodyProof", { uniqueDeviceId: TAG, recordLocator: "ABC123", surname });
const markLost = () => guest.call("deviceLoss", { uniqueDeviceId: TAG, lost: true });
const addBag = () => guest.call("baggageTag", {}, {}, "/v2/journeys/demo-journey-1/baggage-tags");
/** Production, where every counter of `binding` is spent. */
const exhausted = (binding: string) =>
  startService({ ENVIRONMENT: "production", [binding]: { limit: async () => ({ success: false }) } });

async function attestedBy(claims: { readonly aud?: string; readonly used?: boolean }): Promise<Answer> {
  const nonce = await newNonce(service);
  const statement = await attestationObject(await newAppInstance(), { nonce, now: service.now(), ...claims });
  const body = { nonce, attestationObject: statement };
  if (claims.used) await service.call("guestSession", body);
  return service.call("guestSession", body);
}

async function last(times: number, ask: () => Promise<Answer>): Promise<Answer> {
  for (let i = 1; i < times; i++) await ask();
  return ask();
}

const LOGIN = { nonce: "n", attestationObject: "a" };

const PRODUCED: { readonly [Code in Exclude<ErrorCode, ReservedCode>]: () => Promise<Answer> } = {
  required_info_not_provided: () => guest.call("ebtUnlock", {}),
  invalid_request: () => guest.call("ebtUnlock", "{"),
  invalid_bcbp_format: () => guest.call("journeyFromBcbp", { scanData: "M1" }),
  invalid_bsm_format: async () =>
    (await staffSession(service)).call("baggageSourceMessages", { message: "BSM" }),
  unauthorized_client: () => service.call("ebtLookup", {}, { [HEADER.clientKey]: "unknown" }),
  unauthorized_token: () => service.call("ebtLookup", {}),
  invalid_federated_token: () => service.call("federatedSession", { token: "a.b.c" }),
  invalid_nonce: () => attestedBy({ used: true }),
  invalid_attestation: () => attestedBy({ aud: "another" }),
  invalid_credentials: () =>
    service.call(
      "b2bSession",
      { username: "u", password: "p" },
      { [HEADER.clientKey]: KIOSK_KEY, [HEADER.b2bSecret]: "wrong" },
    ),
  invalid_refresh_token: () => service.call("refresh", { refreshToken: "unknown" }),
  invalid_dpop_proof: async () =>
    (await guestSession(service, { dpop: true })).call("ebtLookup", {}, { DPoP: "a.b.c" }),
  insufficient_scope: () => guest.call("auditEvents", {}),
  stale_statement: async () => {
    const cert = { tagCertificate: tagCertificateOf("ebt-21-0002") };
    const statement = async (commits: number) => ({
      ...{ uniqueDeviceId: "ebt-21-0002", nonce: "n", ...cert },
      tagStatement: await signTagStatement("ebt-21-0002", { commits }),
    });
    await guest.call("ebtAuthorization", await statement(8));
    return guest.call("ebtUnlock", await statement(7));
  },
  stale_attachment: async () => {
    const device = { uniqueID: "late" };
    const cti = ctiOf(await tokenFor(guest, "late"));
    service.advance(300);
    await guest.call("deviceAttachment", { device, baggageId: 1 });
    return guest.call("deviceAttachment", { device, baggageId: 2, cti });
  },
  not_lock_holder: async () => {
    await attach();
    return stranger.call("ebtUnlock", { uniqueDeviceId: TAG });
  },
  custody_proof_required: async () => {
    await attach();
    return authorize(stranger);
  },
  device_lost: async () => {
    await attach();
    await markLost();
    return authorize(stranger);
  },
  baggage_not_found: () => attach(999_999),
  journey_not_found: () =>
    guest.call("journeyFromRecordLocator", { recordLocator: "ZZZ999", surname: "MARPLE" }),
  device_not_found: async () => {
    const closed = await startService({ DEVICE_REGISTRY: "closed" });
    const device = { uniqueID: "never-seen" };
    return (await guestSession(closed)).call("deviceAttachment", { device, baggageId: 1 });
  },
  delegation_ended: () => stranger.call("delegationClaim", { code: "unknown" }),
  not_found: () => service.post("/v2/nothing", {}),
  method_not_allowed: () => service.fetch("/v2/ebt-lookups"),
  device_locked: async () => {
    await attach();
    return stranger.call("deviceAttachment", { device: { uniqueID: TAG }, baggageId: 3 });
  },
  airline_required: async () => {
    const staff = await staffSession(service);
    await staff.call("journeysFromAirlinePayload", {
      ...{ airline: "SK", recordLocator: "K7Q2ZD", passengers: [{ surname: "MÜLLER", givenName: "EVA" }] },
      flights: [{ carrier: "SK", number: "1460", date: TOMORROW, from: "OSL", to: "CPH" }],
    });
    const answer = await guest.call("journeyFromRecordLocator", {
      recordLocator: "K7Q2ZD",
      surname: "MÜLLER",
    });
    await service.db.delete(travelPlans).where(notLike(travelPlans.id, "demo-plan-%"));
    return answer;
  },
  gatt_version_refused: () => authorize(guest, { gattVersion: "2.0" }),
  bag_limit: async () => {
    await guest.call("journeyFromRecordLocator", ADA);
    return last(9, addBag);
  },
  bag_refused: async () => {
    const [reason, sentence] = ERROR_EXAMPLES.bag_refused.errors;
    const hosts = new AirlineHosts();
    hosts.answer = () => ({ result: "refused", reason, sentence });
    const asking = await startService({}, hosts.fetcher);
    await setHost(asking);
    const session = await guestSession(asking);
    await session.call("journeyFromRecordLocator", { recordLocator: "OB1NKE", surname: "O'BRIEN" });
    const answer = await session.call("baggageTag", {}, {}, "/v2/journeys/demo-journey-3/baggage-tags");
    await asking.db.delete(acceptanceHosts);
    return answer;
  },
  payload_too_large: () => guest.call("ebtUnlock", " ".repeat(17_000)),
  unsupported_media_type: () => guest.call("ebtUnlock", "{}", { "Content-Type": "text/plain" }),
  custody_proof_invalid: () => prove("BYRON"),
  payload_mismatch: () => authorize(guest, { baggageId: 1, payloadDigest: WRONG_DIGEST }),
  idempotency_key_reused: async () => {
    await attach(1, { "Idempotency-Key": "k" });
    return attach(2, { "Idempotency-Key": "k" });
  },
  too_many_attempts: () => last(6, () => prove("BYRON")),
  too_many_requests: async () => (await exhausted("NONCE_LIMIT")).call("nonce"),
  internal_error: async () => {
    const database = (binding: D1Database) =>
      failingDatabase(binding, () => "no such table: nonces: SQLITE_ERROR");
    return (await startService({}, undefined, { database })).call("guestSession", LOGIN);
  },
  service_unavailable: async () => {
    const empty = await startService({}, () => Promise.reject(new TypeError("no such host")));
    await empty.db.update(federatedIssuers).set({ jwks: null, jwksUrl: "https://host-airline.example/jwks" });
    return empty.call("federatedSession", { token: await hostToken(empty.now()) });
  },
};

const codes = Object.keys(PRODUCED) as (keyof typeof PRODUCED)[];

it.each(codes)("%s is what some request is answered with", async (code) => {
  const answer = await PRODUCED[code]();
  expectError(answer, code);
  // The document's example is this very answer.
  expect(answer.body).toEqual(ERROR_EXAMPLES[code]);
  const status = errorStatus(code);
  expect(answer.headers.has("Retry-After")).toBe(status === 429 || status === 503);
  expect(answer.headers.has("Allow")).toBe(status === 405);
  expect(answer.headers.get("Link")).toBe(`</docs/errors#${code}>; rel="help"`);
});

it.each(Object.entries(RESERVED))("%s is answered by nothing, and it is written down why", (_, reason) => {
  expect(reason).toMatch(/\S/);
});
