import { cpSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { ROOT } from "../scripts/project-files.ts";
import { must } from "./support/host-project.ts";
import { expect, test } from "./support/test.ts";

/** A folder with an example in it, which knows nothing of ours but its own packages. */
function copyOf(example: string) {
  const root = mkdtempSync(join(tmpdir(), `taglatch-${example}-`));
  cpSync(join(ROOT, "examples", example), root, {
    recursive: true,
    filter: (path) => !path.includes("node_modules"),
  });
  return { root, remove: () => rmSync(root, { recursive: true, force: true }) };
}

test("a client generated from the OpenAPI document compiles strictly and does the main job from Node", {
  tag: "@nightly",
}, async ({ service }) => {
  const { root, remove } = copyOf("node");
  const generator = join(ROOT, "examples", "node", "node_modules", "openapi-typescript", "bin", "cli.js");
  must("node", [generator, `${service}/openapi.json`, "--output", "api.d.ts"], root);
  must("tsc", ["-p", root], root);
  const said = must("env", [`SERVICE=${service}`, "node", "--no-warnings", "main.ts"], root);
  expect(said.split("\n")).toEqual([
    "journey demo-journey-1, bag 1",
    "locked: false",
    expect.stringMatching(/^token for the tag: \d{3} characters$/),
    expect.stringMatching(/^locked since 20/),
    "a stranger: unauthorized_token",
    "locked: false",
    "",
  ]);
  // It would not compile against another contract.
  writeFileSync(
    join(root, "wrong.ts"),
    'import { createClient } from "./client.ts";\ncreateClient("", {}).post("/v2/ebt-unlocks", { device: 1 });\n',
  );
  writeFileSync(
    join(root, "tsconfig.json"),
    JSON.stringify({ extends: join(ROOT, "examples/node/tsconfig.json"), files: [join(root, "wrong.ts")] }),
  );
  expect(() => must("tsc", ["-p", root], root)).toThrow(/'device' does not exist/);
  remove();
});
