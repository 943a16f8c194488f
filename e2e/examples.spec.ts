import { spawn, spawnSync } from "node:child_process";
import { cpSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { codeBlocks } from "../scripts/documents/code-blocks.ts";
import { ROOT } from "../scripts/project-files.ts";
import { requireFree } from "../scripts/serve/port.ts";
import { must } from "./support/host-project.ts";
import { expect, test } from "./support/test.ts";

test("what the documentation of feeds shows with curl goes all the way", ({ service }, info) => {
  info.skip(spawnSync("curl", ["--version"]).error !== undefined, "this machine has no curl");
  const folder = mkdtempSync(join(tmpdir(), "taglatch-feed-"));
  const script = `set -euo pipefail\nSERVICE=${service}\n${codeBlocks("docs/feed.md", "sh").join("\n")}`;
  const said = must("bash", ["-c", script], folder).trim().split("\n");
  const id = expect.stringMatching(/^\d+$/);
  const token = expect.stringMatching(/^[\w-]{200,}$/);
  expect(said).toEqual([id, "applied", "false", token, "true", "false", "released,attached", "0"]);
  rmSync(folder, { recursive: true });
});

/** Done after the story, however it ends. */
const ends: (() => void)[] = [];
const after = (end: () => void) => ends.push(end);
test.afterEach(() => {
  for (const end of ends.splice(0)) end();
});

/** Below those that systems give to whoever asks for any: between this look and its use nobody else gets it by chance. */
async function freePort(): Promise<string> {
  for (;;) {
    const port = 20_000 + Math.floor(Math.random() * 10_000);
    const isFree = await requireFree("127.0.0.1", port).then(
      () => true,
      () => false,
    );
    if (isFree) return String(port);
  }
}

/** The shell blocks of docs/listen.md for whoever listens; the others are its operator's. */
const listening = () => codeBlocks("docs/listen.md", "sh").filter((block) => !/npm run .*ops --/.test(block));

test(
  "what the documentation of events shows is told in order, to who asks and to who is sent it",
  { tag: "@night" },
  async ({ server }, info) => {
    info.skip(spawnSync("curl", ["--version"]).error !== undefined, "this machine has no curl");
    const folder = mkdtempSync(join(tmpdir(), "taglatch-listen-"));
    const ops = (...words: string[]) =>
      must("node", ["scripts/ops/ops.ts", "webhook", ...words, "--state", server.stateDir], ROOT);
    const PORT = await freePort();
    const url = `http://127.0.0.1:${PORT}/`;
    const [, WEBHOOK_SECRET = ""] =
      /secret: (\S+)/.exec(ops("add", "--id", "shown", "--url", url, "--airline", "SK")) ?? [];
    const receiver = spawn("node", [join(ROOT, "examples/receiver.mjs"), PORT], {
      env: { ...process.env, WEBHOOK_SECRET },
    });
    after(() => receiver.kill());
    let heard = "";
    receiver.stdout.on("data", (chunk: Buffer) => {
      heard += chunk.toString();
    });
    await expect.poll(() => heard, { timeout: 60_000 }).toContain("listening");
    // What other stories did before may have been sent while nobody listened.
    ops("replay", "--id", "shown");
    const script = `set -euo pipefail\nSERVICE=${server.url}\n${listening().join("\n")}`;
    const said = must("bash", ["-c", script], folder).trim().split("\n");
    expect(said).toEqual(["true", "false", "attached 0117123456,cleared 0117123456"]);
    await expect
      .poll(() => heard, { timeout: 60_000 })
      .toContain("attached 0117123456\ncleared 0117123456\n");
    rmSync(folder, { recursive: true });
  },
);

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
  tag: "@night",
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
