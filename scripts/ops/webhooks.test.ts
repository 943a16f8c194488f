import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { parseEnv } from "node:util";
import { eq } from "drizzle-orm";
import { describe, expect, it } from "vitest";
import { WEBHOOK_CRON } from "../../core/api/limits.ts";
import { fromBase64Url } from "../../core/encoding/bytes.ts";
import { auditLog, webhooks } from "../../db/schema.ts";
import { selectEvents } from "../../worker/audit/event-feed.ts";
import { importDataKey, open } from "../../worker/secrets/sealed.ts";
import { keysAt } from "../../worker/webhooks/keys.ts";
import { ROOT } from "../project-files.ts";
import { secret, systemRandom } from "../serve/keys.ts";
import { operate } from "./operate.ts";
import { sentenceOf } from "./show.ts";
import { operatorOf } from "./test-support/operator.ts";

/** Webhooks as an operator manages them; what is sent is tried in worker/webhooks/webhooks.test.ts. */

const operator = operatorOf("webhooks");
const { file, ops } = operator;
const { DATA_KEY = "" } = parseEnv(readFileSync(join(ROOT, ".dev.vars"), "utf8"));
const SECRETS = ["--secrets", join(ROOT, ".dev.vars")];
const URL = ["--url", "https://dcs.example.com/hook"];
const ADD = ["webhook", "add", "--id", "dcs", ...URL, "--airline", "SK", ...SECRETS];
/** The same with another value of an option. */
function addWith(words: string): readonly string[] {
  const [name = ""] = words.split(" ");
  return [...ADD.filter((word, index) => word !== name && ADD[index - 1] !== name), ...words.split(" ")];
}
const failure = (...words: string[]) => ops(...words).then(() => "", sentenceOf);
const row = async () => (await operator.db.select().from(webhooks).where(eq(webhooks.id, "dcs")))[0];
const events = async (...minutesAgo: number[]) => {
  for (const minutes of minutesAgo) {
    const at = Date.now() - minutes * 60_000;
    await operator.db.insert(auditLog).values({ at, event: "attached", requestId: "r", airline: "SK" });
  }
};

describe("a webhook", () => {
  it("begins now, its secret is shown once and kept sealed", async () => {
    await events(120, 60, 1, 0);
    const [, line = ""] = await ops(...ADD);
    const [, shown = ""] = /^secret: (whsec_[A-Za-z0-9+/]{43}=)$/.exec(line) ?? [];
    const { secretSealed = "", ...others } = (await row()) ?? {};
    const key = await importDataKey(fromBase64Url(DATA_KEY));
    expect(await open(key, { field: "webhook-secret", id: "dcs" }, secretSealed)).toBe(shown);
    expect(JSON.stringify(others)).not.toContain(shown.slice(6));
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
    expect(await failure("webhook", "remove", "--id", "dcs")).toBe("no webhook dcs");
  });

  it("is sent nothing of what was before it, and all that comes", async () => {
    const ahead = async () => {
      const { placeId: id = 0, placeAt: at = 0 } = (await row()) ?? {};
      const reading = { after: { id, at }, airlines: ["SK"], limit: 10, rows: 10 };
      return (await selectEvents(operator.db, reading).events).length;
    };
    await ops(...ADD);
    await events(0);
    expect(await ahead()).toBe(1);
    await ops("webhook", "remove", "--id", "dcs");
    await ops(...ADD);
    expect(await ahead()).toBe(0);
    await events(0, 0);
    expect(await ahead()).toBe(2);
  });

  it("is not added without an airline, in clear, nor to this machine in a deployment", async () => {
    expect(await failure("webhook", "add", "--id", "dcs", ...URL, ...SECRETS)).toContain(
      "--airline is missing",
    );
    const inClear = await failure(...addWith("--url http://dcs.example.com"));
    expect(inClear).toBe("--url must begin with https://");
    expect(await row()).toBeUndefined();
    expect(await failure(...addWith("--url http://localhost:9000"), "--remote")).toContain("https://");
    await ops(...addWith("--url http://localhost:9000"));
    expect(await row()).toMatchObject({ url: "http://localhost:9000" });
  });

  it("that was given up goes on where it stopped, or from an earlier time, and the doctor says so until then", async () => {
    await events(180, 120, 60);
    await ops(...ADD);
    const findings = async () => {
      const lines: string[] = [];
      const world = { ...operator.world, print: (line: string) => lines.push(line) };
      await operate(["doctor", ...SECRETS], world).catch(() => undefined);
      return lines.filter((line) => line.includes("webhook"));
    };
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
    expect(await failure("webhook", "scope", "--id", "absent")).toBe("no webhook absent");
  });

  it("gets a new secret, and the one before signs too for a day", async () => {
    const shown = (lines: string[]) => /^secret: (whsec_\S+)$/m.exec(lines.join("\n"))?.[1];
    const first = shown(await ops(...ADD));
    const lines = await ops("webhook", "rotate", "--id", "dcs", ...SECRETS);
    const second = shown(lines);
    const key = await importDataKey(fromBase64Url(DATA_KEY));
    const keys = await open(key, { field: "webhook-secret", id: "dcs" }, (await row())?.secretSealed ?? "");
    expect(keysAt(keys, Date.now())).toEqual([second, first]);
    const [, end = ""] = /^the secret before signs too until (\S+)$/.exec(lines[2] ?? "") ?? [];
    expect(keysAt(keys, Date.parse(end) - 1)).toEqual([second, first]);
    expect(keysAt(keys, Date.parse(end))).toEqual([second]);
    expect(Math.abs(Date.parse(end) - Date.now() - 24 * 3_600_000)).toBeLessThan(60_000);
  });

  it("keeps its secret where that does not open, and there is none to rotate of another name", async () => {
    await ops(...ADD);
    const before = await row();
    writeFileSync(file("other.json"), JSON.stringify({ DATA_KEY: secret(systemRandom) }));
    const rotate = (id: string, secrets: string) =>
      failure("webhook", "rotate", "--id", id, "--secrets", secrets);
    expect(await rotate("dcs", file("other.json"))).toContain("does not open with DATA_KEY");
    expect(await rotate("absent", file("other.json"))).toBe("no webhook absent");
    expect(await row()).toEqual(before);
  });

  it("keeps its secret when DATA_KEY is changed", async () => {
    const [, line = ""] = await ops(...ADD);
    const changed = { DATA_KEY: secret(systemRandom), DATA_KEY_BEFORE: DATA_KEY };
    writeFileSync(file("changing.json"), JSON.stringify(changed));
    expect((await ops("data", "reseal", "--secrets", file("changing.json"))).join()).toContain("1 webhooks");
    const key = await importDataKey(fromBase64Url(changed.DATA_KEY));
    const sealed = (await row())?.secretSealed ?? "";
    expect(`secret: ${await open(key, { field: "webhook-secret", id: "dcs" }, sealed)}`).toBe(line);
  });
});

it("webhooks have a trigger", () => {
  expect(readFileSync(join(ROOT, "wrangler.toml"), "utf8")).toContain(`"${WEBHOOK_CRON}"`);
});
