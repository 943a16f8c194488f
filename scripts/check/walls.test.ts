import { spawnSync } from "node:child_process";
import { copyFileSync, mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, it } from "vitest";
import { projectFiles, ROOT } from "../project-files.ts";
import { temporaryFolder } from "../test/test-support/temporary-folder.ts";

/** The linter (biome.json of each folder) must catch a forbidden import planted in each folder. */

const REFUSED = [
  ["core/sec", 'import { x } from "../pki/b.ts"; x();', "knows no certificate"],
  ["core/sec", 'import type { X } from "../../worker/b.ts"; export type Y = X;', "knows nobody else"],
  ["core/sec", 'import { x } from "./responder.ts"; x();', "never meet"],
  ["core/encoding", 'import { x } from "../sec/b.ts"; x();', "what they carry"],
  ["core/sec", "performance.now();", "Do not use the global variable"],
  ["core/bag", 'fetch("/");', "Do not use the global variable"],
  ["core/pki", "export const now = () => Date.now();", "Time and randomness are arguments"],
  ["db", 'import { x } from "../worker/b.ts"; x();', "db knows core alone"],
  ["worker", 'export const x = await import("../sdk/index.ts");', "core and db"],
  ["db/demo", 'import { x } from "../../worker/tags/rules.ts"; x();', "db knows core alone"],
  ["worker/audit", 'import { x } from "../scheduled/b.ts"; x();', "stand above what they run"],
  ["worker/secrets", 'import { x } from "../tags/b.ts"; x();', "what for"],
  ["worker/tags", 'import { x } from "../sessions/b.ts"; x();', "devices and journeys"],
  ["worker/tags", 'import { x } from "../../core/sec/initiator.ts"; x();', "the token"],
  ["worker/devices", 'import { x } from "../tags/b.ts"; x();', "no journeys"],
  ["worker/tracing", 'import { x } from "../tags/b.ts"; x();', "no journeys"],
  ["worker/http", 'import { x } from "../tags/b.ts"; x();', "what for"],
  ["sdk", 'import type { Env } from "../worker/config/env.ts"; export type E = Env;', "core alone"],
  ["sdk/flows", 'import { x } from "../../sim/tag/tag-simulator.ts"; x();', "core alone"],
  ["sim/tag", 'import { x } from "../../sdk/index.ts"; x();', "never see the SDK"],
  ["worker/tags", 'import { x } from "../../kit/certificates/b.ts"; x();', "core and db"],
  ["kit/radio", 'import { x } from "../../sdk/index.ts"; x();', "as a maker's firmware would"],
  ["kit/tag", 'import { x } from "../../db/schema.ts"; x();', "the demo's CA"],
  ["kit/tag", 'import { x } from "../../scripts/ops/b.ts"; x();', "the demo's CA"],
  ["kit/phone", 'import { x } from "../../sdk/tag/tag.ts"; x();', "one entrance"],
  ["kit/conformance", 'import { x } from "../../web/b.ts"; x();', "they know core and the SDK"],
  [
    "kit/conformance",
    'import { x } from "../../sim/tag/tag-simulator.ts"; x();',
    "they know core and the SDK",
  ],
  ["kit/certificates", 'import { x } from "../../db/lookup-keys.ts"; x();', "the demo's CA"],
  ["kit/radio", 'import x from "serialport"; x();', "A package is a decision"],
  ["web/ui", 'import { x } from "../state/b.ts"; x();', "no screen, no state"],
  ["web/kiosk", 'import { x } from "../pages/b.tsx"; x();', "do not know each other"],
  ["web/desk", 'import { x } from "../../sdk/tag/tag.ts"; x();', "one entrance"],
  ["web/pages", 'import type { X } from "../../sdk/types.ts"; export type Y = X;', "one entrance"],
  ["web/pages", 'import type { X } from "../../worker/b.ts"; export type Y = X;', "by its contract"],
  ["web/pages", 'import { x } from "../../kit/conformance/checks.ts"; x();', "through the desk"],
  ["web/desk", 'import { x } from "../../kit/tag/options.ts"; x();', "the checks"],
  ["web/job", 'import { x } from "../pages/b.tsx"; x();', "neither the passenger"],
  ["scripts/serve", 'import { x } from "../../e2e/support/tour.ts"; x();', "never the other way"],
  ["core/sec", 'import x from "@peculiar/x509"; x();', "A package is a decision"],
  ["core/pki", 'import x from "@peculiar/x509"; x();', "A package is a decision"],
  ["core/api", 'import x from "node:crypto"; x();', "A package is a decision"],
  ["sdk", 'import x from "solid-js"; x();', "A package is a decision"],
  ["web/pages", 'import x from "idb"; x();', "A package is a decision"],
] as const;

const ALLOWED = [
  ["core/sec", 'import { x } from "../encoding/bytes.ts"; x();'],
  ["kit/certificates", 'import * as x from "@peculiar/x509"; x.f();'],
  ["worker/tags", 'import { x } from "../journeys/view.ts"; x();'],
  ["kit/radio", 'import { x } from "../../sim/tag/tag-simulator.ts"; x();'],
  ["kit/radio", 'import x from "ble-host"; x.f();'],
  ["kit/tag", 'import x from "../../db/demo/tag-ca.json" with { type: "json" }; x();'],
  ["kit/conformance", 'import { x } from "../../sdk/index.ts"; x();'],
  ["web/desk", 'import { x } from "../../kit/conformance/checks.ts"; x();'],
  ["sdk/flows", 'import { x } from "../../core/sec/initiator.ts"; x();'],
  ["e2e/support", 'import { x } from "../../scripts/drivers/caller.ts"; x();'],
  ["web/pages", 'import { x } from "../job/journey-view.ts"; x();'],
  ["web/pages", 'import { x } from "../../sdk/index.ts"; x();'],
] as const;

const copy = temporaryFolder();

/** The linter's findings for each planted file, by path, in a project with our rules and nothing else. */
function lint(): Map<string, string> {
  for (const path of [...projectFiles("biome.json", "*/biome.json", "*/*.grit"), ".gitignore"]) {
    mkdirSync(dirname(join(copy, path)), { recursive: true });
    copyFileSync(join(ROOT, path), join(copy, path));
  }
  [...REFUSED, ...ALLOWED].forEach(([folder, text], index) => {
    mkdirSync(join(copy, folder), { recursive: true });
    writeFileSync(join(copy, folder, `planted-${index}.ts`), `${text}\n`);
  });
  const args = ["lint", "--reporter=json", "--max-diagnostics=none"];
  const { stdout } = spawnSync("biome", args, { cwd: copy, encoding: "utf8" });
  const { diagnostics } = JSON.parse(stdout);
  const found = new Map<string, string>();
  for (const { location, message } of diagnostics) {
    const path = location.path ?? "";
    found.set(path, `${found.get(path) ?? ""}${message}\n`);
  }
  return found;
}

const found = lint();

it.each(REFUSED.map((row, index) => [...row, index] as const))(
  "in %s refuses %s",
  (folder, _text, reason, index) => {
    expect(found.get(`${folder}/planted-${index}.ts`)).toContain(reason);
  },
);

it.each(ALLOWED.map((row, index) => [...row, index] as const))(
  "in %s lets pass %s",
  (folder, _text, index) => {
    expect(found.get(`${folder}/planted-${REFUSED.length + index}.ts`)).toBeUndefined();
  },
);

/** Types of disposal and half floats come with those of Node. */
const NEWER_TYPES = /lib\.es(?:202[4-9]|next)(?!\.disposable|\.float16)[\w.]*/g;

/** A dependency whose types refer to a newer library would let each folder use it. */
it.each(["core", "sdk", "sim", "kit/conformance", "web"])(
  "%s is compiled without what its oldest browsers lack",
  (folder) => {
    const { stdout } = spawnSync("tsc", ["-p", folder, "--listFilesOnly"], { cwd: ROOT, encoding: "utf8" });
    expect(stdout).toContain("lib.es2023.d.ts");
    expect(stdout.match(NEWER_TYPES) ?? []).toEqual([]);
  },
);
