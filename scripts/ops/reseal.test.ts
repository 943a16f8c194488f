import { writeFileSync } from "node:fs";
import { eq } from "drizzle-orm";
import { expect, it } from "vitest";
import { fromBase64Url } from "../../core/encoding/bytes.ts";
import * as schema from "../../db/schema.ts";
import {
  importDataKey,
  open,
  type Place,
  placeOfLink,
  placeOfPush,
  placeOfReport,
  seal,
} from "../../worker/secrets/sealed.ts";
import type { AttestationPolicyInput } from "../../worker/sessions/attestation/policy.ts";
import { secret } from "../serve/keys.ts";
import { dataKeyIn } from "./files.ts";
import { placeOf } from "./staff.ts";
import { devSecrets, operatorHere, SECRETS } from "./test-support/operator.ts";

const operator = operatorHere();
const { file, ops } = operator;

const TAG = "ebt-21-0001";
const MEMBER = { clientId: "client-kiosk", staffId: "K1001" };

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
  const hung = { deviceId: TAG, lockRequestId: "lock" };
  const saidSealed = await seal(old, placeOfReport(TAG, "r1"), "desk 4");
  const linkSealed = await seal(old, placeOfLink(TAG), "https://a");
  const endpointSealed = await seal(old, placeOfPush(TAG, "s"), "https://b");
  await db.batch([
    db.insert(schema.deviceTicketLocks).values({
      ...{ deviceId: TAG, planId: "demo-plan-1", journeyId: "demo-journey-1", baggageId: 1 },
      ...{ entitled: true, holderSub: "s", writerSub: "s", lockedAt: 0, endsAt: 1, requestId: "lock" },
    }),
    db
      .insert(schema.foundReports)
      .values({ ...hung, requestId: "r1", reportedAt: 0, saidSealed, source: "s" }),
    db.insert(schema.locationLinks).values({ ...hung, linkSealed, host: "a", addedAt: 0 }),
    db.insert(schema.pushEndpoints).values({ ...hung, holderSub: "s", endpointSealed }),
  ]);
}

/** The first of each kind: where it is sealed for, and the text that is stored. */
async function stored(): Promise<readonly (readonly [Place, string | null | undefined])[]> {
  const { db } = operator;
  const [plan] = await db.select().from(schema.travelPlans).where(eq(schema.travelPlans.id, "demo-plan-1"));
  const [app] = await db.select().from(schema.clients).where(eq(schema.clients.id, "app"));
  const policy = app?.attestationPolicy as AttestationPolicyInput;
  const [member] = await db.select().from(schema.staffNames);
  const [webhook] = await db.select().from(schema.webhooks);
  const [host] = await db.select().from(schema.acceptanceHosts);
  const [report] = await db.select().from(schema.foundReports);
  const [link] = await db.select().from(schema.locationLinks);
  const [push] = await db.select().from(schema.pushEndpoints);
  return [
    [{ field: "locator", id: "demo-plan-1" }, plan?.locatorSealed],
    [{ field: "play-integrity-key", id: "app" }, policy["play-integrity"]?.decryptionKeySealed],
    [placeOf(MEMBER), member?.nameSealed],
    [{ field: "webhook-secret", id: "dcs" }, webhook?.secretSealed],
    [{ field: "acceptance-secret", id: "SK" }, host?.secretSealed],
    [placeOfReport(TAG, "r1"), report?.saidSealed],
    [placeOfLink(TAG), link?.linkSealed],
    [placeOfPush(TAG, "s"), push?.endpointSealed],
  ];
}

it("everything that is sealed is resealed while DATA_KEY is being changed, and is the same", async () => {
  await sealOfEach();
  const changing = { DATA_KEY: secret(), DATA_KEY_BEFORE: devSecrets.DATA_KEY };
  writeFileSync(file("changing.json"), JSON.stringify(changing));
  const reseal = () => ops("data", "reseal", "--secrets", file("changing.json"));
  expect(await reseal()).toEqual([
    "resealed: 3 locators, 3 passengers, 1 Play Integrity keys, 1 staff, 1 webhooks, 1 hosts, 3 found reports, links and push endpoints",
  ]);
  // What is sealed under the new key opens, or would be counted again.
  expect((await reseal())[0]).not.toMatch(/[1-9]/);
  const key = await importDataKey(fromBase64Url(changing.DATA_KEY));
  const texts = (await stored()).map(([place, sealed]) => open(key, place, sealed ?? ""));
  const whsec = expect.stringMatching(/^whsec_/);
  expect(await Promise.all(texts)).toEqual([
    ...["ABC123", "play-key", "Ada", whsec, whsec, "desk 4", "https://a", "https://b"],
  ]);
});
