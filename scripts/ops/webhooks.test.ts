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
import { devSecrets, operatorHere, SECRETS } from "./test-support/operator.ts";

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
  it("begins now, its secret is shown once and kept sealed", async () => {
    await events(120, 60, 1, 0);
    const secret = shown(await ops(...ADD));
    const { secretSealed, ...others } = (await row()) ?? {};
    expect(await opened("webhook-secret", "dcs", secretSealed)).toBe(secret);
    expect(JSON.stringify(others)).not.toContain(secret?.slice(6));
    const newest = (await operator.db.select().from(auditLog).orderBy(auditLog.id)).at(-1);
    expect(others).toMatchObject({ airlines: ["SK"], placeId: newest?.id, placeAt: newest?.at });
    const seen = [...(await ops("webhook", "list")), ...(await ops("webhook", "show", "--id", "dcs"))].join(
      "\n",
    );
    expect(seen).toContain("dcs\tok\tSK");
    expect(seen).not.toMatch(/whsec_|[\w-]{43}/);
    expect(await failure(...ADD)).toContain("there is a webhook with this id already");
    await ops("webhook", "remove", "--id", "dcs");
    expect(await row()).toBeUndefined();
  });

  it("that was given up goes on where it stopped, or from an earlier time, and the doctor says so until then", async () => {
    await events(180, 120, 60);
    await ops(...ADD);
    const findings = async () =>
      (await operator.outcome("doctor", ...SECRETS)).lines.filter((line) => line.includes("webhook"));
    expect(await findings()).toEqual([expect.stringMatching(/^ok\twebhooks/)]);
    await operator.db.update(webhooks).set({ failures: 3, lastError: "timeout" });
    expect(await findings()).toEqual([
      expect.stringMatching(/^warn\twebhook: dcs\t3 attempts have failed \(timeout\)/),
    ]);
    await operator.db.update(webhooks).set({ failures: 20, lastError: "status 500", stoppedAt: 1 });
    expect(await findings()).toEqual([
      expect.stringMatching(/^FAIL\twebhook: dcs\tgiven up after 20 .*status 500/),
    ]);
    expect((await ops("webhook", "show", "--id", "dcs")).join("\n")).toMatch(/^nextTurn: $/m);
    const before = await row();
    await ops("webhook", "replay", "--id", "dcs");
    const after = await row();
    expect(after).toMatchObject({ failures: 0, lastError: null, stoppedAt: null, placeId: before?.placeId });
    expect(await findings()).toEqual([expect.stringMatching(/^ok/)]);
    const ids = (await operator.db.select().from(auditLog).orderBy(auditLog.id)).map(({ id }) => id);
    const from = new Date(Date.now() - 130 * 60_000).toISOString();
    await ops("webhook", "replay", "--id", "dcs", "--from", from);
    // The place before the second event.
    expect((await row())?.placeId).toBe(ids[0]);
    await operator.db.update(webhooks).set({ dueAt: 0 });
    expect(await findings()).toEqual([expect.stringMatching(/^FAIL.*waits for its turn/)]);
    // Nothing has happened that it could be sent.
    await ops("webhook", "replay", "--id", "dcs", "--from", new Date().toISOString());
    await operator.db.update(webhooks).set({ dueAt: 0 });
    expect(await findings()).toEqual([expect.stringMatching(/^ok/)]);
  });

  it("sees baggage messages only while it has the scope", async () => {
    await ops(...ADD);
    expect(await row()).toMatchObject({ scopes: [] });
    expect(await ops("webhook", "scope", "--id", "dcs", "--scope", "baggage:message")).toContain(
      "webhook dcs: baggage:message",
    );
    expect(await row()).toMatchObject({ scopes: ["baggage:message"] });
    expect((await ops("webhook", "show", "--id", "dcs")).join("\n")).toMatch(/^scopes: baggage:message$/m);
    expect(await ops("webhook", "scope", "--id", "dcs")).toContain("webhook dcs: no scope");
    expect(await row()).toMatchObject({ scopes: [] });
    await ops("webhook", "remove", "--id", "dcs");
    await ops(...ADD, "--scope", "baggage:message");
    expect(await row()).toMatchObject({ scopes: ["baggage:message"] });
    const others = ["--id", "dcs", "--scope", "audit:read"];
    expect(await failure("webhook", "scope", ...others)).toContain("--scope is one of baggage:message");
  });

  it("gets a new secret, and the one before signs too for a day", async () => {
    const first = shown(await ops(...ADD));
    const lines = await ops("webhook", "rotate", "--id", "dcs", ...SECRETS);
    const second = shown(lines);
    const keys = await opened("webhook-secret", "dcs", (await row())?.secretSealed);
    const [, end = ""] = /^the secret before signs too until (\S+)$/.exec(lines[2] ?? "") ?? [];
    expect(keysAt(keys, Date.parse(end) - 1)).toEqual([second, first]);
    expect(keysAt(keys, Date.parse(end))).toEqual([second]);
    expect(Math.abs(Date.parse(end) - Date.now() - 24 * 3_600_000)).toBeLessThan(60_000);
  });

  it("keeps its secret where that does not open, and there is none to rotate of another name", async () => {
    await ops(...ADD);
    const before = await row();
    writeFileSync(file("other.json"), JSON.stringify({ DATA_KEY: secret() }));
    const rotate = (id: string) => failure("webhook", "rotate", "--id", id, "--secrets", file("other.json"));
    expect(await rotate("dcs")).toContain("does not open with DATA_KEY");
    expect(await rotate("absent")).toBe("no webhook absent");
    expect(await row()).toEqual(before);
  });
});

/** What hosts are asked is tried in worker/acceptance. */
describe("an airline's host", () => {
  it("refuses unless the airline wants otherwise, and its secret is shown once", async () => {
    const first = shown(await ops(...HOST));
    const [host] = await hosts();
    expect(host).toMatchObject({ airline: "SK", url: URL[1], fallback: "refuse" });
    expect(await opened("acceptance-secret", "SK", host?.secretSealed)).toBe(first);
    expect(await ops("acceptance", "show")).toEqual([`SK\t${URL[1]}\trefuse`]);
    await ops("acceptance", "remove", "--airline", "SK");
    expect(await hosts()).toEqual([]);
  });

  it("that is set again has a new secret, and the one before signs too", async () => {
    const first = shown(await ops(...HOST));
    const second = shown(await ops(...HOST, "--fallback", "draw"));
    const [host] = await hosts();
    expect(host?.fallback).toBe("draw");
    const keys = await opened("acceptance-secret", "SK", host?.secretSealed);
    expect(keysAt(keys, Date.now())).toEqual([second, first]);
  });
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
