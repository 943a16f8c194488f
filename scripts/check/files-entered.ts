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
import { fromBase64Url } from "../../core/encoding/bytes.ts";
import { seed } from "../../db/demo/seed.ts";
import { radioScene } from "../../sdk/test-support/radio-scene.ts";
import { valueIn } from "../../sdk/test-support/value-in.ts";
import { connect } from "../../worker/database/connect.ts";
import { signCommit, tagCertificateOf } from "../../worker/test-support/signing-tag.ts";
import { attestationObject } from "../drivers/caller.ts";
import { ROOT } from "../project-files.ts";
import { bareRuntime, databaseOf } from "../serve/bare-runtime.ts";
import { developmentSecrets } from "../serve/keys.ts";
import { migrate } from "../serve/migrate.ts";

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
  // The Worker writes a line per request.
  console.log = () => undefined;
  try {
    const { post, settled } = await serviceIn(miniflare);
    const [holder, other] = [await guest(post), await guest(post)];
    const plain = { device: { uniqueID: TAG }, baggageId: 1 };
    const named = { uniqueDeviceId: TAG };
    const proof = { ...named, recordLocator: "ABC123", surname: "LOVELACE" };
    const steps = {
      "8 authorize": () => post("/v2/ebt-authorizations", { ...named, nonce: "A".repeat(22) }, holder),
      "12 unlock": () => post("/v2/ebt-unlocks", named, holder),
      "11 prove": () => post("/v2/ebt-custody-proofs", proof, other),
    };
    for (const [name, step] of Object.entries(steps)) {
      await post("/v2/device-attachments", plain, holder);
      await step();
      await post("/v2/device-attachments", plain, holder);
      await settled();
      await follow(name as Followed, step);
    }
    for (const commits of [1, 2]) {
      const { transactionToken } = await steps["8 authorize"]();
      const tagStatement = await signCommit(TAG, String(transactionToken), commits);
      const attachment = { ...plain, tagCertificate: tagCertificateOf(TAG), tagStatement };
      const keyed = { ...holder, "Idempotency-Key": `files-${commits}` };
      await settled();
      await follow("9 attach, keyed, with a statement", () =>
        post("/v2/device-attachments", attachment, keyed),
      );
      await steps["12 unlock"]();
    }
    await settled();
  } finally {
    console.log = log;
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

type Post = (
  path: string,
  body: unknown,
  headers?: Readonly<Record<string, string>>,
) => Promise<Record<string, unknown>>;

/** The Worker itself in this runtime, with the development data. */
async function serviceIn(miniflare: Miniflare): Promise<{ post: Post; settled: () => Promise<unknown> }> {
  const secrets = await developmentSecrets();
  const database = await databaseOf(miniflare);
  await migrate(database);
  const keys = { pepper: fromBase64Url(secrets.PEPPER), dataKey: fromBase64Url(secrets.DATA_KEY) };
  await seed(connect(database), { now: Date.now(), ...keys });
  const { default: worker }: { readonly default: Worker } = await import(WORKER);
  const bindings = { ...secrets, DB: database };
  // What follows an answer is no part of its request, nor of the next.
  const afterwards: Promise<unknown>[] = [];
  const context = { waitUntil: (work: Promise<unknown>) => void afterwards.push(work) };
  const post: Post = async (path, body, headers = {}) => {
    const request = new Request(`https://taglatch.test${path}`, {
      method: "POST",
      headers: { "Content-Type": "application/json", ...headers },
      body: JSON.stringify(body),
    });
    const answer = await worker.fetch(request, bindings, context);
    const said = (await answer.json()) as Record<string, unknown>;
    if (answer.status !== 200) throw new Error(`${path}: ${JSON.stringify(said)}`);
    return said;
  };
  return { post, settled: () => Promise.all(afterwards.splice(0)) };
}

/** The headers of a guest's session. */
async function guest(post: Post): Promise<Record<string, string>> {
  const nonce = String((await post("/v2/auth/nonces", {})).nonce);
  const login = { nonce, attestationObject: await attestationObject(nonce) };
  const { accessToken } = await post("/v2/auth/guest/sessions", login);
  return { [HEADER.clientKey]: "demo-passenger-key", Authorization: `Bearer ${accessToken}` };
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
