import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, describe, expect, it } from "vitest";
import published from "../../core/vectors/edhoc-method0-x5chain.json" with { type: "json" };
import { verifyFile } from "./sec-verify.ts";
import { recordedHandshake } from "./test-support/recorded-handshake.ts";

const PUBLISHED = fileURLToPath(new URL("../../core/vectors/edhoc-method0-x5chain.json", import.meta.url));
const folder = mkdtempSync(join(tmpdir(), "sec-verify-"));
afterAll(() => rmSync(folder, { recursive: true }));

function file(content: unknown, name = "trace.json"): string {
  const path = join(folder, name);
  writeFileSync(path, typeof content === "string" ? content : JSON.stringify(content));
  return path;
}

async function verify(path: string) {
  const lines: string[] = [];
  const code = await verifyFile(path, (line) => lines.push(line));
  return { code, lines };
}

const suite6 = published.suite6_chain2_both;

/** The published suite 6 with one digit of one value changed. */
function spoiled(name: keyof typeof suite6.values) {
  const hex = suite6.values[name];
  const middle = hex.length >> 1;
  const changed = hex.slice(0, middle) + (hex[middle] === "0" ? "1" : "0") + hex.slice(middle + 1);
  return { changed, transcript: { ...suite6, values: { ...suite6.values, [name]: changed } } };
}

describe("sec:verify", () => {
  it("verifies the published transcripts of both suites", async () => {
    const { code, lines } = await verify(PUBLISHED);
    expect(lines).toEqual(["suite6_chain2_both: ok", "suite3_chain2_both: ok", "2 transcripts verified"]);
    expect(code).toBe(0);
  });

  it("takes a file with one transcript and calls it by the file's name", async () => {
    const { code, lines } = await verify(file(suite6, "my-tag.json"));
    expect(lines).toEqual(["my-tag: ok", "1 transcripts verified"]);
    expect(code).toBe(0);
  });

  const recordings = ([6, 3, 2, 0] as const).flatMap((suite) =>
    ([2, 1] as const).map((certificates) => [suite, certificates] as const),
  );
  it.each(recordings)(
    "verifies a recording of suite %i with a tag chain of %i",
    async (suite, certificates) => {
      const { code, lines } = await verify(file({ recorded: await recordedHandshake(suite, certificates) }));
      expect(lines).toEqual(["recorded: ok", "1 transcripts verified"]);
      expect(code).toBe(0);
    },
  );

  it("names the first value that differs, with what it should be", async () => {
    const { changed, transcript } = spoiled("MAC_2");
    const { code, lines } = await verify(file({ good: suite6, bad: transcript }));
    expect(lines[0]).toBe("good: ok");
    expect(lines[1]?.split("\n")).toEqual([
      expect.stringContaining("bad: MAC_2 differs"),
      `  expected ${changed}`,
      `  computed ${suite6.values.MAC_2}`,
    ]);
    expect(lines[2]).toBe("1 transcripts verified, 1 failed");
    expect(code).toBe(1);
  });

  it("fails by name when a size differs", async () => {
    const { code, lines } = await verify(file({ bad: { ...suite6, sizes: { message_1: 39 } } }));
    expect(lines[0]).toMatch(/^bad: sizes\.message_1 differs/);
    expect(code).toBe(1);
  });

  it.each([
    [
      "initiator_chain_der",
      {
        initiator_chain_der: suite6.responder_chain_der,
        tag_ca_der: undefined,
        trust_anchor_der: suite6.initiator_chain_der[1],
      },
    ],
    ["responder_chain_der", { responder_chain_der: suite6.responder_chain_der.toReversed() }],
  ])("fails at %s when that chain does not end at its anchor", async (field, change) => {
    const { code, lines } = await verify(file({ bad: { ...suite6, ...change } }));
    expect(lines[0]).toMatch(new RegExp(`^bad: ${field}: CHAIN`));
    expect(code).toBe(1);
  });
});

describe("sec:verify explains", () => {
  const { values, ...withoutValues } = suite6;
  it.each([
    ["no JSON", "{", "the file is not JSON"],
    ["a list", [], "the file is not a JSON object"],
    ["nothing", {}, "the file has no transcript"],
    ["an entry that is no transcript", { a: 1 }, "a: not a transcript"],
    ["missing values", { a: withoutValues }, "a: values is missing"],
    ["a missing suite", { a: { ...suite6, suite: undefined } }, "a: suite is missing"],
    ["a missing anchor", { a: { ...suite6, trust_anchor_der: undefined } }, "a: trust_anchor_der is missing"],
    ["a chain of nothing", { a: { ...suite6, responder_chain_der: [] } }, "a: responder_chain_der is not"],
    [
      "a value that is not hexadecimal",
      { a: { ...suite6, values: { ...values, TH_2: "xy" } } },
      "a: values is not",
    ],
    ["a connection identifier out of range", { a: { ...suite6, C_I: 24 } }, "a: C_I is not"],
  ])("a file with %s", async (_, content, message) => {
    const { code, lines } = await verify(file(content));
    expect(lines).toHaveLength(1);
    expect(lines[0]).toContain(message);
    expect(code).toBe(2);
  });

  it("a file that is not there", async () => {
    const { code, lines } = await verify(join(folder, "absent.json"));
    expect(lines).toEqual([expect.stringContaining("there is no such file")]);
    expect(code).toBe(2);
  });

  it("an absent argument, and ends with the exit code of what it found", () => {
    const script = fileURLToPath(new URL("sec-verify.ts", import.meta.url));
    const run = (...args: string[]) => spawnSync(process.execPath, [script, ...args], { encoding: "utf8" });
    expect(run()).toMatchObject({ status: 2, stderr: expect.stringContaining("usage:") });
    expect(run(file({ bad: spoiled("MAC_3").transcript })).status).toBe(1);
    const good = run(PUBLISHED);
    expect(good.status).toBe(0);
    expect(good.stdout.trimEnd().split("\n").at(-1)).toBe("2 transcripts verified");
  });
});
