import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { parseEnv } from "node:util";
import { sql } from "drizzle-orm";
import { expect, it } from "vitest";
import { fromBase64Url, toBase64Url } from "../../core/encoding/bytes.ts";
import * as schema from "../../db/schema.ts";
import {
  importDataKey,
  open,
  placeOfLink,
  placeOfPush,
  placeOfReport,
  seal,
} from "../../worker/secrets/sealed.ts";
import type { AttestationPolicyInput } from "../../worker/sessions/attestation/policy.ts";
import { ROOT } from "../project-files.ts";
import { operatorOf } from "./test-support/operator.ts";

const operator = operatorOf("reseal");
const { file, ops } = operator;

it("names and locators are resealed while DATA_KEY is being changed, and are the same", async () => {
  const before = parseEnv(readFileSync(join(ROOT, ".dev.vars"), "utf8")).DATA_KEY ?? "";
  const DATA_KEY = toBase64Url(crypto.getRandomValues(new Uint8Array(32)));
  writeFileSync(file("changing.json"), JSON.stringify({ DATA_KEY, DATA_KEY_BEFORE: before }));
  writeFileSync(file("old.json"), JSON.stringify({ DATA_KEY: before }));
  const digest = "A".repeat(43);
  const play = { packageName: "air.example", verificationKey: "AAAA", certificateSha256Digests: [digest] };
  const policy = { "play-integrity": { ...play, decryptionKey: "play-key" } };
  writeFileSync(file("policy.json"), JSON.stringify(policy));
  const create = "client create --id app --name App --login attestation --evidence play-integrity".split(" ");
  await ops(...create, "--attestation-policy", file("policy.json"), "--secrets", file("old.json"));
  const hung = { deviceId: "ebt-21-0001", lockRequestId: "lock", requestId: "r1" };
  const old = await importDataKey(fromBase64Url(before));
  const [said, link] = [placeOfReport(hung.deviceId, "r1"), placeOfLink(hung.deviceId)];
  const [saidSealed, linkSealed] = [await seal(old, said, "desk 4"), await seal(old, link, "https://a")];
  const endpointSealed = await seal(old, placeOfPush(hung.deviceId, "s"), "https://b");
  await operator.db.batch([
    operator.db.insert(schema.deviceTicketLocks).values({
      ...{ deviceId: hung.deviceId, planId: "demo-plan-1", journeyId: "demo-journey-1", baggageId: 1 },
      ...{ entitled: true, holderSub: "s", writerSub: "s", lockedAt: 0, endsAt: 1, requestId: "lock" },
    }),
    operator.db.insert(schema.foundReports).values({ ...hung, reportedAt: 0, saidSealed, source: "s" }),
    operator.db.insert(schema.locationLinks).values({ ...hung, linkSealed, host: "a", addedAt: 0 }),
    operator.db.insert(schema.pushEndpoints).values({ ...hung, holderSub: "s", endpointSealed }),
  ]);
  const reseal = () => ops("data", "reseal", "--secrets", file("changing.json"));
  expect(await reseal()).toEqual([
    "resealed: 3 locators, 3 passengers, 1 Play Integrity keys, 0 staff, 0 webhooks, 0 hosts, 3 found reports, links and push endpoints",
  ]);
  // What is sealed under the new key opens, or would be counted again.
  expect((await reseal())[0]).not.toMatch(/[1-9]/);
  const [app] = await operator.db.select().from(schema.clients).where(sql`id = 'app'`);
  const stored = app?.attestationPolicy as AttestationPolicyInput;
  const sealed = stored["play-integrity"]?.decryptionKeySealed ?? "";
  const [plan] = await operator.db.select().from(schema.travelPlans).where(sql`id = 'demo-plan-1'`);
  const key = await importDataKey(fromBase64Url(DATA_KEY));
  expect(await open(key, { field: "locator", id: "demo-plan-1" }, plan?.locatorSealed ?? "")).toBe("ABC123");
  expect(await open(key, { field: "play-integrity-key", id: "app" }, sealed)).toBe("play-key");
  const [kept] = await operator.db.select().from(schema.foundReports);
  const [shared] = await operator.db.select().from(schema.locationLinks);
  expect(await open(key, said, kept?.saidSealed ?? "")).toBe("desk 4");
  expect(await open(key, link, shared?.linkSealed ?? "")).toBe("https://a");
});
