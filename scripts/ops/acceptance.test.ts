import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { parseEnv } from "node:util";
import { beforeEach, expect, it } from "vitest";
import { fromBase64Url } from "../../core/encoding/bytes.ts";
import { acceptanceHosts } from "../../db/schema.ts";
import { importDataKey, open } from "../../worker/secrets/sealed.ts";
import { keysAt } from "../../worker/webhooks/keys.ts";
import { ROOT } from "../project-files.ts";
import { secret, systemRandom } from "../serve/keys.ts";
import { sentenceOf } from "./show.ts";
import { operatorOf } from "./test-support/operator.ts";

/** Airlines' hosts as an operator manages them; what they are asked is tried in worker/acceptance. */

const operator = operatorOf("acceptance");
const { file, ops } = operator;
const { DATA_KEY = "" } = parseEnv(readFileSync(join(ROOT, ".dev.vars"), "utf8"));
const SECRETS = ["--secrets", join(ROOT, ".dev.vars")];
const set = (...words: string[]) =>
  ops("acceptance", "set", "--airline", "SK", "--url", "https://dcs.example.com/bags", ...SECRETS, ...words);
const failure = (run: Promise<unknown>) => run.then(() => "", sentenceOf);
const rows = () => operator.db.select().from(acceptanceHosts);
const keysOf = async (sealed = "", now = Date.now(), dataKey = DATA_KEY) => {
  const key = await importDataKey(fromBase64Url(dataKey));
  return keysAt(await open(key, { field: "acceptance-secret", id: "SK" }, sealed), now);
};
const shown = (lines: readonly string[]) =>
  /^secret: (whsec_[A-Za-z0-9+/]{43}=)$/m.exec(lines.join("\n"))?.[1];

beforeEach(() => operator.db.delete(acceptanceHosts));

it("a host refuses unless the airline wants otherwise, and its secret is shown once", async () => {
  const first = shown(await set());
  const [row] = await rows();
  expect(row).toMatchObject({ airline: "SK", url: "https://dcs.example.com/bags", fallback: "refuse" });
  expect(await keysOf(row?.secretSealed)).toEqual([first]);
  expect(await ops("acceptance", "show")).toEqual(["SK\thttps://dcs.example.com/bags\trefuse"]);
  await ops("acceptance", "remove", "--airline", "SK");
  expect(await rows()).toEqual([]);
  expect(await failure(ops("acceptance", "remove", "--airline", "SK"))).toBe("no host of SK");
});

it("set again, it has the new address and secret, and the one before signs too for a day", async () => {
  const first = shown(await set());
  const lines = await set("--fallback", "draw");
  const [row] = await rows();
  expect(row?.fallback).toBe("draw");
  const [, end = ""] = /^the secret before signs too until (\S+)$/.exec(lines[2] ?? "") ?? [];
  expect(await keysOf(row?.secretSealed)).toEqual([shown(lines), first]);
  expect(await keysOf(row?.secretSealed, Date.parse(end))).toEqual([shown(lines)]);
});

it("no host is set in clear", async () => {
  const url = "http://dcs.example.com";
  const run = ops("acceptance", "set", "--airline", "SK", "--url", url, ...SECRETS);
  expect(await failure(run)).toBe("--url must begin with https://");
  expect(await rows()).toEqual([]);
});

it("keeps its secret where DATA_KEY is another, and when it is changed", async () => {
  const first = shown(await set());
  const [before] = await rows();
  writeFileSync(file("other.json"), JSON.stringify({ DATA_KEY: secret(systemRandom) }));
  const again = ["acceptance", "set", "--airline", "SK", "--url", "https://dcs.example.com/bags"];
  expect(await failure(ops(...again, "--secrets", file("other.json")))).toContain("does not open");
  expect(await rows()).toEqual([before]);
  const changed = { DATA_KEY: secret(systemRandom), DATA_KEY_BEFORE: DATA_KEY };
  writeFileSync(file("changing.json"), JSON.stringify(changed));
  expect((await ops("data", "reseal", "--secrets", file("changing.json"))).join()).toContain("1 hosts");
  const [after] = await rows();
  expect(await keysOf(after?.secretSealed, Date.now(), changed.DATA_KEY)).toEqual([first]);
});
