import { inArray, sql } from "drizzle-orm";
import { type EndpointName, endpoints, HEADER, limits } from "../../core/api/index.ts";
import { encodePayload, payloadDigest } from "../../core/bag/payload.ts";
import { clearPayload } from "../../core/bag/ticket-payload.ts";
import { fromBase64, fromBase64Url, toBase64Url } from "../../core/encoding/bytes.ts";
import { readCertificate } from "../../core/pki/certificate.ts";
import { decodeToken } from "../../core/sec/token.ts";
import * as tables from "../../db/schema.ts";
import { connect } from "../database/connect.ts";
import { keyOfSpki } from "../devices/identity.ts";
import { guardedDatabase } from "./guarded-database.ts";
import type { Action, Actor, Plan, State, Statement, Tag } from "./lock-model.ts";
import * as model from "./lock-model.ts";
import { federatedSession, guestSession, staffSession, subOf, type TestSession } from "./logins.ts";
import { changeRow } from "./rows.ts";
import { barePost, PARTNER_KEY, startClean, type TestService } from "./service.ts";
import { ctiOf, signCommit, signTagStatement, tagCertificateOf } from "./signing-tag.ts";

/** Actors with tags in hand, who act on the service and its database as the lock's model has it. */

/** Goes with a request: nothing, a statement of the tag, new or old, or the token that it took; `dies`: no report. */
export const REPORTS = ["nothing", "receipt", "presence", "replay", "cti", "old cti", "dies"] as const;
/** An action, or a commit at the tag with the report that follows it. */
export interface DriverAction extends Omit<Action, "kind" | "statement" | "cti"> {
  readonly kind: Action["kind"] | "write" | "wipe";
  readonly report?: (typeof REPORTS)[number];
}
/** Actions of one caller in their order, and what each was answered. */
export type Observed = readonly { readonly action: Action; readonly answer: string }[];
/** The tags, and the statements and tokens that actors have stored. */
export class Fixture {
  /** In their order; of one tag, the place is the number less one. */
  readonly #commits: { tag: Tag; by: Actor; operation: "write" | "clear"; token: string }[] = [];
  /** Tokens issued. */
  readonly #tokens: { who: Actor; tag: Tag; token: string }[] = [];
  /** Statements of the signing tag without a challenge. */
  readonly #recorded: { readonly text: string; readonly statement: Statement }[] = [];

  store({ who, tag }: Pick<DriverAction, "who" | "tag">, body: Body): string {
    const token = String(body.transactionToken);
    this.#tokens.push({ who, tag, token });
    return token;
  }

  commit(tag: Tag, by: Actor, operation: "write" | "clear", token: string): void {
    this.#commits.push({ tag, by, operation, token });
  }

  /** The tag's current statement, as the tag signs it and as the model has it. */
  async #sign(tag: Tag, challenge: string | undefined) {
    const all = this.#commits.filter((one) => one.tag === tag);
    const commits = all.length;
    const { by = null, operation = "write", token } = all.at(-1) ?? {};
    const cti = token === undefined ? 0 : iatOf(token);
    const statement = { by, operation, cti, commits, isPresence: challenge !== undefined };
    const text =
      token === undefined
        ? await signTagStatement(tag, { challenge })
        : await signCommit(tag, token, commits, { operation, challenge });
    if (challenge === undefined) this.#recorded.push({ text, statement });
    return { text, statement };
  }

  /** What is sent with a request, and what the model knows of it. */
  async meansOf({ who, tag, report }: DriverAction, challenge: string | undefined): Promise<Means> {
    if (report === "cti" || report === "old cti") {
      const own = this.#tokens.filter((one) => one.who === who && one.tag === tag);
      const token = own.at(report === "cti" ? -1 : 0)?.token;
      return token === undefined ? {} : { sent: { cti: ctiOf(token) }, cti: iatOf(token) };
    }
    if (report === "nothing" || report === "dies" || !model.signs(tag)) return {};
    const signed = report === "replay" ? this.#recorded[0] : await this.#sign(tag, challenge);
    return signed === undefined ? {} : { sent: { tagStatement: signed.text }, statement: signed.statement };
  }
}
interface Means extends Pick<Action, "statement" | "cti"> {
  readonly sent?: object;
}
const iatOf = (token: string) => Math.floor(decodeToken(fromBase64Url(token)).claims.iat);

const BOOKING = {
  "demo-plan-1": { recordLocator: "ABC123", surname: "LOVELACE" },
  "demo-plan-2": { recordLocator: "K7Q2ZD", surname: "Mueller" },
  nothing: { recordLocator: "ABC123", surname: "MÜLLER" },
} as const;

function requestOf(action: Action): [EndpointName, object] {
  const { kind, tag, bag, knows = "nothing", lost = false } = action;
  const named = { uniqueDeviceId: tag, ...(bag !== undefined && { forBaggageId: bag }) };
  const requests: Readonly<Record<Action["kind"], [EndpointName, object]>> = {
    attach: ["deviceAttachment", { device: { uniqueID: tag }, baggageId: bag ?? 1 }],
    unlock: ["ebtUnlock", named],
    token: ["ebtAuthorization", { ...named, nonce: "n" }],
    look: ["ebtLookup", named],
    release: ["lockRelease", { uniqueDeviceId: tag, reason: "the model says so" }],
    prove: ["ebtCustodyProof", { uniqueDeviceId: tag, ...BOOKING[knows] }],
    lose: ["deviceLoss", { uniqueDeviceId: tag, lost }],
    load: ["journeyFromRecordLocator", BOOKING[knows]],
  };
  return requests[kind];
}

type Body = Readonly<Record<string, unknown>>;
function seenIn(body: Body): string {
  const { locked, sameTravelPlan: own, lost = false, tagChallenge, lockEnded } = body;
  const { reason: ended } = (lockEnded ?? {}) as { readonly reason?: string };
  return JSON.stringify({ locked, own, lost, challenged: tagChallenge !== undefined, ended });
}

/** Settings that must not be met. */
const ENDLESS = Object.keys(limits)
  .filter((name) => /^(guesses|claimsPer|attachmentsPer|foreign|(access|refresh).*Seconds)/.test(name))
  .map((name) => [name.replace(/[A-Z]/g, (letter) => `_${letter}`).toUpperCase(), "2e9"]);
/** The service, with all actors logged in. */
export interface SignedIn {
  readonly service: TestService;
  readonly people: Readonly<Record<Actor, TestSession>>;
}

/** A production without limits: in development passengers have none. */
export async function signInAll(): Promise<SignedIn> {
  const service = await startClean({ ...Object.fromEntries(ENDLESS), ENVIRONMENT: "production" });
  const guest = () => guestSession(service);
  const people = {
    ...{ ada: await guest(), bob: await guest(), eve: await guest(), mallory: await guest() },
    attested: await federatedSession(service),
    host: await federatedSession(service, { clientKey: PARTNER_KEY }),
    staff: await staffSession(service),
  };
  return { service, people };
}

/** The service of `signedIn` over `database`, where its rows are. */
export function driverOver(database: D1Database, signedIn: SignedIn) {
  const { service, people } = signedIn;
  const { advance, now } = service;
  const queue = turns();
  const post = barePost(service, guardedDatabase(database, queue.next));
  const db = connect(database);
  const actors = new Map(model.ACTORS.map((actor) => [subOf(people[actor]), actor]));
  const start = now();
  // The second ends in the longest pause of a sequence.
  const ends = { "demo-plan-1": start + 20 * model.DAY, "demo-plan-2": start + 8 * model.DAY };

  const send = async (action: Action, more: object = {}): Promise<{ answer: string; body: Body }> => {
    const { clientKey, accessToken } = people[action.who];
    const headers = { [HEADER.clientKey]: clientKey, Authorization: `Bearer ${accessToken}` };
    const [name, input] = requestOf(action);
    const response = await post(endpoints[name].path, { ...input, ...more }, headers);
    const body = await response.json<Body>();
    if (!response.ok) return { body, answer: String(body.errorCode) };
    return { body, answer: action.kind === "look" ? seenIn(body) : "ok" };
  };

  return {
    advance,
    now,
    /** No tag is locked, none was written. */
    begin: async (): Promise<State> => {
      advance((start - now()) / 1_000);
      await db.batch(beginning(db, signedIn, start, ends));
      return model.firstState(start, ends);
    },
    /** Lets callers act at once; `order` selects the next of the waiting callers. */
    act: (fixture: Fixture, doings: readonly DriverAction[], order: readonly number[]) =>
      queue.take(
        doings.map((step) => () => run({ fixture, send }, step)),
        order,
      ),
    lines: () => linesIn(db, now(), actors),
  };
}

type Db = ReturnType<typeof connect>;
/** What makes the rows those of a beginning. Counters go, too: the clock goes back, and their windows would last. */
function beginning(db: Db, { people }: SignedIn, start: number, ends: State["ends"]) {
  const { auditLog, clearMarks, devices, deviceTicketLocks, failedProofs } = tables;
  const { guessCounters, loadedPlans, travelPlans } = tables;
  const loads = model.LOADED.map((one) => one.split(" ") as [Actor, Plan]).map(([actor, planId]) => ({
    ...{ sub: subOf(people[actor]), planId, loadedAt: start },
  }));
  const { spki } = readCertificate(fromBase64(tagCertificateOf(model.TAGS[0])));
  const endOf = (plan: Plan) => changeRow(db, travelPlans, plan, { endsAt: ends[plan] });
  return [
    ...[deviceTicketLocks, clearMarks, loadedPlans, guessCounters, failedProofs].map((one) => db.delete(one)),
    db.delete(auditLog).where(inArray(auditLog.deviceId, [...model.TAGS])),
    db.update(devices).set({ tagKey: null, commits: null, spentCommits: 0, ...tables.NOTHING_ENDED }),
    changeRow(db, devices, model.TAGS[0], { tagKey: keyOfSpki(spki) }),
    db.insert(loadedPlans).values(loads),
    ...model.PLANS.map(endOf),
  ] as unknown as Parameters<Db["batch"]>[0];
}

interface Part {
  readonly fixture: Fixture;
  readonly send: (action: Action, more?: object) => Promise<{ readonly answer: string; readonly body: Body }>;
}

/** One caller's part of a round. */
async function run(part: Part, { report = "nothing", ...step }: DriverAction): Promise<Observed> {
  const { kind, who, tag } = step;
  if (kind === "write" || kind === "wipe") return commit(part, { ...step, kind, report });
  const bare = { ...step, kind };
  const canReport = ["attach", "unlock", "release", "token"].includes(kind);
  if (!canReport) return [{ action: bare, answer: (await part.send(bare)).answer }];
  const look = { kind: "look", who, tag } as const;
  const looked = report === "presence" && model.signs(tag) ? await part.send(look) : undefined;
  const challenge = looked?.body.tagChallenge as string | undefined;
  const { sent = {}, ...known } = await part.fixture.meansOf({ ...bare, report }, challenge);
  const action = { ...bare, ...known };
  const { answer, body } = await part.send(action, sent);
  if (kind === "token" && answer === "ok") part.fixture.store(action, body);
  return [...(looked ? [{ action: look, answer: looked.answer }] : []), { action, answer }];
}

/** A token; with it a commit at the tag; and then the service has a report of it, or not. */
async function commit(
  part: Part,
  step: DriverAction & { readonly kind: "write" | "wipe" },
): Promise<Observed> {
  const { kind, report, ...bare } = step;
  const isWrite = kind === "write";
  const operation = isWrite ? "write" : "clear";
  const action = { ...bare, kind: "token" } as const;
  const content = isWrite ? {} : { payloadDigest: await CLEAR };
  const { answer, body } = await part.send(action, { operation, ...content });
  const asked = { action, answer };
  if (answer !== "ok") return [asked];
  part.fixture.commit(step.tag, step.who, operation, part.fixture.store(step, body));
  if (report === "dies") return [asked];
  return [asked, ...(await run(part, { ...step, kind: isWrite ? "attach" : "unlock" }))];
}
const CLEAR = payloadDigest(encodePayload(clearPayload())).then(toBase64Url);

const hex = (cti: number | null) => cti?.toString(16).padStart(8, "0");
/** A line for each row that the service has in this state, without times but the tokens'. */
export function linesOf(state: State): readonly string[] {
  const lockLine = (tag: string, { plan, bag, entitled, holder, writer, commits, cti, lost }: model.Lock) => [
    ...["lock", tag, plan, bag, Number(entitled), holder, writer, commits, hex(cti), Number(lost)],
  ];
  const endOf = ({ end }: model.Device) =>
    end && model.isLivePlan(state, end.plan) ? [end.holder, end.plan, end.reason, hex(end.cti)] : null;
  const lines = [
    ...Object.entries(state.locks).map(([tag, lock]) => lockLine(tag, lock)),
    ...Object.entries(state.devices).map(([tag, one]) => ["tag", tag, one.commits, one.spent, endOf(one)]),
    ...Object.entries(state.clears).map(([key, one]) => ["clear", ...key.split(" "), one.plan, hex(one.cti)]),
    ...[...state.loaded].map((key) => ["loaded", ...key.split(" ")]),
    ...state.audit.map((row) => ["audit", ...row.split(" ")]),
  ];
  return lines.map((line) => JSON.stringify(line));
}
/** Whether they say the same, in any order; a tag of which nothing is known may have no row. */
export function areSame(own: readonly string[], found: readonly string[]): boolean {
  const [a, b] = [own, found].map((lines) =>
    lines.filter((line) => !/^\["tag",[^,]*,null,0,null\]$/.test(line)),
  );
  return JSON.stringify(a?.toSorted()) === JSON.stringify(b?.toSorted());
}

/** A line for each row of the model's tags, as `linesOf` has them of a state; `names` by `sub`. */
async function linesIn(db: Db, now: number, names: ReadonlyMap<string, Actor>): Promise<readonly string[]> {
  const tags = sql.raw(`('${model.TAGS.join("', '")}')`);
  const time = (column: string) => sql.raw(`substr(${column}, 1, 8)`);
  // A lock that is over, and not swept, has spent its number already.
  const rows = await db.all<{ line: string }>(sql`
    select json_array('lock', device_id, plan_id, baggage_id, entitled, holder_sub, writer_sub, commits, ${time("cti")},
      lost_at is not null) as line from device_ticket_locks where ends_at > ${now}
    union all select json_array('tag', id, commits, max(spent_commits, coalesce((select commits from device_ticket_locks
      where device_id = devices.id and ends_at <= ${now}), 0)), json(iif(ended_plan_id in (select id from travel_plans
      where ends_at > ${now}), json_array(ended_holder_sub, ended_plan_id, ended_reason, ${time("ended_cti")}), 'null')))
      from devices where id in ${tags}
    union all select json_array('clear', device_id, sub, plan_id, ${time("cti")}) from clear_marks where ends_at > ${now}
    union all select json_array('loaded', sub, plan_id) from loaded_plans
    union all select json_array('audit', event, device_id, coalesce(sub, 'none')) from audit_log
      where device_id in ${tags} and event <> 'lock_ended'`);
  const named = (line: string) =>
    [...names].reduce((text, [sub, name]) => text.replace(`"${sub}"`, `"${name}"`), line);
  // Holder and writer may be one.
  return rows.map(({ line }) => named(named(line)));
}

/**
 * The order of concurrent callers: each waits before every call of the database until all of them wait or are done, and then
 * one goes on. The order is given, so a seed repeats it, and any caller may be overtaken for as long as it takes.
 */
function turns() {
  const waiting: (() => void)[] = [];
  let acting = 0;
  let picks: number[] = [];
  const go = () => {
    if (waiting.length === 0 || waiting.length < acting) return;
    const [chosen] = waiting.splice((picks.shift() ?? 0) % waiting.length, 1);
    chosen?.();
  };
  const next = () =>
    new Promise<void>((resolve) => {
      if (acting === 0) return resolve();
      waiting.push(resolve);
      go();
    });
  const take = <T>(callers: readonly (() => Promise<T>)[], order: readonly number[]): Promise<T[]> => {
    acting = callers.length;
    picks = [...order];
    const done = () => {
      acting -= 1;
      go();
    };
    return Promise.all(callers.map((act) => act().finally(done)));
  };
  return { next, take };
}
