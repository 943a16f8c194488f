import { writeFileSync } from "node:fs";
import { eq } from "drizzle-orm";
import { expect, it } from "vitest";
import * as schema from "../../db/schema.ts";
import { placeOfLink, placeOfPush, placeOfReport, seal } from "../../worker/secrets/sealed.ts";
import { sealPassenger } from "../../worker/secrets/sealed-passenger.ts";
import { secret } from "../serve/keys.ts";
import { dataKeyIn } from "./files.ts";
import { devSecrets, operatorHere, SECRETS } from "./test-support/operator.ts";

const operator = operatorHere();
const { file, ops } = operator;

const TAG = "ebt-21-0001";
const CHECKED_IN = { loading: { "0117123456": ["S/Y/08A"] } };

/** Something of every kind that DATA_KEY seals, beside the demo's bookings. */
async function sealOfEach(): Promise<void> {
  const play = { packageName: "air.example", verificationKey: "AAAA" };
  const digests = { certificateSha256Digests: ["A".repeat(43)] };
  const policy = { "play-integrity": { ...play, ...digests, decryptionKey: "play-key" } };
  writeFileSync(file("policy.json"), JSON.stringify(policy));
  const app = "client create --id app --name App --login attestation --evidence play-integrity".split(" ");
  await ops(...app, "--attestation-policy", file("policy.json"), ...SECRETS);
  await ops(..."staff add --client client-kiosk --id k1001 --name Ada".split(" "), ...SECRETS);
  await ops(..."webhook add --id dcs --url https://dcs.example.com --airline SK".split(" "), ...SECRETS);
  await ops(..."acceptance set --url https://dcs.example.com --airline SK".split(" "), ...SECRETS);
  const { db } = operator;
  const old = await dataKeyIn(devSecrets);
  const lock = {
    deviceId: TAG,
    entitled: true,
    lockedAt: 0,
    requestId: "lock",
    holderSub: "s",
    writerSub: "s",
  };
  const bag = { planId: "demo-plan-1", journeyId: "demo-journey-1", baggageId: 1 };
  const hung = { deviceId: TAG, lockRequestId: "lock" };
  const saidSealed = await seal(old, placeOfReport(TAG, "r1"), '{"where":"desk 4"}');
  const linkSealed = await seal(old, placeOfLink(TAG), "https://a");
  const endpointSealed = await seal(old, placeOfPush(TAG, "s"), "https://b");
  const passenger = { givenName: "ADA", surname: "LOVELACE" };
  const passengerSealed = await sealPassenger(old, "demo-journey-1", { passenger, ...CHECKED_IN });
  await db.batch([
    db.update(schema.journeys).set({ passengerSealed }).where(eq(schema.journeys.id, "demo-journey-1")),
    db.insert(schema.deviceTicketLocks).values({ ...lock, ...bag, endsAt: Date.now() * 2 }),
    db
      .insert(schema.foundReports)
      .values({ ...hung, requestId: "r1", reportedAt: 0, saidSealed, source: "s" }),
    db.insert(schema.locationLinks).values({ ...hung, linkSealed, host: "a", addedAt: 0 }),
    db.insert(schema.pushEndpoints).values({ ...hung, holderSub: "s", endpointSealed }),
  ]);
}

it("everything that is sealed is resealed while DATA_KEY is being changed, and is the same", async () => {
  await sealOfEach();
  const reseal = (secrets: object) => {
    writeFileSync(file("changing.json"), JSON.stringify({ ...devSecrets, ...secrets }));
    return ops("data", "reseal", "--secrets", file("changing.json"));
  };
  const changing = { DATA_KEY: secret(), DATA_KEY_BEFORE: devSecrets.DATA_KEY };
  expect(await reseal(changing)).toEqual([
    "resealed: attestationPolicy 1, locatorSealed 3, passengerSealed 3, nameSealed 1, secretSealed 1, secretSealed 1, saidSealed 1, linkSealed 1, endpointSealed 1",
  ]);
  // Under the new key alone all of it opens, or this would fail.
  expect((await reseal({ ...changing, DATA_KEY_BEFORE: secret() }))[0]).not.toMatch(/[1-9]/);
  const words = ["booking", "show", "--locator", "ABC123", "--surname", "Lovelace"];
  const { journeys } = await operator.json(...words, "--secrets", file("changing.json"));
  expect(journeys).toMatchObject([
    {
      ...{ id: "demo-journey-1", locator: "ABC123", passenger: { surname: "LOVELACE", ...CHECKED_IN } },
      flights: [{ carrier: "SK", number: "1234" }, { number: "0999" }],
      bags: [{ licencePlate: "0117123456" }, {}],
      loadedPlans: [],
      delegations: [],
      tags: [
        {
          label: TAG,
          foundReports: [{ said: { where: "desk 4" }, reportedAt: "1970-01-01T00:00:00.000Z" }],
          locationLinks: [{ link: "https://a" }],
          pushEndpoints: [{ endpoint: "https://b" }],
        },
      ],
    },
  ]);
  expect(JSON.stringify(journeys)).not.toMatch(/[\w-]{43}|Hash|Tokens|source/);
  const log = JSON.stringify(await operator.db.select().from(schema.auditLog));
  expect(log).toContain("booking_shown");
  expect(log).not.toMatch(/lovelace|abc123|\bada\b/i);
});
