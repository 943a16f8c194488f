import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { payloadDigest } from "../../core/bag/payload.ts";
import { equalBytes } from "../../core/encoding/bytes.ts";
import { NOW } from "../../sim/test-support/parties.ts";
import { CHECKS } from "./checks.ts";
import { LABEL_BYTES } from "./desk.ts";
import type { Bench } from "./probe.ts";
import { benchOf, type Fixture, fixture, idsOf, report, run, tagOf } from "./test-support/fixture.ts";
import { NotPermitted } from "./types.ts";

/** What a run makes of a service that does not give every token it is asked for. */

let here: Fixture;
beforeAll(async () => {
  vi.useFakeTimers({ toFake: ["Date"], now: NOW });
  here = await fixture();
});
afterAll(() => void vi.useRealTimers());

type TokenRequest = Parameters<Bench["requestToken"]>[0];

const COMMITS = CHECKS.filter(({ group, id }) => group === "commit" || id === "C73");

/** Runs the commits that must be refused, and the clear, while `refuses` names the code of a refusal. */
async function runWhere(
  refuses: (tokenRequest: TokenRequest) => string | undefined | Promise<string | undefined>,
  checks: readonly (typeof CHECKS)[number][] = COMMITS,
) {
  const bench = await benchOf(here, await tagOf(here, "2.1"));
  let asked = 0;
  const requestToken = async (tokenRequest: TokenRequest) => {
    asked++;
    const code = await refuses(tokenRequest);
    if (code !== undefined) throw new NotPermitted(code);
    return bench.requestToken(tokenRequest);
  };
  const results = await run({ ...bench, requestToken }, { checks });
  return { results, asked: () => asked };
}

test("a refused content costs the check that asked for it and no other", async () => {
  const known = await payloadDigest(LABEL_BYTES);
  const { results } = await runWhere(({ operation, payloadDigest: digest }) =>
    operation === "write" && !equalBytes(digest, known) ? "payload_mismatch" : undefined,
  );
  expect(idsOf(results, "skip"), report(results)).toEqual(["C64", "C65", "C66"]);
  expect(idsOf(results, "pass")).toEqual(["C61", "C62", "C63", "C73"]);
});

test("a service that is busy once costs one check", async () => {
  let busy = true;
  const { results } = await runWhere(({ operation }) => {
    // The run asks once before it begins, for a clear.
    if (!busy || operation === "clear") return undefined;
    busy = false;
    return "too_many_requests";
  });
  expect(idsOf(results, "skip"), report(results)).toEqual(["C61"]);
});

test("a client that may not write what it likes may still clear, and is asked for no second label", async () => {
  let labels = 0;
  const { results } = await runWhere(({ operation }) => {
    if (operation === "clear") return undefined;
    labels++;
    return "required_info_not_provided";
  });
  expect(idsOf(results, "pass"), report(results)).toEqual(["C73"]);
  expect(labels).toBe(1);
});

test.each(["custody_proof_required", "device_lost"])(
  "a run on a tag that is another person's ends before it begins: %s",
  async (code) => {
    await expect(runWhere(() => code)).rejects.toMatchObject({ name: "NotPermitted", code });
  },
);

test("checks that write nothing run on a tag that is locked to a journey", async () => {
  const bench = await benchOf(here, await tagOf(here, "2.1"));
  const requestToken = () => Promise.reject(new NotPermitted("custody_proof_required"));
  const checks = CHECKS.filter(({ group }) => group === "gatt" || group === "v20");
  const results = await run({ ...bench, requestToken }, { checks });
  expect(idsOf(results, "pass"), report(results)).toEqual(checks.map(({ id }) => id).toSorted());
});

test("a service that refuses this client for good is asked once for each operation", async () => {
  const { results, asked } = await runWhere(() => "gatt_version_refused");
  expect(idsOf(results, "skip"), report(results)).toEqual(COMMITS.map(({ id }) => id));
  expect(asked()).toBe(2);
});

test("without a commit of this run nothing is said of ver_min", async () => {
  const checks = CHECKS.filter(({ id }) => id === "C41");
  const { results } = await runWhere(
    ({ operation }) => (operation === "write" ? "device_not_found" : undefined),
    checks,
  );
  expect(idsOf(results, "skip"), report(results)).toEqual(["C41"]);
});

test("a good tag that was written before passes as a new one does", async () => {
  const tag = await tagOf(here, "2.1");
  const checks = CHECKS.filter(({ group }) => group === "gatt" || group === "label");
  for (const turn of ["new", "written before"]) {
    const results = await run(await benchOf(here, tag), { checks });
    expect(idsOf(results, "fail"), `${turn}\n${report(results)}`).toEqual([]);
  }
});
