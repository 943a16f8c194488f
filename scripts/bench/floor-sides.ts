/** A service or a floor in a workerd of its own, and the guests that both know. */
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { stripTypeScriptTypes } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { D1Database } from "@cloudflare/workers-types";
import type { LoginResponse } from "../../core/api/index.ts";
import { Caller, post } from "../../e2e/support/caller.ts";
import { ROOT } from "../project-files.ts";
import { overOpenConnection, startServer } from "../serve/server.ts";
import { demand, type Guest, NAMES, type Side } from "./floor-steps.ts";

/** At once. */
export const GUESTS = 16;

/** The service's own limits must not answer for it. */
export const VARS = {
  ENVIRONMENT: "production",
  ATTACHMENTS_PER_SUBJECT_PER_HOUR: "1000000",
  LIVE_LOCKS_PER_SUBJECT: "1000000",
  LOCKS_PER_BAG: "1000000",
  GUESSES_PER_DEVICE_UNVOUCHED: "1000000",
  GUESSES_PER_LOCATOR_UNVOUCHED: "1000000",
  GUESSES_PER_SUBJECT_PER_HOUR: "1000000",
  GUESSES_PER_NETWORK_UNVOUCHED_PER_HOUR: "1000000",
  CLAIMS_PER_NETWORK_PER_HOUR: "1000000",
};

/** What {@link startSide} serves as the floor. */
const floorWorker = (): string =>
  stripTypeScriptTypes(readFileSync(join(ROOT, "scripts/bench/floor-worker.ts"), "utf8"));

const each = () => Object.fromEntries(NAMES.map((step) => [step, [] as number[]]));

async function startSide(
  stateDir: string,
  floor?: { readonly worker: string; readonly nonces: string },
): Promise<Side> {
  const before = new Set(runtimes());
  const server = await startServer({
    port: 0,
    stateDir,
    vars: VARS,
    unlimited: true,
    ...(floor && { script: floor.worker }),
  });
  const pid = runtimes().find((one) => !before.has(one));
  if (pid === undefined) throw new Error("no workerd");
  const nonces = floor?.nonces ?? server.url;
  return { server, pid, nonces, refreshTokens: new Map(), milliseconds: each(), cpu: each() };
}

/** Runs `work` with the service, the floor, and guests that both know; their data are gone afterwards. */
export async function withBoth<T>(
  work: (service: Side, floor: Side, guests: readonly Guest[]) => Promise<T>,
): Promise<T> {
  const folder = mkdtempSync(join(tmpdir(), "taglatch-floor-"));
  const sides: Side[] = [];
  try {
    const service = await startSide(join(folder, "service"));
    sides.push(service);
    const floor = await startSide(join(folder, "floor"), {
      worker: floorWorker(),
      nonces: service.server.url,
    });
    sides.push(floor);
    return await work(service, floor, await makeGuests(service, floor));
  } finally {
    for (const { server } of sides) await server.stop();
    rmSync(folder, { recursive: true });
  }
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

export const cpuOf = (pid: number): number => statOf(pid)?.cpu ?? Number.NaN;

/** Guests of the service with a booking each; their rows are copied to the floor's database. */
async function makeGuests(service: Side, floor: Side): Promise<Guest[]> {
  const guests: Guest[] = [];
  for (const { server } of [service, floor]) await addBookings(server.database);
  for (let n = 0; n < GUESTS; n += 1) guests.push(await guestAt(service.server.url, 1_000 + n));
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

async function guestAt(url: string, baggageId: number): Promise<Guest> {
  const caller = await Caller.guest(url);
  const stranger = await Caller.guest(url);
  const { refreshToken: refreshing } = await Caller.guest(url);
  const renew = async () => {
    for (const one of [caller, stranger]) await renewed(url, one);
  };
  // A session that was opened without a client key is bound to one by its first refresh, and not held before.
  await renew();
  return { headers: caller.headers, stranger: stranger.headers, refreshing, baggageId, renew };
}

/** Gives `caller` the next tokens of its session. */
export async function renewed(url: string, caller: Caller): Promise<void> {
  const { "X-Source-App-Key": key = "" } = caller.headers;
  const { refreshToken } = caller;
  const answer = overOpenConnection(() =>
    post(url, "/v2/auth/refresh", { refreshToken }, { "X-Source-App-Key": key }),
  );
  caller.renew((await demand(answer, "refresh")) as unknown as LoginResponse);
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
