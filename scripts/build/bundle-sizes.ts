/** What a visitor and the platform load when, in bytes after gzip, and which texts must not be in it. */
import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { DIST, MANIFEST } from "./build.ts";
import { loadedLater, loadedWith, type Manifest } from "./bundle.ts";

export interface Size {
  readonly name: string;
  readonly bytes: number;
  readonly limit: number;
}

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

/** Every module of the Worker: the platform takes them all, and an isolate parses them when it starts. */
const workerModules = () =>
  globSync("**/*.js", { cwd: join(DIST, "taglatch") }).map((file) => join("..", "taglatch", file));

const read = (file: string) => readFileSync(join(DIST, "client", file), "utf8");
const gzip = (files: Iterable<string>) =>
  [...files].reduce((sum, file) => sum + gzipSync(read(file), { level: 9 }).length, 0);

/** Sizes of the existing build. */
function chunks() {
  const manifest = JSON.parse(readFileSync(MANIFEST, "utf8")) as Manifest;
  const filesOf = (keys: Iterable<string>) => new Set([...keys].map((key) => manifest[key]?.file ?? ""));
  const first = loadedWith(manifest, ["index.html"]);
  const transfer = loadedLater(manifest, TRANSFER, ELSEWHERE);
  return {
    first: filesOf(first),
    transfer: filesOf([...transfer].filter((key) => !first.has(key))),
    screens: Object.entries(SCREENS).map(([screen, limit]) => {
      const alone = [...loadedWith(manifest, [screen])].filter((key) => !first.has(key));
      return { name: screen.replace(/^.*\/|\.tsx$/g, ""), files: filesOf(alone), limit };
    }),
    styles: stylesOf(manifest, [...first, ...transfer]),
    kioskStyles: stylesOf(manifest, loadedWith(manifest, [KIOSK])),
    all: new Set(Object.values(manifest).map(({ file }) => file)),
  };
}

const stylesOf = (manifest: Manifest, keys: Iterable<string>) =>
  new Set([...keys].flatMap((key) => manifest[key]?.css ?? []));

export function bundleSizes(): Size[] {
  const { first, transfer, screens, styles, kioskStyles } = chunks();
  return [
    { name: "first load", bytes: gzip(first), limit: 35_000 },
    { name: "transfer path", bytes: gzip(transfer), limit: 100_000 },
    { name: "styles", bytes: gzip(styles), limit: 8_000 },
    { name: "kiosk styles", bytes: gzip(kioskStyles), limit: 10_500 },
    ...screens.map(({ name, files, limit }) => ({ name, bytes: gzip(files), limit })),
    { name: "worker", bytes: gzip(workerModules()), limit: 165_000 },
  ];
}

/** Finds `texts` that every passenger loads, or that are in no chunk at all, which would prove nothing. */
export function misplaced(texts: readonly string[], what: string): string[] {
  const { first, transfer, all } = chunks();
  const ordinary = [...first, ...transfer];
  const others = [...all].filter((file) => file.endsWith(".js") && !ordinary.includes(file)).map(read);
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
export const DESK_TEXTS = [
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
