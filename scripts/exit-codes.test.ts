import { expect, it } from "vitest";
import { dailyOrFull } from "../core/full.test-support.ts";
import { start } from "./run.ts";

/** A command whose words are wrong ends with 2 and a sentence, and has done nothing. Those of `ops` are in ops/options.test.ts. */

const QUICK = [
  ["scripts/check/check.ts sizes", "npm run check -- [size | language]"],
  ["kit/phone/phone.ts read", "Unknown action 'read'."],
  ["scripts/test/nightly.ts dawn", "No dawn. There are: tests, "],
  ["scripts/release/release.ts --out x --key nowhere", "--key names no file: nowhere"],
  ["scripts/serve/start.ts --port 9000", ""],
] as const;

/** They load wrangler, Vitest or a browser's driver first, or kit/tag/options.test.ts has their sentence: in a full run. */
const SLOW = [
  ["kit/tag/tag.ts --generation 3.0", "--generation is 2.0 or 2.1."],
  ["kit/tag/tag.ts --page-port 70000", "--page-port is a number up to 65535."],
  ["kit/tag/tag.ts --service localhost", "--service is a URL"],
  ["kit/phone/phone.ts --service ftp://x", "--service is a URL"],
  ["scripts/bench/bench.ts speed", "npm run bench -- NAME"],
  ["scripts/bench/bench.ts service --busy --crowd many", "--crowd is a whole number from 1"],
  ["scripts/deploy/deploy.ts moon", "moon is no environment: staging, production"],
  ["scripts/deploy/deploy.ts staging --secrets nowhere.json", "--secrets names no file: nowhere.json"],
  ["scripts/release/release.ts", "npm run release -- --out FOLDER"],
  ["scripts/ops/ops.ts tag show", "--id is missing"],
] as const;

it.each(dailyOrFull(QUICK, [...QUICK, ...SLOW]))("%s", async (words, sentence) => {
  const { code, output } = await start(process.execPath, words.split(" ")).ended;
  expect([output.slice(0, sentence.length), code]).toEqual([sentence, 2]);
});
