import { readFileSync } from "node:fs";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { DIST, MANIFEST } from "./build.ts";
import { loadedLater, loadedWith, type Manifest } from "./bundle.ts";

/** Budgets in bytes after gzip. */
const BUDGET = { firstLoad: 35_000, transferPath: 100_000, css: 8_000 };
/** What a transfer loads beyond the first page. */
const TRANSFER = ["sdk/client.ts", "pages/JourneyPage.tsx", "pages/TransferPage.tsx"];
/** Not part of a transfer: the simulator, updates, and curves for browsers whose WebCrypto lacks them. */
const ELSEWHERE = [/^sim\//, /\/sim\//, /pwa-register/, /workbox/, /@noble\//, /^index\.html$/];
/** Texts that only the simulator has: none may reach a passenger without a virtual tag. */
const SIMULATOR_TEXTS = ["a v2.1 tag needs a credential", "/demo/tags.json"];

const manifest = JSON.parse(readFileSync(MANIFEST, "utf8")) as Manifest;
const text = (file: string) => readFileSync(join(DIST, "client", file), "utf8");
const gzip = (files: Iterable<string>) =>
  [...files].reduce((sum, file) => sum + gzipSync(text(file), { level: 9 }).length, 0);
const filesOf = (keys: Iterable<string>) => new Set([...keys].map((key) => manifest[key]?.file ?? ""));

const first = loadedWith(manifest, ["index.html"]);
const transfer = loadedLater(manifest, TRANSFER, ELSEWHERE);
const styles = new Set([...first, ...transfer].flatMap((key) => manifest[key]?.css ?? []));
const firstFiles = filesOf(first);
const transferFiles = filesOf([...transfer].filter((key) => !first.has(key)));
const problems: string[] = [];

function budget(name: string, bytes: number, limit: number): void {
  console.log(`${name.padEnd(14)} ${(bytes / 1000).toFixed(1).padStart(6)} kB of ${limit / 1000}`);
  if (bytes > limit) problems.push(`${name}: ${bytes} bytes gzip, at most ${limit}`);
}

budget("first load", gzip(firstFiles), BUDGET.firstLoad);
budget("transfer path", gzip(transferFiles), BUDGET.transferPath);
budget("styles", gzip(styles), BUDGET.css);

const ordinary = [...firstFiles, ...transferFiles];
const others = Object.values(manifest)
  .map(({ file }) => file)
  .filter((file) => file.endsWith(".js") && !ordinary.includes(file));
for (const words of SIMULATOR_TEXTS) {
  for (const file of ordinary.filter((one) => text(one).includes(words)))
    problems.push(`${file} contains the simulator ("${words}")`);
  // A text no chunk has would prove nothing.
  if (!others.some((file) => text(file).includes(words)))
    problems.push(`no chunk contains "${words}": this check is out of date`);
}

for (const problem of problems) console.error(problem);
if (problems.length > 0) process.exitCode = 1;
