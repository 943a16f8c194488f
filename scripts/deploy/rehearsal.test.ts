/** Builds, and starts wrangler. */
import { readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { readCommandLine } from "../../kit/command-line.ts";
import { DEPLOY, deploy } from "./deploy.ts";
import { writeUploadConfig } from "./upload-config.ts";

it("the rehearsal of a deployment builds, and uploads nothing", async () => {
  const lines: string[] = [];
  await deploy(readCommandLine(DEPLOY, ["staging", "--dry-run"]), (line) => lines.push(line));
  const output = lines.join("\n");
  expect(output).toMatch(/^ok +1\/2 build: \w+$/m);
  expect(output).toMatch(/^ok +2\/2 upload rehearsed: Total Upload: .* gzip/m);
  expect(output).toContain("TO DO  wrangler.toml: database_id is the placeholder");
  expect(output).toContain("rehearsed: staging was not touched");
  const uploaded = JSON.parse(readFileSync(writeUploadConfig("staging"), "utf8")) as object;
  expect(uploaded).toMatchObject({ name: "taglatch-staging", workers_dev: false, no_bundle: true });
});
