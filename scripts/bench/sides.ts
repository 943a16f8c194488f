/** Services and floors in a workerd each, to which the SDK's requests go alike. */
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { HEADER } from "../../core/api/index.ts";
import { oneFile } from "../build/bundle.ts";
import { overOpenConnection, type Server, startServer } from "../serve/server.ts";
import { sum } from "./harness.ts";
import { production, type Send } from "./passenger.ts";

/** The service's own limits must not answer for it. */
const LIMITS = [
  "ATTACHMENTS_PER_SUBJECT_PER_HOUR",
  "LIVE_LOCKS_PER_SUBJECT",
  "LOCKS_PER_BAG",
  "CLAIMS_PER_NETWORK_PER_HOUR",
  "GUESSES_PER_DEVICE_UNVOUCHED",
  "GUESSES_PER_LOCATOR_UNVOUCHED",
  "GUESSES_PER_SUBJECT_PER_HOUR",
  "GUESSES_PER_NETWORK_UNVOUCHED_PER_HOUR",
];

/** What the service logs of a request, or of a scheduled run. */
export interface Line {
  readonly requestId: string;
  readonly calls: number;
  readonly statements: number;
  readonly rowsRead: number;
  readonly rowsWritten: number;
  /** Tasks of a scheduled run that go on in the next. */
  readonly unfinished?: readonly string[];
}

/** One request: milliseconds until the answer and of workerd's processor, bytes of body and of the SDK's headers. */
export interface Took {
  readonly name: string;
  readonly requestId: string;
  readonly time: number;
  readonly cpu: number;
  readonly sent: number;
  readonly answered: number;
}

export interface Side {
  readonly server: Server;
  /** Where its database is. */
  readonly stateDir: string;
  /** Of its workerd. */
  readonly pid: number;
  readonly lines: Line[];
  readonly took: Took[];
}

type Kind = "service" | "floor";

/** Runs `work` with a workerd for each of `kinds`; their data are gone afterwards. */
export async function withSides<T>(
  kinds: readonly [Kind, ...Kind[]],
  work: (sides: readonly [Side, ...Side[]]) => Promise<T>,
): Promise<T> {
  const folder = mkdtempSync(join(tmpdir(), "taglatch-bench-"));
  const sides: Side[] = [];
  try {
    for (const kind of kinds) sides.push(await startSide(join(folder, `${sides.length}`), kind));
    return await work(sides as [Side, ...Side[]]);
  } finally {
    for (const { server } of sides) await server.stop();
    rmSync(folder, { recursive: true });
  }
}

async function startSide(stateDir: string, kind: Kind): Promise<Side> {
  const before = runtimes();
  const lines: Line[] = [];
  const log = (text: string) => void lines.push(JSON.parse(text));
  const vars = { ...production(), ...Object.fromEntries(LIMITS.map((name) => [name, "1000000"])) };
  const script = kind === "floor" ? { script: await oneFile("scripts/bench/floor-worker.ts") } : {};
  const server = await startServer({ port: 0, stateDir, vars, unlimited: true, log, ...script });
  const pid = runtimes().find((one) => !before.includes(one));
  if (pid === undefined) throw new Error("no workerd");
  return { server, stateDir, pid: Number(pid), lines, took: [] };
}

/** The processes called workerd that this program has started. */
const runtimes = (): readonly string[] =>
  readdirSync("/proc").filter((name) => {
    const status = /^\d/.test(name) ? statusOf(name) : "";
    return status.startsWith("Name:\tworkerd\n") && status.includes(`\nPPid:\t${process.pid}\n`);
  });

/** By Linux; empty of a process that has ended. */
function statusOf(pid: number | string): string {
  try {
    return readFileSync(`/proc/${pid}/status`, "utf8");
  } catch {
    return "";
  }
}

/** Resident, in MB. */
export const memoryOf = ({ pid }: Side): number => Number(/VmRSS:\s+(\d+)/.exec(statusOf(pid))?.[1]) / 1_000;

/** Milliseconds that the threads of `pid` have run, by Linux's scheduler. */
const cpuOf = (pid: number): number =>
  sum(
    readdirSync(`/proc/${pid}/task`).map((thread) => {
      const [ran] = readFileSync(`/proc/${pid}/task/${thread}/schedstat`, "utf8").split(" ");
      return Number(ran) / 1e6;
    }),
  );

/**
 * Sends each request of the SDK to the service, and to a floor, in turns first to the one and first to the other. The same
 * request of the next journey begins with the other, because the second finds a warmer machine. Throws where the floor's status
 * is another: it does not do the same then.
 */
export function toAll([service, floor]: readonly [Side, ...Side[]]): Send {
  journeys += 1;
  let requests = journeys;
  return async (url, request) => {
    const { pathname } = new URL(url);
    if (floor === undefined) return ask(service, pathname, request);
    await copyCaller(service, floor, new Headers(request.headers).get("Authorization") ?? "");
    requests += 1;
    const early = requests % 2 === 0 ? await ask(floor, pathname, request) : undefined;
    const answer = await ask(service, pathname, request);
    const { status } = early ?? (await ask(floor, pathname, request));
    if (status === answer.status) return answer;
    throw new Error(`${pathname}: ${answer.status} ${await answer.text()}, the floor ${status}`);
  };
}

let journeys = 0;

/** The floor knows the caller's session and bookings by the service's rows. */
async function copyCaller({ server }: Side, floor: Side, authorization: string): Promise<void> {
  const [, claims] = authorization.split(".");
  if (claims === undefined) return;
  const { sub } = JSON.parse(Buffer.from(claims, "base64url").toString());
  for (const table of ["sessions", "loaded_plans"]) {
    const { results } = await server.database.prepare(`select * from ${table} where sub = ?`).bind(sub).all();
    const names = Object.keys(results[0] ?? {});
    const insert = `insert or ignore into ${table} (${names}) values (${names.map(() => "?")})`;
    const { database } = floor.server;
    for (const row of results)
      await database
        .prepare(insert)
        .bind(...Object.values(row))
        .run();
  }
}

async function ask({ server, pid, took }: Side, pathname: string, sent: RequestInit): Promise<Response> {
  const { method = "GET", headers = {}, body = null } = sent;
  const [cpu, started] = [cpuOf(pid), performance.now()];
  const answer = await overOpenConnection(() => fetch(server.url + pathname, { method, headers, body }));
  const text = await answer.text();
  took.push({
    name: nameOf(pathname, body),
    requestId: answer.headers.get(HEADER.requestId) ?? "",
    time: performance.now() - started,
    cpu: cpuOf(pid) - cpu,
    sent: Buffer.byteLength([body ?? "", ...Object.entries(headers).flat()].join("")),
    answered: Buffer.byteLength(text),
  });
  return new Response(text, answer);
}

/** One name for the requests of an endpoint; a token to write is another request than one to clear. */
function nameOf(path: string, body: BodyInit | null): string {
  const { operation } = JSON.parse(String(body ?? "{}"));
  return operation === undefined ? path : `${path}, ${operation}`;
}
