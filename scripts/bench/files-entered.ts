/**
 * Counts the files to open to follow one request or one transfer: those of ours with at least one named
 * function that ran, by V8's precise coverage. The sources run as they are, in Node, whose stripping of types leaves them
 * one to one; the service beside its real database, from the Worker's `fetch` to the answer. What a runtime does once
 * (settings, keys) is done before. Packages do not count, nor tests' support, nor this file.
 */
import { Session } from "node:inspector/promises";
import { relative } from "node:path";
import { fileURLToPath } from "node:url";
import type { D1Database } from "@cloudflare/workers-types";
import { convertV4MiniflareOptions, Miniflare } from "miniflare";
import { HEADER } from "../../core/api/index.ts";
import { fromBase64Url } from "../../core/encoding/bytes.ts";
import { seed } from "../../db/demo/seed.ts";
import { attestationObject } from "../../e2e/support/caller.ts";
import { radioScene } from "../../sdk/test-support/radio-scene.ts";
import { valueIn } from "../../sdk/test-support/value-in.ts";
import { connect } from "../../worker/database/connect.ts";
import { ROOT } from "../project-files.ts";
import { developmentSecrets } from "../serve/development-secrets.ts";
import { migrate } from "../serve/migrate.ts";
import { printTable } from "./table.ts";

/** What to follow, and the most files it may take. Requests as the API lists them, by a guest with a key. */
const MOST = {
  "8 authorize": 20,
  "11 prove": 22,
  "12 unlock": 16,
  "transferTag, to a virtual tag's COMMITTED": 60,
} as const;
type Followed = keyof typeof MOST;

const NOT_FOLLOWED = /^(node_modules|scripts|e2e)\/|\/test-support\//;

/** Prints how many files each enters, and which; resolves with whether every goal is met. */
export async function benchFiles(): Promise<boolean> {
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
  return report(found);
}

type Follow = (name: Followed, work: () => Promise<unknown>) => Promise<void>;

interface Script {
  readonly url: string;
  readonly functions: readonly {
    readonly functionName: string;
    readonly ranges: readonly { readonly count: number }[];
  }[];
}

const wasEntered = ({ url, functions }: Script) =>
  url.startsWith("file:") &&
  functions.some(({ functionName, ranges: [whole] }) => functionName !== "" && (whole?.count ?? 0) > 0);

const pathOf = ({ url }: Script) => relative(ROOT, fileURLToPath(url));
const isFollowed = (path: string) => !NOT_FOLLOWED.test(path);

const TAG = "files-1";

/** One tag's life, twice: first to run what happens only once, then to count. */
async function followRequests(follow: Follow): Promise<void> {
  const miniflare = new Miniflare(
    convertV4MiniflareOptions({
      modules: true,
      script: "export default {}",
      d1Databases: ["DB"],
      telemetry: { enabled: false },
      cf: false,
    }),
  );
  try {
    const post = await serviceIn(miniflare);
    const [holder, other] = [await guest(post), await guest(post)];
    const attach = () => post("/v2/device-attachments", { device: { uniqueID: TAG }, baggageId: 1 }, holder);
    const steps: readonly (readonly [Followed, () => Promise<unknown>])[] = [
      [
        "8 authorize",
        () =>
          post("/v2/ebt-authorizations", { uniqueDeviceId: TAG, nonce: "AAAAAAAAAAAAAAAAAAAAAA" }, holder),
      ],
      ["12 unlock", () => post("/v2/ebt-unlocks", { uniqueDeviceId: TAG }, holder)],
      [
        "11 prove",
        () =>
          post(
            "/v2/ebt-custody-proofs",
            { uniqueDeviceId: TAG, recordLocator: "ABC123", surname: "LOVELACE" },
            other,
          ),
      ],
    ];
    for (const [name, step] of steps) {
      await attach();
      await step();
      await attach();
      await follow(name, step);
    }
  } finally {
    await miniflare.dispose();
  }
}

/** The Worker's entry point. Its types are for workerd, not for Node, so it is imported by name alone. */
interface Worker {
  fetch(request: Request, bindings: Readonly<Record<string, unknown>>): Promise<Response>;
}
const WORKER: string = "../../worker/index.ts";

type Post = (
  path: string,
  body: unknown,
  headers?: Readonly<Record<string, string>>,
) => Promise<Record<string, unknown>>;

/** The Worker itself in this runtime, with the development data. */
async function serviceIn(miniflare: Miniflare): Promise<Post> {
  const secrets = await developmentSecrets();
  const database = await miniflare.getD1Database("DB");
  await migrate(database as unknown as D1Database);
  const keys = { pepper: fromBase64Url(secrets.PEPPER), dataKey: fromBase64Url(secrets.DATA_KEY) };
  await seed(connect(database as unknown as D1Database), { now: Date.now(), ...keys });
  const { default: worker }: { readonly default: Worker } = await import(WORKER);
  const bindings = { ...secrets, DB: database };
  return async (path, body, headers = {}) => {
    const request = new Request(`https://taglatch.test${path}`, {
      method: "POST",
      headers: { "Content-Type": "application/json", ...headers },
      body: JSON.stringify(body),
    });
    const { log } = console;
    // The Worker writes a line per request.
    console.log = () => undefined;
    const answer = await worker.fetch(request, bindings).finally(() => {
      console.log = log;
    });
    const said = (await answer.json()) as Record<string, unknown>;
    if (answer.status !== 200) throw new Error(`${path}: ${JSON.stringify(said)}`);
    return said;
  };
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

function report(found: ReadonlyMap<Followed, readonly string[]>): boolean {
  for (const [name, paths] of found) console.log(`\n${name}\n  ${paths.join("\n  ")}`);
  const rows = (Object.keys(MOST) as Followed[]).map((name) => {
    const files = found.get(name)?.length ?? Number.POSITIVE_INFINITY;
    return { followed: name, files, goal: `≤ ${MOST[name]}`, met: files <= MOST[name] ? "yes" : "NO" };
  });
  printTable("Files entered: at least one named function ran", rows);
  return rows.every(({ met }) => met === "yes");
}
