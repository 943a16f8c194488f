/**
 * The service beside a floor that does only what cannot be left out (`floor-worker.ts`): the same runtime, the same
 * tables and rows, production, sessions without DPoP and requests without keys. At one connection the two take turns at
 * every request; at sixteen they take turns in blocks, and what counts is the processor time of their workerd.
 */
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { stripTypeScriptTypes } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { D1Database } from "@cloudflare/workers-types";
import { Caller, post } from "../../e2e/support/caller.ts";
import { ROOT } from "../project-files.ts";
import { type Server, startServer } from "../serve/server.ts";
import { median } from "./median.ts";
import { requireQuiet } from "./quiet.ts";
import { printTable } from "./table.ts";

const GOAL = 1.3;
const GUESTS = 16;
const ROUNDS = 150;
const WARM_UP = 30;
const BLOCKS = 3;
/** Tags of each guest in a block. */
const TAGS = 8;

/** The service's own limits must not answer for it. */
const VARS = {
  ENVIRONMENT: "production",
  ATTACHMENTS_PER_SUBJECT_PER_HOUR: "1000000",
  LIVE_LOCKS_PER_SUBJECT: "1000000",
  LOCKS_PER_BAG: "1000000",
};

const STEPS = {
  "9 attach": [
    "/v2/device-attachments",
    (tag: string, baggageId: number) => ({ device: { uniqueID: tag }, baggageId }),
  ],
  "10 look up": ["/v2/ebt-lookups", (uniqueDeviceId: string) => ({ uniqueDeviceId })],
  "8 authorize": [
    "/v2/ebt-authorizations",
    (uniqueDeviceId: string) => ({ uniqueDeviceId, nonce: "AAAAAAAAAAAAAAAAAAAAAA" }),
  ],
  "12 unlock": ["/v2/ebt-unlocks", (uniqueDeviceId: string) => ({ uniqueDeviceId })],
} as const;
type Step = keyof typeof STEPS;
const NAMES = Object.keys(STEPS) as Step[];

interface Side {
  readonly server: Server;
  /** Of its workerd. */
  readonly pid: number;
  readonly milliseconds: Record<Step, number[]>;
  readonly cpu: Record<Step, number[]>;
}

interface Guest {
  readonly headers: Readonly<Record<string, string>>;
  readonly baggageId: number;
}

/** Prints the ratios; resolves with whether each is within its goal. */
export async function benchFloor(): Promise<boolean> {
  await requireQuiet();
  const folder = mkdtempSync(join(tmpdir(), "taglatch-floor-"));
  const sides: Side[] = [];
  try {
    const service = await startSide(join(folder, "service"));
    sides.push(service);
    const worker = stripTypeScriptTypes(readFileSync(join(ROOT, "scripts/bench/floor-worker.ts"), "utf8"));
    const floor = await startSide(join(folder, "floor"), worker);
    sides.push(floor);
    const guests = await makeGuests(service, floor);
    for (let round = -WARM_UP; round < ROUNDS; round += 1) await takeTurns([service, floor], guests, round);
    for (let block = 0; block < BLOCKS; block += 1) {
      for (const side of block % 2 === 0 ? [service, floor] : [floor, service])
        await playBlock(side, guests, block);
    }
    return report(service, floor);
  } finally {
    for (const { server } of sides) await server.stop();
    rmSync(folder, { recursive: true });
  }
}

const each = () => Object.fromEntries(NAMES.map((step) => [step, [] as number[]])) as Record<Step, number[]>;

async function startSide(stateDir: string, script?: string): Promise<Side> {
  const before = new Set(runtimes());
  const server = await startServer({
    port: 0,
    stateDir,
    vars: VARS,
    unlimited: true,
    ...(script && { script }),
  });
  const pid = runtimes().find((one) => !before.has(one));
  if (pid === undefined) throw new Error("no workerd");
  return { server, pid, milliseconds: each(), cpu: each() };
}

/** The processes called workerd that this program has started. */
function runtimes(): number[] {
  return readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
    .filter((pid) => {
      const fields = statOf(pid);
      return fields !== undefined && fields.name === "workerd" && fields.parent === process.pid;
    });
}

function statOf(pid: number) {
  try {
    const [, name, rest = ""] = /^\d+ \((.*)\) (.*)$/s.exec(readFileSync(`/proc/${pid}/stat`, "utf8")) ?? [];
    const [, parent, ...fields] = rest.split(" ");
    // utime and stime, the 14th and 15th field, in hundredths of a second.
    return { name, parent: Number(parent), cpu: (Number(fields[9]) + Number(fields[10])) * 10 };
  } catch {
    return undefined;
  }
}

const cpuOf = (pid: number): number => statOf(pid)?.cpu ?? Number.NaN;

/** Guests of the service with a booking each; their rows are copied to the floor's database. */
async function makeGuests(service: Side, floor: Side): Promise<Guest[]> {
  const guests: Guest[] = [];
  for (const { server } of [service, floor]) await addBookings(server.database);
  for (let n = 0; n < GUESTS; n += 1) {
    const { headers } = await Caller.guest(service.server.url);
    guests.push({ headers, baggageId: 1_000 + n });
  }
  const { results } = await service.server.database.prepare("select * from sessions order by id").all();
  for (const row of results) {
    const columns = Object.keys(row);
    const insert = `insert into sessions (${columns}) values (${columns.map(() => "?")})`;
    await floor.server.database
      .prepare(insert)
      .bind(...Object.values(row))
      .run();
  }
  for (const { server } of [service, floor]) {
    const load = server.database.prepare(
      "insert into loaded_plans (sub, plan_id, loaded_at) values (?, ?, 0)",
    );
    await server.database.batch(guests.map((guest, n) => load.bind(subOf(guest), `floor-${n}`)));
  }
  return guests;
}

const subOf = ({ headers }: Guest): string =>
  JSON.parse(Buffer.from(String(headers.Authorization).split(".")[1] ?? "", "base64url").toString()).sub;

/** A booking for each guest, like the first of the development data. */
async function addBookings(database: D1Database): Promise<void> {
  const numbers = `(with recursive n(i) as (select 0 union all select i + 1 from n where i < ${GUESTS - 1}) select i from n)`;
  await database.batch(
    [
      `insert into travel_plans (id, airline, locator_hash, locator_sealed, first_flight_date, ends_at)
        select 'floor-' || i, airline, 'floor-' || i, locator_sealed, first_flight_date, ends_at
        from travel_plans, ${numbers} where id = 'demo-plan-1'`,
      `insert into journeys (id, plan_id, passenger_sealed, surname_tokens, surname_initial, departure_airport, destination_airport)
        select 'floor-' || i, 'floor-' || i, passenger_sealed, surname_tokens, surname_initial, departure_airport, destination_airport
        from journeys, ${numbers} where id = 'demo-journey-1'`,
      `insert into bags (id, journey_id, position, licence_plate, flight_date)
        select 1000 + i, 'floor-' || i, 1, 'floor-' || i, '2030-01-01' from ${numbers}`,
    ].map((text) => database.prepare(text)),
  );
}

async function ask({ server }: Side, step: Step, guest: Guest, tag: string): Promise<number> {
  const [path, body] = STEPS[step];
  const started = performance.now();
  const answer = await post(server.url, path, body(tag, guest.baggageId), guest.headers);
  if (answer.status !== 200) throw new Error(`${step}: ${answer.status} ${JSON.stringify(answer.body)}`);
  return performance.now() - started;
}

/** One tag's life on both sides, a request here and the same there. */
async function takeTurns(sides: readonly Side[], guests: readonly Guest[], round: number): Promise<void> {
  const guest = guests[(round + WARM_UP) % GUESTS] as Guest;
  for (const step of NAMES) {
    for (const side of round % 2 === 0 ? sides : sides.toReversed()) {
      const took = await ask(side, step, guest, `floor-${round + WARM_UP}`);
      if (round >= 0) side.milliseconds[step].push(took);
    }
  }
}

/** Sixteen guests at once, each with some tags, one step after the other. */
async function playBlock(side: Side, guests: readonly Guest[], block: number): Promise<void> {
  for (const step of NAMES) {
    const before = cpuOf(side.pid);
    const all = guests.map(async (guest, n) => {
      for (let tag = 0; tag < TAGS; tag += 1) await ask(side, step, guest, `block-${block}-${n}-${tag}`);
    });
    await Promise.all(all);
    side.cpu[step].push((cpuOf(side.pid) - before) / (GUESTS * TAGS));
  }
}

function report(service: Side, floor: Side): boolean {
  const rows = NAMES.flatMap((step) =>
    (["milliseconds", "cpu"] as const).map((what) => {
      const [ours, least] = [median(service[what][step]), median(floor[what][step])];
      return { step, what, ours, least, ratio: ours / least };
    }),
  );
  printTable(
    `Beside the floor: p50 of ${ROUNDS} at one connection; processor time a request at ${GUESTS}`,
    rows.map(({ step, what, ours, least, ratio }) => ({
      endpoint: step,
      measure: what === "cpu" ? "CPU, ms" : "p50, ms",
      service: ours.toFixed(2),
      floor: least.toFixed(2),
      ratio: ratio.toFixed(2),
      goal: `≤ ${GOAL}`,
      met: ratio <= GOAL ? "yes" : "NO",
    })),
  );
  return rows.every(({ ratio }) => ratio <= GOAL);
}
