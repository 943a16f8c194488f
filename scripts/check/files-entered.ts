/**
 * Counts the files to open to follow one request or one transfer: those of ours with at least one named
 * function that ran, by V8's precise coverage. The sources run as they are, in Node, whose stripping of types leaves them
 * one to one; the service beside its real database, from the Worker's `fetch` to the answer. What a runtime does once
 * (settings, keys) is done before. Packages do not count, nor tests' support, nor this file.
 */
import { type Profiler, Session } from "node:inspector/promises";
import { relative } from "node:path";
import { fileURLToPath } from "node:url";
import type { Miniflare } from "miniflare";
import { HEADER } from "../../core/api/index.ts";
import { radioScene } from "../../sdk/test-support/radio-scene.ts";
import { valueIn } from "../../sdk/test-support/value-in.ts";
import { signCommit, tagCertificateOf } from "../../worker/test-support/signing-tag.ts";
import { bodyOf, Caller } from "../drivers/caller.ts";
import { ROOT } from "../project-files.ts";
import { bareRuntime } from "../serve/bare-runtime.ts";
import { developmentSecrets } from "../serve/keys.ts";
import { fill } from "../serve/server.ts";

/** What to follow, and the most files of ours it may take; of `worker/`, where that is the goal. */
const MOST = {
  "8 authorize": { files: 20 },
  "9 attach, keyed, with a statement": { ofWorker: 15 },
  "11 prove": { files: 22 },
  "12 unlock": { files: 16 },
  "transferTag, to a virtual tag's COMMITTED": { files: 60 },
} as const;
type Followed = keyof typeof MOST;

const NOT_FOLLOWED = /^(node_modules|scripts|e2e)\/|\/test-support\//;

/** Prints how many files each enters. With `lists`, also which. */
export async function printFilesEntered({ lists }: { readonly lists: boolean }): Promise<void> {
  const inspector = new Session();
  inspector.connect();
  await inspector.post("Profiler.enable");
  await inspector.post("Profiler.startPreciseCoverage", { callCount: true, detailed: false });
  const found = new Map<Followed, readonly string[]>();
  const follow: Follow = async (name, work) => {
    // Each reading resets the counts.
    await inspector.post("Profiler.takePreciseCoverage");
    await work();
    const { result } = await inspector.post("Profiler.takePreciseCoverage");
    found.set(name, result.filter(wasEntered).map(pathOf).filter(isFollowed).sort());
  };
  await followRequests(follow);
  await followTransfer(follow);
  inspector.disconnect();
  report(found, lists);
}

type Follow = (name: Followed, work: () => Promise<unknown>) => Promise<void>;

const wasEntered = ({ url, functions }: Profiler.ScriptCoverage) =>
  url.startsWith("file:") &&
  functions.some(({ functionName, ranges: [whole] }) => functionName !== "" && (whole?.count ?? 0) > 0);

const pathOf = ({ url }: Profiler.ScriptCoverage) => relative(ROOT, fileURLToPath(url));
const isFollowed = (path: string) => !NOT_FOLLOWED.test(path);

const TAG = "ebt-21-0001";

/** One tag's life, twice: first to run what happens only once, then to count. */
async function followRequests(follow: Follow): Promise<void> {
  const miniflare = bareRuntime();
  const { log } = console;
  const { fetch } = globalThis;
  // The Worker writes a line per request.
  console.log = () => undefined;
  try {
    const settled = await answerFetch(miniflare);
    const [holder, other] = [await Caller.guest(SERVICE), await Caller.guest(SERVICE)];
    const plain = { device: { uniqueID: TAG }, baggageId: 1 };
    const attach = (more = {}, headers = {}) =>
      bodyOf(holder.post("/v2/device-attachments", { ...plain, ...more }, headers));
    const named = { uniqueDeviceId: TAG };
    const proof = { ...named, recordLocator: "ABC123", surname: "LOVELACE" };
    const steps = {
      "8 authorize": () => bodyOf(holder.post("/v2/ebt-authorizations", { ...named, nonce: "A".repeat(22) })),
      "12 unlock": () => bodyOf(holder.post("/v2/ebt-unlocks", named)),
      "11 prove": () => bodyOf(other.post("/v2/ebt-custody-proofs", proof)),
    };
    for (const [name, step] of Object.entries(steps)) {
      await attach();
      await step();
      await attach();
      await settled();
      await follow(name as Followed, step);
    }
    for (const commits of [1, 2]) {
      const { transactionToken } = await steps["8 authorize"]();
      const tagStatement = await signCommit(TAG, String(transactionToken), commits);
      const signed = { tagCertificate: tagCertificateOf(TAG), tagStatement };
      await settled();
      await follow("9 attach, keyed, with a statement", () =>
        attach(signed, { [HEADER.idempotencyKey]: `files-${commits}` }),
      );
      await steps["12 unlock"]();
    }
    await settled();
  } finally {
    console.log = log;
    globalThis.fetch = fetch;
    await miniflare.dispose();
  }
}

/** The Worker's entry point. Its types are for workerd, not for Node, so it is imported by name alone. */
interface Worker {
  fetch(
    request: Request,
    bindings: Readonly<Record<string, unknown>>,
    context: { readonly waitUntil: (work: Promise<unknown>) => void },
  ): Promise<Response>;
}
const WORKER: string = "../../worker/index.ts";
const SERVICE = "https://taglatch.test";

/** The Worker itself answers `fetch` in this process, with the development data; resolves what follows its answers. */
async function answerFetch(miniflare: Miniflare): Promise<() => Promise<unknown>> {
  const secrets = await developmentSecrets();
  const bindings = { ...secrets, DB: await fill(miniflare, secrets) };
  const { default: worker }: { readonly default: Worker } = await import(WORKER);
  // What follows an answer is no part of its request, nor of the next.
  const afterwards: Promise<unknown>[] = [];
  const context = { waitUntil: (work: Promise<unknown>) => void afterwards.push(work) };
  globalThis.fetch = (input, init) => worker.fetch(new Request(input, init), bindings, context);
  return () => Promise.all(afterwards.splice(0));
}

async function followTransfer(follow: Follow): Promise<void> {
  const scene = await radioScene({ generation: "2.1", seed: 1 });
  await scene.pick();
  await follow("transferTag, to a virtual tag's COMMITTED", async () =>
    valueIn(await scene.job(() => scene.client.transferTag(scene.request))),
  );
}

function report(found: ReadonlyMap<Followed, readonly string[]>, lists: boolean): void {
  if (lists) for (const [name, paths] of found) console.log(`\n${name}\n  ${paths.join("\n  ")}`);
  const goalOf = (goal: { readonly files?: number; readonly ofWorker?: number }) =>
    goal.files === undefined ? `≤ ${goal.ofWorker} of worker/` : `≤ ${goal.files}`;
  const rows = (Object.keys(MOST) as Followed[]).map((name) => {
    const paths = found.get(name) ?? [];
    const ofWorker = paths.filter((path) => path.startsWith("worker/")).length;
    return { followed: name, files: paths.length, "of worker/": ofWorker, goal: goalOf(MOST[name]) };
  });
  console.log("files entered, by one request or one transfer: at least one named function ran");
  console.table(rows);
}
