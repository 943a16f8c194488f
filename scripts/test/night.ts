/** A command of `npm run nightly`. */
export interface Night {
  readonly name: string;
  /** Why it does not run with every push. */
  readonly why: string;
  readonly command: readonly [string, ...string[]];
  readonly env?: Readonly<Record<string, string>>;
  /** Packages of Debian that it is worth more with. */
  readonly debian?: readonly string[];
}

const vitest = (...args: string[]) => ["vitest", "run", "--no-color", ...args] as const;

/** One row each: tests that leave `npm test` come here, with the reason. */
export const NIGHT: readonly Night[] = [
  {
    name: "core",
    why: "all of core in all three runtimes; by day workerd and Chromium run what may differ there",
    command: vitest("--project", "core-*"),
    env: { CORE_EVERYWHERE: "1" },
  },
  {
    name: "radio",
    why: "6,000 runs and 10,000 walks of the SDK over every kind of radio, a page that dies on both sides of every step, 1,000 seeds of tags; by day a hundred, one side, 20",
    command: vitest("--project", "radio", "--project", "sim"),
    env: { VITE_RUNS: "6000", VITE_WALKS: "10000", VITE_SEEDS: "1000", VITE_DEATHS: "10" },
  },
  {
    name: "att",
    why: "the link falls before and after every packet of a transfer and of a clear over real ATT; by day at 16 of them",
    command: vitest("--project", "kit", "kit/radio/falling-link"),
    env: { VITE_FALLS: "all" },
  },
  {
    name: "lock",
    why: "10,000 sequences of callers against the lock's model and the interface's, instead of 60 and 20",
    command: vitest(
      "--project",
      "worker",
      "worker/tags/lock-model.test.ts",
      "worker/test/api-sequences.test.ts",
    ),
    env: { VITE_SEQUENCES: "10000" },
  },
  {
    name: "bodies",
    why: "every wrong value in every field of every request; by day a third of them",
    command: vitest("--project", "worker", "worker/test/bad-input"),
    env: { VITE_BODIES: "all" },
  },
  {
    name: "pace",
    why: "two hours of scheduled runs at 40 transfers a second beside 300 networks that ask for all they may; by day five minutes and 20",
    command: vitest("--project", "worker", "worker/scheduled/keeps-pace"),
    env: { VITE_SIMULATED_RUNS: "24" },
  },
  {
    name: "grammars",
    why: "3,000 cases of each property of boarding passes, baggage messages and decoders instead of some hundred, and other colours of airlines",
    command: vitest(
      "--project",
      "core-node",
      "--project",
      "web",
      "core/bag/bcbp-grammar",
      "core/bag/bsm-grammar",
      "core/sec/fuzz",
      "web/ui/theme",
    ),
    env: { VITE_CASES: "3000" },
  },
  {
    name: "conformance",
    why: "every check at every broken tag; by day the groups that catch it and a twelfth of the others",
    command: vitest("--project", "kit", "kit/conformance"),
    env: { VITE_CHECKS: "all" },
  },
  {
    name: "conformance-att",
    why: "v2.0 tags over real ATT, and `npm run tag` itself, in a process of its own and by the clock: minutes of a tag's allowance; by day v2.1 alone",
    command: vitest("--project", "scripts", "kit/conformance/over-att"),
    env: { CONFORMANCE: "all" },
  },
  {
    name: "conformance-radio",
    why: "tags with and without a fault through the page and Chromium's Bluetooth, ten times; by day the same checks without a page, and over real ATT with the real service",
    command: ["playwright", "test", "conformance", "--workers", "1", "--repeat-each", "10"],
    env: { CONFORMANCE: "all" },
  },
  {
    name: "looks",
    why: "every screen in Arabic too, every picture, axe in every mixture of size and colours, and how well pictures are compared; by day English, one sight of each but a shift's, and one picture of every third",
    command: ["playwright", "test", "every-screen", "references"],
    env: { LOOKS: "all" },
  },
  {
    name: "sheets",
    why: "every screen in eight languages and twelve settings, as contact sheets under test-results/sheets, to be looked at; and what goes on is in sight on a small phone in each",
    command: ["playwright", "test", "contact-sheets"],
    env: { SHEETS: "all" },
    debian: ["fonts-noto-cjk"],
  },
  {
    name: "stories",
    why: "second and third ways through a journey, pages that end in the middle of one, and stories whose rule a test of the page, the SDK or the service sees by day; each takes two to fifteen seconds of a browser",
    command: ["playwright", "test", "--grep", "@night"],
    env: { STORIES: "all", LOOKS: "all" },
  },
  {
    name: "packed-sdk",
    why: "the SDK as a host installs and bundles it, from its package; by day the page is such a host, of the SDK's sources",
    command: ["playwright", "test", "installed-sdk"],
    env: { STORIES: "all" },
  },
  {
    name: "bridge",
    why: "what joins simulated tags to Chromium's Bluetooth, tried without the product; by day every story with a tag goes over it",
    command: ["playwright", "test", "emulation"],
    env: { BRIDGE: "1" },
  },
  {
    name: "wrangler",
    why: "plain `wrangler dev` serves the build: beside the other stories it did not become ready",
    command: ["playwright", "test", "wrangler-dev"],
    env: { WRANGLER_DEV: "1" },
  },
  {
    name: "tools",
    why: "how `npm run dev` fails, operators' statements through wrangler, a deployment rehearsed, the drill of restoring, two releases in two folders, arguments that commands refuse, `npm run tag` of v2.0, and every command of the documents: all start programs",
    command: vitest(
      "--project",
      "scripts",
      "scripts/serve/port",
      "scripts/deploy/rehearsal",
      "scripts/documents/run-documents",
      "scripts/ops/restore-drill",
      "scripts/ops/wrangled",
      "scripts/release/two-releases",
      "scripts/exit-codes",
      "kit/tag/npm-run-tag",
    ),
    env: { TOOLS: "all" },
  },
  {
    name: "custody",
    why: "whether the time of a refused proof tells anything: needs a machine with nothing else to do",
    command: ["node", "scripts/bench/bench.ts", "custody"],
  },
];
