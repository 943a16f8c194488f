import { beforeEach, describe, expect, it } from "vitest";
import { auditLog } from "../../db/schema.ts";
import { guestSession, staffSession, type TestSession, withBookings } from "../test-support/logins.ts";
import { startClean, type TestService } from "../test-support/service.ts";
import { signTagStatement, tagCertificateOf } from "../test-support/signing-tag.ts";

/** Bytes of a tag that reach the service cut short: they count as absent (rules §5), and no cut is an error of ours. */

const TAG = "ebt-21-0001";
const CERTIFICATE = tagCertificateOf(TAG);

let service: TestService;
let owner: TestSession;

beforeEach(async () => {
  service = await startClean({ ACCESS_TOKEN_SECONDS: "2e9", ACCESS_LIMITS: "off" });
  owner = await withBookings(service, await guestSession(service), ["demo-plan-1"]);
});

/** Beginnings of `text` whose length has any remainder of four, and `text` with last characters that leave bits over. */
const cuts = (text: string) => [
  ...Array.from({ length: Math.ceil(text.length / 13) }, (_, index) => text.slice(0, index * 13)),
  ...[1, 2, 3, 4].map((less) => text.slice(0, -less)),
  ...[..."BCDE"].map((last) => `${text.slice(0, -1)}${last}`).filter((one) => one !== text),
];

const ENDPOINTS = {
  ebtAuthorization: { uniqueDeviceId: TAG, nonce: "n" },
  deviceAttachment: { device: { uniqueID: TAG }, baggageId: 1 },
  ebtUnlock: { uniqueDeviceId: TAG },
} as const;

describe.each(Object.entries(ENDPOINTS))("%s", (endpoint, body) => {
  const send = (more: object) => owner.call(endpoint as keyof typeof ENDPOINTS, { ...body, ...more });

  it("takes a statement that was cut anywhere as absent", async () => {
    const statement = await signTagStatement(TAG);
    const answers = new Set<number>();
    for (const tagStatement of cuts(statement)) {
      answers.add((await send({ tagStatement, tagCertificate: CERTIFICATE })).status);
    }
    expect([...answers]).toEqual([200]);
    const reasons = new Set((await service.db.select().from(auditLog)).map(({ reason }) => reason));
    expect(reasons).toContain("malformed");
  });

  it("takes a certificate that was cut anywhere as absent", async () => {
    const answers = new Set<number>();
    for (let length = 0; length < CERTIFICATE.length; length += 61) {
      const tagCertificate = CERTIFICATE.slice(0, length).replace(/=+$/, "");
      answers.add((await send({ tagCertificate })).status);
    }
    expect([...answers]).toEqual([200]);
  });
});

it("a release takes a statement that was cut as absent", async () => {
  const staff = await staffSession(service);
  const statement = await signTagStatement(TAG);
  for (const tagStatement of cuts(statement).slice(-8)) {
    const { status } = await staff.call("lockRelease", {
      uniqueDeviceId: TAG,
      reason: "cut",
      tagStatement,
      tagCertificate: CERTIFICATE,
    });
    expect(status).toBe(200);
  }
});
