import { readFileSync } from "node:fs";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { DIST, MANIFEST } from "./build.ts";
import { loadedLater, loadedWith, type Manifest } from "./bundle.ts";

/** Budgets in bytes after gzip. */
const BUDGET = { firstLoad: 35_000, transferPath: 100_000, css: 8_000 };
/** What a transfer loads beyond the first page. */
const TRANSFER = ["sdk/client.ts", "pages/JourneyPage.tsx", "pages/TransferPage.tsx"];
/** Not part of a transfer: the simulator, updates, curves for browsers whose WebCrypto lacks them, other languages. */
const ELSEWHERE = [
  /^sim\//,
  /\/sim\//,
  /pwa-register/,
  /workbox/,
  /@noble\//,
  /^index\.html$/,
  /^i18n\/(?!en)/,
];
/** Texts that only the desks of developers have: none may reach a passenger who did not ask for one. */
const DESK_TEXTS = [
  // Virtual tags, and their replay.
  "a v2.1 tag needs a credential",
  "/demo/tags.json",
  "Decoded again by this version",
  // The pseudo-locale.
  "en-x-pseudo",
  // /diagnostics and /conformance.
  "What this browser can do",
  "Connect a tag and run every check",
];
/** "Record locator" in every language but English: who reads one loads one. */
const FOREIGN_TEXTS = [
  "Buchungscode",
  "Référence de réservation",
  "Localizador de reserva",
  "Bookingreferanse",
  "رمز الحجز",
  "预订编号",
  "予約番号",
];

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
const all = new Set(Object.values(manifest).map(({ file }) => file));

/** `words` are in a chunk of their own, and in none of `files`. */
function keepOut(words: string, files: readonly string[], what: string): void {
  for (const file of files.filter((one) => text(one).includes(words)))
    problems.push(`${file} contains ${what} ("${words}")`);
  // A text no chunk has would prove nothing.
  const others = [...all].filter((file) => file.endsWith(".js") && !files.includes(file));
  if (!others.some((file) => text(file).includes(words)))
    problems.push(`no other chunk contains "${words}": this check is out of date`);
}

for (const words of DESK_TEXTS) keepOut(words, ordinary, "a developer's desk");
for (const words of FOREIGN_TEXTS) keepOut(words, ordinary, "another language");

for (const problem of problems) console.error(problem);
if (problems.length > 0) process.exitCode = 1;
