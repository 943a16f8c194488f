import { writeFileSync } from "node:fs";
import { eq } from "drizzle-orm";
import { describe, expect, it } from "vitest";
import { WEBHOOK_CRON } from "../../core/api/limits.ts";
import { acceptanceHosts, auditLog, webhooks } from "../../db/schema.ts";
import { open, type Place } from "../../worker/secrets/sealed.ts";
import { keysAt } from "../../worker/webhooks/keys.ts";
import { projectText } from "../project-files.ts";
import { secret } from "../serve/keys.ts";
import { dataKeyIn } from "./files.ts";
import { devSecrets, operatorHere, SECRET_FILE, SECRETS } from "./test-support/operator.ts";

/** Webhooks and hosts as an operator manages them; what is sent is tried in worker/webhooks/webhooks.test.ts. */

const operator = operatorHere();
const { file, ops } = operator;
const URL = ["--url", "https://dcs.example.com/hook"];
const ADD = ["webhook", "add", "--id", "dcs", ...URL, "--airline", "SK", ...SECRETS];
const HOST = ["acceptance", "set", "--airline", "SK", ...URL, ...SECRETS];
const failure = async (...words: readonly string[]) => (await operator.outcome(...words)).sentence;
/** The secret that a command shows. */
const shown = (lines: readonly string[]) =>
  /^secret: (whsec_[A-Za-z0-9+/]{43}=)$/m.exec(lines.join("\n"))?.[1];
const opened = async (field: Place["field"], id: string, sealed = "") =>
  open(await dataKeyIn(devSecrets), { field, id }, sealed);
const row = async () => (await operator.db.select().from(webhooks).where(eq(webhooks.id, "dcs")))[0];
const hosts = () => operator.db.select().from(acceptanceHosts);
const events = async (...minutesAgo: number[]) => {
  for (const minutes of minutesAgo) {
    const at = Date.now() - minutes * 60_000;
    await operator.db.insert(auditLog).values({ at, event: "attached", requestId: "r", airline: "SK" });
  }
};

describe("a webhook", () => {
  it("begins now, its secret is shown once and stored sealed", async () => {
    await events(120, 60, 1, 0);
    const secret = shown(await ops(...ADD, "--scope", "baggage:message"));
    const { secretSealed, ...others } = (await row()) ?? {};
    expect(await opened("webhook-secret", "dcs", secretSealed)).toBe(secret);
    expect(JSON.stringify(others)).not.toContain(secret?.slice(6));
    const newest = (await operator.db.select().from(auditLog).orderBy(auditLog.id)).at(-1);
    const place = { placeId: newest?.id, placeAt: newest?.at };
    expect(others).toMatchObject({ airlines: ["SK"], scopes: ["baggage:message"], ...place });
  });

  const findings = async () =>
    (await operator.outcome("doctor", ...SECRETS)).lines.filter((line) => line.includes("webhook"));

  it.each([
    [{ failures: 3, lastError: "timeout" }, /^warn\twebhook: dcs\t3 attempts have failed \(timeout\)/],
    [
      { failures: 20, lastError: "status 500", stoppedAt: 1 },
      /^FAIL\twebhook: dcs\tgiven up, 20 .*status 500/,
    ],
    [{ dueAt: 0 }, /^FAIL\twebhook: dcs\twaits for its turn/],
  ])("that has %j is found by the doctor, until it goes on where it stopped", async (state, finding) => {
    await events(180);
    await ops(...ADD);
    await events(60);
    expect(await findings()).toEqual([expect.stringMatching(/^ok\twebhooks/)]);
    await operator.db.update(webhooks).set(state);
    expect(await findings()).toEqual([expect.stringMatching(finding)]);
    const before = await row();
    await ops("webhook", "replay", "--id", "dcs");
    const started = { failures: 0, lastError: null, stoppedAt: null, dueAt: expect.any(Number) };
    expect(await row()).toEqual({ ...before, ...started });
    expect(await findings()).toEqual([expect.stringMatching(/^ok/)]);
  });

  it("goes on from an earlier time, and waits for nothing where nothing has happened since", async () => {
    await events(180, 120, 60);
    await ops(...ADD);
    const replay = (minutesAgo: number) =>
      ops(
        "webhook",
        "replay",
        "--id",
        "dcs",
        "--from",
        new Date(Date.now() - minutesAgo * 60_000).toISOString(),
      );
    await replay(130);
    const [first] = await operator.db.select().from(auditLog).orderBy(auditLog.id);
    // The place before the second event.
    expect((await row())?.placeId).toBe(first?.id);
    await replay(0);
    await operator.db.update(webhooks).set({ dueAt: 0 });
    expect(await findings()).toEqual([expect.stringMatching(/^ok/)]);
  });

  it("gets a new secret, and the one before signs too for a day", async () => {
    const first = shown(await ops(...ADD));
    const before = await row();
    writeFileSync(file("other.json"), JSON.stringify({ DATA_KEY: secret() }));
    const rotate = ["webhook", "rotate", "--id", "dcs", "--secrets"];
    expect(await failure(...rotate, file("other.json"))).toContain("does not open with DATA_KEY");
    expect(await row()).toEqual(before);
    const lines = await ops(...rotate, SECRET_FILE);
    const keys = await opened("webhook-secret", "dcs", (await row())?.secretSealed);
    const [, end = ""] = /^the secret before signs too until (\S+)$/.exec(lines[2] ?? "") ?? [];
    expect(keysAt(keys, Date.parse(end) - 1)).toEqual([shown(lines), first]);
    expect(keysAt(keys, Date.parse(end))).toEqual([shown(lines)]);
    expect(Math.abs(Date.parse(end) - Date.now() - 24 * 3_600_000)).toBeLessThan(60_000);
  });
});

/** What hosts are asked is tried in worker/acceptance. */
it("an airline's host refuses unless the airline wants otherwise, and its secret before signs too", async () => {
  const first = shown(await ops(...HOST));
  expect(await hosts()).toMatchObject([{ airline: "SK", url: URL[1], fallback: "refuse" }]);
  const second = shown(await ops(...HOST, "--fallback", "draw"));
  const [host] = await hosts();
  expect(host?.fallback).toBe("draw");
  const keys = await opened("acceptance-secret", "SK", host?.secretSealed);
  expect(keysAt(keys, Date.now())).toEqual([second, first]);
});

it.each([
  ["a webhook", ADD],
  ["a host", HOST],
])("%s is not added in clear, but on this machine for this machine", async (_what, words) => {
  const to = (url: string) => words.with(words.indexOf("--url") + 1, url);
  expect(await failure(...to("http://dcs.example.com"))).toBe("--url must begin with https://");
  expect(await failure(...to("http://localhost:9000"), "--remote")).toContain("https://");
  expect([await row(), await hosts()]).toEqual([undefined, []]);
  await ops(...to("http://localhost:9000"));
});

it("webhooks have a trigger", () => {
  expect(projectText("wrangler.toml")).toContain(`"${WEBHOOK_CRON}"`);
});
