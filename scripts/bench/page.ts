/** Every measure of the page in one table: goal, figure, and what this machine needs for an empty page. */
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { bundleSizes, DESK_TEXTS, misplaced } from "../build/bundle-sizes.ts";
import { run } from "../run.ts";
import { startServer } from "../serve/server.ts";
import { countPlaywright } from "../test/test-counts.ts";
import { type Http2Front, http2Front } from "./http2-front.ts";
import { type Lab, type LabFigures, measureLab } from "./page-lab.ts";
import { measureInstalled, measureResponses } from "./page-story.ts";
import { putChromiumFirst, requireQuiet } from "./quiet.ts";
import { printTable } from "./table.ts";

interface Measure {
  readonly what: string;
  readonly goal: string;
  readonly figure: string;
  readonly floor?: string;
  readonly met: boolean;
}

/** Measures that are tests: what they show, and the files with the tests. */
const TESTS = [
  [
    "axe: no violation on any screen × direction × colours × {320 px, 200 % text}",
    ["every-screen", "accessibility"],
  ],
  ["transfer, proof and clear by keyboard alone", ["keyboard"]],
  ["eight languages, no hard-coded string in the pseudo-locale", ["languages"]],
  ["an update never interrupts a job", ["update"]],
] as const;

/** Prints the table; resolves with whether every goal was met. */
export async function benchPage(): Promise<boolean> {
  await requireQuiet();
  const folder = mkdtempSync(join(tmpdir(), "taglatch-page-"));
  putChromiumFirst(folder);
  const front = await http2Front();
  const vars = { PUBLIC_ORIGIN: front.origin };
  const server = await startServer({ port: 0, stateDir: folder, vars });
  const measures: Measure[] = [];
  try {
    measures.push(...sizeMeasures(), ...labMeasures(await measureLab(front, server.url)));
    measures.push(...(await storyMeasures(front, server.url)));
  } finally {
    front.stop();
    await server.stop();
    rmSync(folder, { recursive: true });
  }
  for (const [what, files] of TESTS) measures.push(await testMeasure(what, files));
  printTable(
    "The page (Lighthouse mobile, median of 5; floor: an empty page, measured alike)",
    measures.map(({ what, goal, figure, floor = "", met }) => ({
      what,
      goal,
      figure,
      floor,
      met: met ? "yes" : "NO",
    })),
  );
  return measures.every(({ met }) => met);
}

function sizeMeasures(): Measure[] {
  const kilobytes = (bytes: number) => (bytes / 1000).toFixed(1);
  const strays = misplaced(DESK_TEXTS, "a developer's desk");
  return [
    ...bundleSizes().map(({ name, bytes, limit }) => ({
      what: `${name}, kB gzip`,
      goal: `≤ ${limit / 1000}`,
      figure: kilobytes(bytes),
      met: bytes <= limit,
    })),
    {
      what: "simulator in first load and transfer path, texts found",
      goal: "0",
      figure: `${strays.length}`,
      met: strays.length === 0,
    },
  ];
}

function labMeasures({ screens, floor }: Lab): Measure[] {
  return Object.entries(screens).flatMap(([name, figures]) => {
    // The dialog's performance is that of the page beneath it; the rest is from a snapshot.
    const screen = name === "proof" ? "proof (performance: page beneath; rest: snapshot)" : name;
    return [
      scores(screen, figures, floor),
      atMost(`${screen}: LCP, ms`, 1_200, figures.lcp, floor.lcp),
      atMost(`${screen}: CLS`, 0.02, figures.cls, floor.cls, 3),
      atMost(`${screen}: TBT, ms`, 50, figures.tbt, floor.tbt),
    ];
  });
}

function scores(screen: string, figures: LabFigures, floor: LabFigures): Measure {
  const { performance, accessibility, bestPractices } = figures;
  return {
    what: `${screen}: performance / accessibility / best practices`,
    goal: "≥ 98 / 100 / 100",
    figure: `${performance} / ${accessibility} / ${bestPractices}`,
    floor: `${floor.performance}`,
    met: performance >= 98 && accessibility === 100 && bestPractices === 100,
  };
}

function atMost(what: string, goal: number, figure: number, floor?: number, digits = 0): Measure {
  return {
    what,
    goal: `≤ ${goal}`,
    figure: figure.toFixed(digits),
    ...(floor === undefined ? {} : { floor: floor.toFixed(digits) }),
    met: figure <= goal,
  };
}

async function storyMeasures(front: Http2Front, service: string): Promise<Measure[]> {
  const { inp, floor } = await measureResponses(front, service);
  console.log(`responses ${inp} ms`);
  const { offlineStart, obstacles } = await measureInstalled(front);
  return [
    atMost("INP during a transfer with proof, CPU at a quarter, ms", 100, inp, floor),
    atMost("offline start, first paint with content, ms", 1_000, offlineStart),
    {
      what: "installable: what keeps the browser from it",
      goal: "nothing",
      figure: obstacles.join(", ") || "nothing",
      met: obstacles.length === 0,
    },
  ];
}

async function testMeasure(what: string, files: readonly string[]): Promise<Measure> {
  const report = join(tmpdir(), `taglatch-page-${process.pid}.json`);
  await run("playwright", ["test", ...files, "--reporter=json"], {
    // In full: a measure is of every setting.
    env: { PLAYWRIGHT_JSON_OUTPUT_NAME: report, FULL: "1" },
  });
  const { passed, failed, skipped } = countPlaywright(JSON.parse(readFileSync(report, "utf8")));
  rmSync(report);
  console.log(`${files.join(", ")}: ${passed} passed`);
  if (failed.length > 0) console.log(failed.join("\n"));
  return {
    what,
    goal: "all tests",
    figure: `${passed} of ${passed + failed.length + skipped} passed`,
    met: passed > 0 && failed.length + skipped === 0,
  };
}
