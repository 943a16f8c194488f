import { spawnSync } from "node:child_process";
import { describe, expect, it } from "vitest";
import { ROOT } from "../project-files.ts";

/** Who may import whom is the linter's (biome.json of each folder): a breach planted in each folder is seen. */

/** What the linter says of `text`, were it the file at `path`. */
function lint(path: string, text: string): string {
  const args = ["lint", "--colors=off", `--stdin-file-path=${path}`];
  const { stdout, stderr } = spawnSync("biome", args, { cwd: ROOT, input: text, encoding: "utf8" });
  return stdout + stderr;
}

describe("a wall between folders", () => {
  it.each([
    ["core/sec/a.ts", 'import { x } from "../pki/b.ts"; x();', "knows no certificate"],
    ["core/sec/a.ts", 'import type { X } from "../../worker/b.ts"; export type Y = X;', "knows nobody else"],
    ["core/sec/initiator-2.ts", 'import { x } from "./responder.ts"; x();', "never meet"],
    ["core/encoding/a.ts", 'import { x } from "../sec/b.ts"; x();', "what they carry"],
    ["db/a.ts", 'import { x } from "../worker/b.ts"; x();', "db knows core alone"],
    ["worker/tags/a.ts", 'import { x } from "../sessions/b.ts"; x();', "devices and journeys"],
    ["worker/devices/a.ts", 'import { x } from "../tags/b.ts"; x();', "no journeys"],
    ["worker/http/a.ts", 'import { x } from "../tags/b.ts"; x();', "what for"],
    ["worker/app.ts", 'export const x = await import("../sdk/index.ts");', "core and db"],
    ["worker/tags/a.ts", 'import { x } from "../../core/sec/initiator.ts"; x();', "the token"],
    ["sdk/a.ts", 'import type { Env } from "../worker/config/env.ts"; export type E = Env;', "core alone"],
    ["sdk/flows/a.ts", 'import { x } from "../../sim/tag/tag-simulator.ts"; x();', "core alone"],
    ["sim/tag/a.ts", 'import { x } from "../../sdk/index.ts"; x();', "never see the SDK"],
    ["web/ui/a.tsx", 'import { x } from "../state/b.ts"; x();', "no screen, no state"],
    ["web/kiosk/a.tsx", 'import { x } from "../pages/b.tsx"; x();', "do not know each other"],
    ["web/pages/a.tsx", 'import type { X } from "../../worker/b.ts"; export type Y = X;', "by its contract"],
    ["web/job/a.tsx", 'import { x } from "../pages/b.tsx"; x();', "neither the passenger's pages"],
  ])("in %s refuses %s", (path, text, reason) => {
    expect(lint(path, text)).toContain(reason);
  });

  it.each([
    ["core/sec/a.ts", "@peculiar/x509"],
    ["core/api/a.ts", "node:crypto"],
    ["sdk/a.ts", "solid-js"],
    ["worker/tags/a.ts", "valibot"],
    ["web/pages/a.tsx", "idb"],
  ])("in %s refuses the package %s", (path, name) => {
    expect(lint(path, `import x from "${name}"; x();`)).toContain("A package is a decision");
  });

  it.each([
    ["core/sec/a.ts", 'import { x } from "../encoding/bytes.ts";\n\nx();\n'],
    ["core/pki/a.ts", 'import * as x from "@peculiar/x509";\n\nx.f();\n'],
    ["worker/tags/a.ts", 'import { x } from "../journeys/view.ts";\n\nx();\n'],
    ["sdk/flows/a.ts", 'import { x } from "../../core/sec/initiator.ts";\n\nx();\n'],
    ["web/pages/a.tsx", 'import { x } from "../job/destination.ts";\n\nx();\n'],
  ])("in %s lets pass %s", (path, text) => {
    expect(lint(path, text)).not.toContain("noRestrictedImports");
  });
});

it.each(["performance.now();", "console.log(1);", 'fetch("/");', "setTimeout(f, 1);"])(
  "core may not say %s: clock, chance and network are arguments",
  (text) => {
    expect(lint("core/sec/a.ts", text)).toContain("are arguments in core");
  },
);
