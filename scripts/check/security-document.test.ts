import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { limits } from "../../core/api/limits.ts";
import { VALIDITY } from "../../core/pki/profiles.ts";
import { tablesOf, tableWith } from "../documents/tables.ts";
import { projectFiles, ROOT } from "../project-files.ts";

const DOCUMENT = readFileSync(join(ROOT, "docs/security.md"), "utf8");
const PROTOCOL = readFileSync(join(ROOT, "docs/protocol.md"), "utf8");

it("docs/security.md states the lifetimes of core/api/limits.ts", () => {
  const { rows } = tableWith(tablesOf(DOCUMENT), "what", "form", "counts until");
  const until = (what: string) => rows.find(([first]) => first?.startsWith(what))?.[2];
  const hours = (seconds: number) => `${seconds / 3600} h`;
  const days = (seconds: number) => `${seconds / 86_400} days`;
  expect(until("record locator")).toBe(
    `${hours(limits.lockAfterArrivalSeconds)} after the last scheduled arrival, or ${hours(limits.lockAfterFlightDateSeconds)} after the last flight's date`,
  );
  expect(until("session")).toBe(
    `${hours(limits.refreshTokenSeconds)} without refresh, at most ${days(limits.refreshFamilySeconds)}`,
  );
  expect(until("client certificate")).toBe(days(limits.certificateSeconds));
  expect(limits.certificateSeconds * 1000).toBe(VALIDITY.clientLeaf);
  expect(until("attestation nonce")).toBe(`${limits.attestationNonceSeconds / 60} minutes`);
  expect(until("idempotency")).toBe(hours(limits.idempotencySeconds));
  expect(until("guess")).toBe(`${limits.guessWindowSeconds / 60} minutes to one hour`);
});

it("docs/security.md points to headings of docs/protocol.md that are there", () => {
  const titles = [...PROTOCOL.matchAll(/^#+ (.*)$/gm)].map(([, title = ""]) =>
    title
      .toLowerCase()
      .replaceAll(/[^\w\s-]/g, "")
      .replaceAll(" ", "-"),
  );
  const anchors = [...DOCUMENT.matchAll(/\(protocol\.md#([^)]+)\)/g)].map(([, anchor]) => anchor);
  expect(anchors.length).toBeGreaterThan(1);
  for (const anchor of anchors) expect(titles).toContain(anchor);
});

it("docs/security.md names tests that exist", () => {
  const named = tablesOf(DOCUMENT)
    .filter(({ header }) => header.at(-1)?.startsWith("test"))
    .flatMap(({ rows }) => rows.flatMap((row) => row.at(-1)?.split(", ") ?? []));
  const known = projectFiles("**/*.{test,spec}.{ts,tsx}").map((path) =>
    path.replace(/\.(?:test|spec)\.tsx?$/, ""),
  );
  const isThere = (name: string) =>
    [name, `worker/${name}`].some((path) => known.some((test) => matches(test, path)));
  expect(named.length).toBeGreaterThan(40);
  expect(named.filter((name) => !isThere(name))).toEqual([]);
});

/** Whether `path` names a test, with `*` for the rest of a name. */
const matches = (test: string, path: string) =>
  path.endsWith("*") ? test.startsWith(path.slice(0, -1)) : test === path;
