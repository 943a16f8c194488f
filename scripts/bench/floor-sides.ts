/** A service and a floor in a workerd each, to which the SDK's requests go alike. */
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { stripTypeScriptTypes } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { ROOT } from "../project-files.ts";
import { overOpenConnection, type Server, startServer } from "../serve/server.ts";
import { nameOf, PRODUCTION, type Send } from "./passenger.ts";

/** The service's own limits must not answer for it. */
export const VARS = {
  ...PRODUCTION,
  ATTACHMENTS_PER_SUBJECT_PER_HOUR: "1000000",
  LIVE_LOCKS_PER_SUBJECT: "1000000",
  LOCKS_PER_BAG: "1000000",
  GUESSES_PER_DEVICE_UNVOUCHED: "1000000",
  GUESSES_PER_LOCATOR_UNVOUCHED: "1000000",
  GUESSES_PER_SUBJECT_PER_HOUR: "1000000",
  GUESSES_PER_NETWORK_UNVOUCHED_PER_HOUR: "1000000",
  CLAIMS_PER_NETWORK_PER_HOUR: "1000000",
};

export interface Side {
  readonly server: Server;
  /** Of its workerd now. */
  readonly pid: number;
  /** Goes on in a new isolate, which knows no session. */
  renew(): Promise<void>;
}

async function startSide(stateDir: string, script?: string): Promise<Side> {
  const options = { port: 0, stateDir, vars: VARS, unlimited: true };
  const starting = () => startServer({ ...options, ...(script !== undefined && { script }) });
  const { pid, result: server } = await withRuntime(starting);
  const side = {
    server,
    pid,
    async renew() {
      side.pid = (await withRuntime(() => server.restart())).pid;
    },
  };
  return side;
}

/** What `start` resolves with, and the workerd that it has started. */
async function withRuntime<T>(
  start: () => Promise<T>,
): Promise<{ readonly pid: number; readonly result: T }> {
  const before = new Set(runtimes());
  const result = await start();
  const pid = runtimes().find((one) => !before.has(one));
  if (pid === undefined) throw new Error("no workerd");
  return { pid, result };
}

/** Runs `work` with both; their data are gone afterwards. */
export async function withBoth<T>(work: (service: Side, floor: Side) => Promise<T>): Promise<T> {
  const folder = mkdtempSync(join(tmpdir(), "taglatch-floor-"));
  const sides: Side[] = [];
  try {
    const worker = readFileSync(join(ROOT, "scripts/bench/floor-worker.ts"), "utf8");
    const service = await startSide(join(folder, "service"));
    sides.push(service);
    const floor = await startSide(join(folder, "floor"), stripTypeScriptTypes(worker));
    sides.push(floor);
    return await work(service, floor);
  } finally {
    for (const { server } of sides) await server.stop();
    rmSync(folder, { recursive: true });
  }
}

/** Milliseconds: until the answer was there, and of the processor, by the side's workerd. */
export interface Took {
  readonly time: number;
  readonly cpu: number;
}
type OnTook = (side: Side, name: string, took: Took) => void;

/**
 * Sends each request of the SDK to the service and to the floor, in turns first to the one and first to the other, and
 * answers as the service does; `before` each, say, the isolates are replaced. Throws where the floor's status is another:
 * it does not do the same then.
 */
export function toBoth(
  service: Side,
  floor: Side,
  onTook: OnTook = () => undefined,
  before: () => Promise<void> = async () => undefined,
): Send {
  let requests = 0;
  return async (url, { method, headers, body }) => {
    const { pathname } = new URL(url);
    const request = { method: method ?? "GET", headers: headers ?? {}, body: body ?? null };
    if (!pathname.startsWith("/v2/")) return fetch(url, request);
    const ask = async (side: Side) => {
      const [cpu, started] = [cpuOf(side.pid), performance.now()];
      const answer = await overOpenConnection(() => fetch(side.server.url + pathname, request));
      const text = await answer.text();
      const time = performance.now() - started;
      onTook(side, nameOf(url, request), { time, cpu: cpuOf(side.pid) - cpu });
      return { answer, text };
    };
    await before();
    requests += 1;
    const order = requests % 2 === 0 ? [service, floor] : [floor, service];
    const answers = new Map<Side, Awaited<ReturnType<typeof ask>>>();
    for (const side of order) answers.set(side, await ask(side));
    const [ours, theirs] = [service, floor].map((side) => answers.get(side));
    if (ours === undefined || ours.answer.status !== theirs?.answer.status)
      throw new Error(
        `${pathname}: ${ours?.answer.status} ${ours?.text}, the floor ${theirs?.answer.status}`,
      );
    if (pathname.endsWith("/sessions")) await copySession(service, floor, ours.text);
    return new Response(ours.text, ours.answer);
  };
}

/** The floor knows the session that the service has opened: the tokens are the service's. */
async function copySession(service: Side, floor: Side, login: string): Promise<void> {
  const [, claims = ""] = String(JSON.parse(login).accessToken).split(".");
  const [id] = JSON.parse(Buffer.from(claims, "base64url").toString()).jti.split(/[.~]/);
  const { results } = await service.server.database
    .prepare("select * from sessions where id = ?")
    .bind(id)
    .all();
  const row = results[0] ?? {};
  const names = Object.keys(row);
  const insert = `insert into sessions (${names}) values (${names.map(() => "?")})`;
  await floor.server.database
    .prepare(insert)
    .bind(...Object.values(row))
    .run();
}

/** The processes called workerd that this program has started. */
const runtimes = (): number[] =>
  readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
    .filter(isRuntime);

function isRuntime(pid: number): boolean {
  try {
    return (
      readFileSync(`/proc/${pid}/stat`, "utf8").startsWith(`${pid} (workerd) `) &&
      parentOf(pid) === process.pid
    );
  } catch {
    return false;
  }
}

const parentOf = (pid: number) =>
  Number(/^PPid:\s+(\d+)$/m.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1]);

/** Milliseconds that the threads of `pid` have run, by Linux's scheduler. */
const cpuOf = (pid: number): number =>
  readdirSync(`/proc/${pid}/task`)
    .map((thread) => readFileSync(`/proc/${pid}/task/${thread}/schedstat`, "utf8"))
    .reduce((sum, text) => sum + Number(text.split(" ")[0]) / 1e6, 0);
