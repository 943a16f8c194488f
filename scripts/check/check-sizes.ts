/** What a visitor and the platform load when, in bytes after gzip, and which texts must not be in it. */
import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { FALLBACK, LOCALES } from "../../core/api/locales.ts";
import type { page } from "../../web/i18n/en-page.ts";
import { sum } from "../bench/harness.ts";
import { DIST, MANIFEST } from "../build/build.ts";
import { loadedLater, loadedWith, type Manifest } from "../build/bundle.ts";
import { projectText } from "../project-files.ts";

/** What a transfer loads beyond the first page. */
const TRANSFER = ["state/sdk-client.ts", "pages/JourneyPage.tsx", "pages/TransferPage.tsx"];
/**
 * What each screen loads by itself beyond the first page, in bytes: what it was when the gate was set, and some room. The
 * kiosk's is its entrance, which has every screen of it.
 */
const SCREENS: Readonly<Record<string, number>> = {
  "pages/JourneyPage.tsx": 16_500,
  "pages/TransferPage.tsx": 26_000,
  "pages/ClearPage.tsx": 24_000,
  "pages/TagPage.tsx": 13_000,
  "pages/ScanPage.tsx": 3_000,
  "pages/HandOverPage.tsx": 13_500,
  "kiosk/KioskRoot.tsx": 50_500,
};
const KIOSK = "kiosk/KioskRoot.tsx";

/** Not part of a transfer: the simulator, updates, curves for browsers whose WebCrypto lacks them, other languages. */
const ELSEWHERE = [
  /\/sim\//,
  /virtual-tags\//,
  /pwa-register/,
  /workbox/,
  /@noble\//,
  /^index\.html$/,
  /^i18n\/(?!en)/,
];

const read = (file: string) => readFileSync(join(DIST, "client", file), "utf8");
const manifest: Manifest = JSON.parse(readFileSync(MANIFEST, "utf8"));
const filesOf = (keys: Iterable<string>) => new Set([...keys].map((key) => manifest[key]?.file ?? ""));
const stylesOf = (keys: Iterable<string>) => new Set([...keys].flatMap((key) => manifest[key]?.css ?? []));

const first = loadedWith(manifest, ["index.html"]);
const later = loadedLater(manifest, TRANSFER, ELSEWHERE);
const beyondFirst = (keys: Iterable<string>) => filesOf([...keys].filter((key) => !first.has(key)));
const transfer = beyondFirst(later);
/** Every module of the Worker: the platform takes them all, and an isolate parses them when it starts. */
const worker = globSync("**/*.js", { cwd: join(DIST, "taglatch") }).map((file) =>
  join("..", "taglatch", file),
);

/** Of the build that is there. */
const sizes = [
  { name: "first load", files: filesOf(first), limit: 35_000 },
  { name: "transfer path", files: transfer, limit: 100_000 },
  { name: "styles", files: stylesOf([...first, ...later]), limit: 8_000 },
  { name: "kiosk styles", files: stylesOf(loadedWith(manifest, [KIOSK])), limit: 10_500 },
  ...Object.entries(SCREENS).map(([screen, limit]) => ({
    name: screen.replace(/^.*\/|\.tsx$/g, ""),
    files: beyondFirst(loadedWith(manifest, [screen])),
    limit,
  })),
  { name: "worker", files: worker, limit: 165_000 },
];

const problems: string[] = [];
for (const { name, files, limit } of sizes) {
  const bytes = sum([...files].map((file) => gzipSync(read(file), { level: 9 }).length));
  console.log(`${name.padEnd(14)} ${(bytes / 1000).toFixed(1).padStart(6)} kB of ${limit / 1000}`);
  if (bytes > limit) problems.push(`${name}: ${bytes} bytes gzip, at most ${limit}`);
}

const ordinary = [...filesOf(first), ...transfer];
const others = Object.values(manifest)
  .map(({ file }) => file)
  .filter((file) => file.endsWith(".js") && !ordinary.includes(file))
  .map(read);

/** Finds `texts` that every passenger loads, or that are in no chunk at all, which would prove nothing. */
function misplaced(texts: readonly string[], what: string): string[] {
  return texts.flatMap((text) => [
    ...ordinary
      .filter((file) => read(file).includes(text))
      .map((file) => `${file} contains ${what} ("${text}")`),
    ...(others.some((other) => other.includes(text))
      ? []
      : [`no other chunk contains "${text}": this check is out of date`]),
  ]);
}

/** Texts of the developers' pages: no passenger may load one unasked. */
const DESK_TEXTS = [
  // Virtual tags, and their replay.
  "a v2.1 tag needs a credential",
  "/demo/tags.json",
  "Decoded again by this version",
  // The pseudo-locale.
  "en-x-pseudo",
  // /diagnostics, and /conformance with its checks (kit/conformance).
  "What this browser can do",
  "Connect a tag and run every check",
  "Every characteristic of the generation",
];

/** "Record locator" in every other language: a visitor loads only one. */
const foreign = LOCALES.filter((locale) => locale !== FALLBACK).map((locale) => {
  const words: typeof page = JSON.parse(projectText(`web/i18n/${locale}/page.json`));
  return words.start.recordLocator;
});

problems.push(...misplaced(DESK_TEXTS, "a developer's desk"), ...misplaced(foreign, "another language"));
for (const problem of problems) console.error(problem);
if (problems.length > 0) process.exitCode = 1;
