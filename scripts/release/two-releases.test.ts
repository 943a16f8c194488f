import { execFileSync, spawnSync } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { afterAll, expect, it } from "vitest";
import { ROOT } from "../project-files.ts";

/** The same sources in another folder, with the packages beside them. */

// In the project's own file system, so that the packages are linked and not copied.
mkdirSync(join(ROOT, ".cache"), { recursive: true });
const folder = mkdtempSync(join(ROOT, ".cache", "elsewhere-"));
const elsewhere = join(folder, "of another name");
afterAll(() => rmSync(folder, { recursive: true, force: true }));

function copyProject(): void {
  mkdirSync(elsewhere);
  const listed = execFileSync("git", ["ls-files", "-z", "-co", "--exclude-standard"], {
    cwd: ROOT,
    encoding: "utf8",
  });
  for (const path of listed.split("\0").filter((each) => each !== "")) {
    mkdirSync(dirname(join(elsewhere, path)), { recursive: true });
    cpSync(join(ROOT, path), join(elsewhere, path));
  }
  // Without what Vite and Vitest keep there: they write and delete it while it would be copied.
  const packages = readdirSync(join(ROOT, "node_modules")).filter((name) => !/^\.vite/.test(name));
  mkdirSync(join(elsewhere, "node_modules"));
  const from = packages.map((name) => join(ROOT, "node_modules", name));
  execFileSync("cp", ["-al", ...from, join(elsewhere, "node_modules")]);
}

function released(where: string, name: string, ...words: string[]): string {
  const out = join(folder, name);
  const args = ["--no-warnings", "scripts/release/release.ts", "--dry-run", "--out", out, ...words];
  const { status, stderr } = spawnSync("node", args, { cwd: where, encoding: "utf8" });
  expect([status, stderr.replace(/^Building the page.*\n/, "")]).toEqual([0, ""]);
  return out;
}

it("two releases of the same sources in two folders are the same, bit for bit, and verify by their signature", () => {
  copyProject();
  execFileSync("ssh-keygen", ["-q", "-t", "ed25519", "-N", "", "-C", "", "-f", join(folder, "key")]);
  const here = released(ROOT, "here", "--key", join(folder, "key"));
  const there = released(elsewhere, "there");
  expect(readFileSync(join(there, "SHA256SUMS"), "utf8")).toBe(
    readFileSync(join(here, "SHA256SUMS"), "utf8"),
  );
  expect(readdirSync(here)).toContain("SHA256SUMS.sig");
  execFileSync("sha256sum", ["--check", "--strict", "SHA256SUMS"], { cwd: there, stdio: "pipe" });
  const signer = readFileSync(join(folder, "key.pub"), "utf8");
  writeFileSync(join(folder, "signers"), `release@airline.example namespaces="taglatch-release" ${signer}`);
  const words = "-Y verify -f ../signers -I release@airline.example -n taglatch-release -s SHA256SUMS.sig";
  const verify = (sums: Buffer) =>
    spawnSync("ssh-keygen", words.split(" "), { cwd: here, input: sums }).status;
  const sums = readFileSync(join(here, "SHA256SUMS"));
  expect(verify(sums)).toBe(0);
  expect(verify(Buffer.from(sums.toString().replace(/^./, "g")))).not.toBe(0);
});
