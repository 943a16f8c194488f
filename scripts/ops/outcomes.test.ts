import { afterEach, expect, it, vi } from "vitest";
import { projectText } from "../project-files.ts";
import { counted, failed } from "./outcomes.ts";
import { outcomeOf } from "./test-support/operator.ts";

afterEach(() => {
  vi.unstubAllGlobals();
  vi.unstubAllEnvs();
});

/** What the command asks, and what it prints of `answer`. */
async function asked(words: readonly string[], answer: () => Promise<Response>) {
  const api = vi.fn<typeof fetch>(answer);
  vi.stubGlobal("fetch", api);
  vi.stubEnv("CLOUDFLARE_ACCOUNT_ID", "account-1");
  vi.stubEnv("CLOUDFLARE_API_TOKEN", "token-1");
  const { lines, sentence } = await outcomeOf(["outcomes", ...words]);
  const [url, init] = api.mock.calls[0] ?? [];
  return { lines, sentence, url, init, sql: String(init?.body) };
}

const row = { os: "android/16", app: "google chrome/142", transfers: "200", failures: 13, median: 1_700 };

it("prints the share of transfers that failed, by phone", async () => {
  const { lines, url, init, sql } = await asked([], async () => Response.json({ data: [row] }));
  expect(lines).toEqual(["android/16\tgoogle chrome/142\t200\t13\t1700\t6.5 %"]);
  expect(url).toBe("https://api.cloudflare.com/client/v4/accounts/account-1/analytics_engine/sql");
  expect(init?.headers).toEqual({ Authorization: "Bearer token-1" });
  expect(sql).toContain("FROM taglatch_outcomes WHERE");
  expect(sql).toContain("INTERVAL '7' DAY GROUP BY os, app");
});

it.each([
  ["--by tag --days 30", "INTERVAL '30' DAY GROUP BY generation, model, firmware"],
  ["--by end", "GROUP BY phase, outcome"],
])("asks as %s", async (words, expected) => {
  const { sql } = await asked(words.split(" "), async () => Response.json({ data: [] }));
  expect(sql).toContain(expected);
});

it.each<[string, () => Promise<Response>, string]>([
  ["refuses", async () => new Response("secret text", { status: 403 }), "Analytics Engine answered 403"],
  [
    "is out of reach",
    () => Promise.reject(new TypeError("fetch failed")),
    "Analytics Engine cannot be reached",
  ],
  ["answers no JSON", async () => new Response("<html>"), "Analytics Engine gave an answer of another form"],
])("says so where the platform %s", async (_what, answer, sentence) => {
  expect((await asked([], answer)).sentence).toBe(sentence);
});

it("names what must be in the environment", async () => {
  vi.stubEnv("CLOUDFLARE_API_TOKEN", "");
  expect((await outcomeOf(["outcomes"])).sentence).toContain("CLOUDFLARE_API_TOKEN");
});

it("counts what the alarm counts", () => {
  const { groups } = JSON.parse(projectText("docs/alarms.json"));
  const alarm = groups[0].rules.find(({ title }: { title: string }) => title === "a phone version fails");
  expect(alarm.data[0].model.query).toBe(
    `SELECT MAX(share) AS value FROM (SELECT blob7, blob8, SUM(IF(${failed}, _sample_interval, 0)) / SUM(_sample_interval) AS share, SUM(_sample_interval) AS transfers FROM taglatch_outcomes WHERE ${counted} AND timestamp > NOW() - INTERVAL '1440' MINUTE GROUP BY blob7, blob8) WHERE transfers >= 50`,
  );
});
