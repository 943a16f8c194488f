/** `npm run release -- --out FOLDER [--key FILE] [--dry-run]`: everything that is given to others, in one folder. */
import { execFileSync } from "node:child_process";
import { mkdirSync, readdirSync, statSync } from "node:fs";
import { join, resolve } from "node:path";
import {
  type CommandLine,
  runCommand,
  UsageError,
  type ValuesOf,
  WordsError,
} from "../../kit/command-line.ts";
import { withBuild } from "../build/build.ts";
import { FILE } from "../ops/command.ts";
import { sentenceOf } from "../ops/show.ts";
import { ROOT } from "../project-files.ts";
import { run } from "../run.ts";
import { writeRelease } from "./release-files.ts";

const RELEASE = {
  usage: "npm run release -- --out FOLDER [options]",
  options: {
    out: { value: "folder", help: "a new folder" },
    key: { ...FILE, help: "signs the checksums (OpenSSH)" },
    "dry-run": { help: "also what is not committed" },
  },
} as const satisfies CommandLine;

async function release({ out, key, "dry-run": isRehearsal }: ValuesOf<typeof RELEASE.options>) {
  if (out === undefined) throw new WordsError();
  if (!isRehearsal) requireCommitted();
  mkdirSync(out, { recursive: true });
  if (readdirSync(out).length > 0)
    throw new UsageError(`${out} is not empty: a release is made into a new folder`);
  await withBuild(async () => {
    for (const part of ["sdk", "kit"]) {
      const made = await run(process.execPath, ["--no-warnings", `scripts/build/build-${part}.ts`]);
      if (made.code !== 0) throw new UsageError(made.output);
    }
    writeRelease(resolve(out), isRehearsal);
    for (const name of readdirSync(out))
      console.log(`${String(statSync(join(out, name)).size).padStart(9)} ${name}`);
  });
  if (key !== undefined) sign(resolve(key), out);
}

/** What is released is what is committed. */
function requireCommitted(): void {
  const changed = execFileSync("git", ["status", "--porcelain"], { cwd: ROOT, encoding: "utf8" });
  if (changed !== "")
    throw new UsageError(`not everything is committed:\n${changed}(--dry-run does it all the same)`);
}

/** By OpenSSH: its keys may lie in an agent or in a piece of hardware, and who verifies needs nothing else. */
function sign(key: string, out: string): void {
  execFileSync("ssh-keygen", ["-q", "-Y", "sign", "-f", key, "-n", "taglatch-release", "SHA256SUMS"], {
    cwd: out,
    stdio: "inherit",
  });
  console.log("          SHA256SUMS.sig");
}

await runCommand(RELEASE, ({ values }) => release(values), sentenceOf);
