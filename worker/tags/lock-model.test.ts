import { sql } from "drizzle-orm";
import fc from "fast-check";
import { it } from "vitest";
import { type EndpointName, endpoints, HEADER, limits } from "../../core/api/index.ts";
import { fromBase64, fromBase64Url } from "../../core/encoding/bytes.ts";
import { dailyOrFull } from "../../core/full.test-support.ts";
import { readCertificate } from "../../core/pki/certificate.ts";
import { decodeToken } from "../../core/sec/token.ts";
import { devices, travelPlans } from "../../db/schema.ts";
import { connect } from "../database/connect.ts";
import { keyOfSpki } from "../devices/identity.ts";
import { guardedDatabase } from "../test-support/guarded-database.ts";
import type { Action, Actor, State, Statement, Tag } from "../test-support/lock-model.ts";
import * as model from "../test-support/lock-model.ts";
import {
  federatedSession,
  guestSession,
  staffSession,
  subOf,
  type TestSession,
  withBookings,
} from "../test-support/logins.ts";
import { besideDatabase } from "../test-support/near-database.ts";
import { changeRow } from "../test-support/rows.ts";
import { barePost, PARTNER_KEY, startClean } from "../test-support/service.ts";
import { ctiOf, signCommit, signTagStatement, tagCertificateOf } from "../test-support/signing-tag.ts";

/**
 * The lock against its model (rules §5): sequences of rounds, in each of which up to three callers act at once on the real
 * service and its SQLite, some with the tag in their hands. Some order of what they did must explain every answer, every
 * lock, all that is stored of a tag and every audit row. A daily run has 100 sequences, the same each time; a full one
 * more, and others. VITE_SEED repeats those of a seed.
 */
const SEQUENCES = dailyOrFull(100, 10_000);

/** Goes with a request: nothing, a statement of the tag, new or old, or the token that it took; `dies`: no report. */
const REPORTS = ["nothing", "receipt", "presence", "replay", "cti", "old cti", "dies"] as const;
/** An action, or a commit at the tag with the report that follows it. */
interface Doing extends Omit<Action, "kind" | "statement" | "cti"> {
  readonly kind: Action["kind"] | "write" | "wipe";
  readonly report?: (typeof REPORTS)[number] | undefined;
}
/** Callers who act at once, in the order in which they go on; or seconds that pass. */
type Step = { readonly doings: readonly Doing[]; readonly order: readonly number[] } | number;
const alone = (doing: Doing): Step => ({ doings: [doing], order: [] });

/** Mostly two who are after the same tag, and staff; mostly the tag that signs. */
const mostly = fc.constantFrom<Actor>("ada", "mallory", "staff");
const who = fc.oneof({ weight: 2, arbitrary: mostly }, fc.constantFrom(...model.ACTORS));
const [signing] = model.TAGS;
const tag = fc.oneof({ weight: 9, arbitrary: fc.constant(signing) }, fc.constantFrom(...model.TAGS));
const bag = fc.constantFrom(...model.BAGS);
const knows = fc.constantFrom(...model.PLANS, ...model.PLANS, "nothing" as const);
const report = fc.constantFrom(...REPORTS, ...(["receipt", "presence", "old cti"] as const));
/** By how often each is done. */
const DOES = [
  ..."attach attach attach attach attach attach write write write write wipe wipe".split(" "),
  ..."unlock unlock token token release release look lose prove load".split(" "),
] as Doing["kind"][];
const anything = { kind: fc.constantFrom(...DOES), who, tag, bag: fc.constantFrom(undefined, ...model.BAGS) };
const doing: fc.Arbitrary<Doing> = fc.record({ ...anything, knows, lost: fc.boolean(), report });

/** Seconds: within one connection, past a token's life, past staff's quarter of an hour, a claim's day, a week. */
const pause = fc.constantFrom(1, 150, 901, 86_400, 8 * 86_400);
const onSigning = (name: Doing["kind"], actor: Actor, more: Partial<Doing> = {}): Step =>
  alone({ kind: name, who: actor, tag: signing, ...more });
const people = fc.record({ x: who, y: who, first: bag, second: bag, again: report, last: report, knows });
/** What random steps would rarely come to. */
const scenarios = fc
  .tuple(people, pause, fc.nat(3))
  .map(([{ x, y, first, second, again, last, ...known }, wait, ends]) => ({
    // `x` writes the tag, the lock ends or not, `x` comes back with what was, and `y` has the tag in hand.
    comeback: [
      onSigning("write", x, { bag: first, report: "receipt" }),
      ...[
        onSigning("release", "staff", { report: "presence" }),
        onSigning("prove", y, known),
        onSigning("unlock", x),
      ].slice(ends, ends + 1),
      onSigning("attach", x, { bag: second, report: again }),
      onSigning("token", y, { report: "presence" }),
      onSigning("attach", y, { bag: second, report: last }),
    ],
    // `x` writes and reports it more than a week later; `y` has the tag in hand.
    late: [
      onSigning("write", x, { bag: first, report: "dies" }),
      (8 * model.DAY) / 1_000,
      onSigning("attach", x, { bag: first, report: again }),
      onSigning("token", y, { report: "presence" }),
    ],
    // `x` attaches, time passes, and `x` goes on.
    later: [
      onSigning("attach", x, { bag: first, report: again }),
      wait,
      onSigning("attach", x, { bag: second, report: last }),
      onSigning("unlock", x),
    ],
    // Eve, who has no booking, claims a tag when one booking is past, and `y` asks for it.
    past: [
      (8 * model.DAY) / 1_000,
      alone({ kind: "attach", who: "eve", tag: "model-tag", bag: 1 }),
      alone({ kind: "token", who: y, tag: "model-tag", report: again }),
      alone({ kind: "unlock", who: y, tag: "model-tag" }),
    ],
  }));
const scenario = fc
  .tuple(scenarios, fc.constantFrom("comeback", "comeback", "late", "late", "later", "later", "past"))
  .map(([all, name]): Step[] => all[name]);

const atOnce = fc.record({
  doings: fc.array(doing, { minLength: 2, maxLength: 3 }),
  order: fc.array(fc.nat(2), { maxLength: 24, size: "max" }),
});
const part = fc.oneof(scenario, scenario, fc.tuple(doing.map(alone)), fc.tuple(atOnce), fc.tuple(pause));
const steps = fc.array(part, { maxLength: 10, size: "max" }).map((parts) => parts.flat());

/** Actions of one caller in their order, and what each was answered. */
type Observed = readonly { readonly action: Action; readonly answer: string }[];

/** A token that was issued, and what the tag did with it. */
interface Issued {
  readonly who: Actor;
  readonly tag: Tag;
  readonly token: string;
  readonly operation?: Statement["operation"] | undefined;
}
const iatOf = (token: string) => Math.floor(decodeToken(fromBase64Url(token)).claims.iat);

/** The statement that `tag` signs after these commits, and as the model has it. */
async function sign(tag: Tag, commits: readonly Issued[], challenge: string | undefined) {
  const { who: by = null, operation = "write", token } = commits.at(-1) ?? {};
  const cti = token === undefined ? 0 : iatOf(token);
  const statement = { by, operation, cti, commits: commits.length, isPresence: challenge !== undefined };
  const text =
    token === undefined
      ? await signTagStatement(tag, { challenge })
      : await signCommit(tag, token, commits.length, { operation, challenge });
  return { sent: { tagStatement: text }, statement };
}

/** What is sent with a request, and what the model knows of it. */
async function meansOf(
  issued: readonly Issued[],
  { who, tag, report }: Doing,
  challenge: string | undefined,
): Promise<Pick<Action, "statement" | "cti"> & { readonly sent?: object }> {
  if (report === "cti" || report === "old cti") {
    const own = issued.filter((one) => one.who === who && one.tag === tag);
    const token = own.at(report === "cti" ? -1 : 0)?.token;
    return token === undefined ? {} : { sent: { cti: ctiOf(token) }, cti: iatOf(token) };
  }
  if (report === undefined || report === "nothing" || report === "dies" || !model.signs(tag)) return {};
  const commits = issued.filter((one) => one.tag === tag && one.operation !== undefined);
  return report === "replay" ? sign(tag, commits.slice(0, 1), undefined) : sign(tag, commits, challenge);
}

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

/** Settings that must not be met. */
const ENDLESS = Object.keys(limits)
  .filter((name) => /^(guesses|claimsPer|attachmentsPer|foreign|(access|refresh).*Seconds)/.test(name))
  .map((name) => [name.replace(/[A-Z]/g, (letter) => `_${letter}`).toUpperCase(), "2e9"]);

/** A production without limits, before any tag is locked or written: in development passengers have none. */
async function signInAll() {
  const service = await startClean({ ...Object.fromEntries(ENDLESS), ENVIRONMENT: "production" });
  const guest = () => guestSession(service);
  const people: Readonly<Record<Actor, TestSession>> = {
    ...{ ada: await guest(), bob: await guest(), eve: await guest(), mallory: await guest() },
    host: await federatedSession(service, { clientKey: PARTNER_KEY }),
    staff: await staffSession(service),
  };
  for (const [actor, plan] of model.LOADED) await withBookings(service, people[actor], [plan]);
  const start = service.now();
  // The second ends in the longest pause of a sequence.
  const ends = { "demo-plan-1": start + 20 * model.DAY, "demo-plan-2": start + 8 * model.DAY };
  for (const plan of model.PLANS) await changeRow(service.db, travelPlans, plan, { endsAt: ends[plan] });
  const { spki } = readCertificate(fromBase64(tagCertificateOf(signing)));
  await changeRow(service.db, devices, signing, { tagKey: keyOfSpki(spki) });
  return { service, people, first: model.firstState(start, ends) };
}

interface Part {
  /** Tokens of the sequence so far. */
  readonly issued: Issued[];
  readonly send: (action: Action, more?: object) => Promise<{ readonly answer: string; readonly body: Body }>;
}

/** One request, after a look-up for the challenge if the tag is to sign one. `operation`: the tag takes the token. */
async function request(
  { issued, send }: Part,
  { report, ...bare }: Doing & Pick<Action, "kind">,
  operation?: Statement["operation"],
): Promise<Observed> {
  const { kind, who, tag } = bare;
  const canReport = ["attach", "unlock", "release", "token"].includes(kind);
  const look = { kind: "look", who, tag } as const;
  const looked = canReport && report === "presence" && model.signs(tag) ? await send(look) : undefined;
  const challenge = looked?.body.tagChallenge as string | undefined;
  const { sent = {}, ...known } = canReport ? await meansOf(issued, { ...bare, report }, challenge) : {};
  const action = { ...bare, ...known };
  const { answer, body } = await send(action, sent);
  if (kind === "token" && answer === "ok")
    issued.push({ who, tag, token: String(body.transactionToken), operation });
  return [...(looked ? [{ action: look, answer: looked.answer }] : []), { action, answer }];
}

/** One caller's part of a round. */
async function run(part: Part, { kind, report, ...step }: Doing): Promise<Observed> {
  if (kind !== "write" && kind !== "wipe") return request(part, { ...step, kind, report });
  const asked = await request(part, { ...step, kind: "token" }, kind === "write" ? "write" : "clear");
  if (asked.at(-1)?.answer !== "ok" || report === "dies") return asked;
  const reported = await request(part, { ...step, kind: kind === "write" ? "attach" : "unlock", report });
  return [...asked, ...reported];
}

/** The service of `signedIn` over a copy of its database. */
function driverOver(database: D1Database, { service, people }: Awaited<ReturnType<typeof signInAll>>) {
  const queue = turns();
  const post = barePost(service, guardedDatabase(database, queue.next));
  const db = connect(database);
  const names = new Map(model.ACTORS.map((actor) => [subOf(people[actor]), actor]));
  const send: Part["send"] = async (action, more = {}) => {
    const { clientKey, accessToken } = people[action.who];
    const headers = { [HEADER.clientKey]: clientKey, Authorization: `Bearer ${accessToken}` };
    const [name, input] = requestOf(action);
    const response = await post(endpoints[name].path, { ...input, ...more }, headers);
    const body = await response.json<Body>();
    return { body, answer: response.ok ? "ok" : String(body.errorCode) };
  };
  return {
    /** Lets callers act at once; `order` selects the next of the waiting callers. */
    act: (issued: Issued[], doings: readonly Doing[], order: readonly number[]) =>
      queue.take(
        doings.map((step) => () => run({ issued, send }, step)),
        order,
      ),
    lines: () => linesIn(db, service.now(), names),
  };
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

/** Lines in one order, as one text; a tag of which nothing is known may have no row. */
const sorted = (lines: readonly string[]) =>
  lines
    .filter((line) => !/^\["tag",[^,]*,null,0,null\]$/.test(line))
    .toSorted()
    .join("\n");

const hex = (cti: number | null) => cti?.toString(16).padStart(8, "0");
/** A line for each row that the service has in this state, without times but the tokens'. */
function linesOf(state: State): string {
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
  return sorted(lines.map((line) => JSON.stringify(line)));
}
/** A line for each row of the model's tags, as `linesOf` has them of a state; `names` by `sub`. */
async function linesIn(
  db: ReturnType<typeof connect>,
  now: number,
  names: ReadonlyMap<string, Actor>,
): Promise<string> {
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
    [...names].reduce((text, [sub, name]) => text.replaceAll(`"${sub}"`, `"${name}"`), line);
  return sorted(rows.map(({ line }) => named(line)));
}

/** The state after an order of the concurrent actions that explains all answers and what was found. */
function explain(state: State, observed: readonly Observed[], found: string): State | undefined {
  const all = observed.flat();
  const search = (before: State, left: readonly Observed[]): State | undefined => {
    const open = left.filter((actions) => actions.length > 0);
    if (open.length === 0) return linesOf(before) === found ? before : undefined;
    for (const actions of open) {
      const [first, ...rest] = actions as [Observed[number], ...Observed];
      const others = open.map((one) => (one === actions ? rest : one));
      for (const next of outcomes(before, first)) {
        const after = search(next, others);
        if (after !== undefined) return after;
      }
    }
    return undefined;
  };
  const outcomes = (before: State, { action, answer }: Observed[number]): readonly State[] => {
    const step = model.apply(before, action);
    // A proof does not remove a lock that came after the one it was compared with.
    const mayHaveGone =
      action.kind === "prove" &&
      answer === "custody_proof_invalid" &&
      all.some(
        ({ action: one }) => one !== action && one.tag === action.tag && !["look", "lose"].includes(one.kind),
      );
    return [...(step.answer === answer ? [step.state] : []), ...(mayHaveGone ? [before] : [])];
  };
  return search(state, observed);
}

it(`the lock does what its model does, with concurrent callers (${SEQUENCES} sequences)`, async () => {
  const signedIn = await signInAll();
  const { service, first } = signedIn;
  await besideDatabase(async (database, reset) => {
    const driver = driverOver(database, signedIn);
    const sequence = fc.asyncProperty(steps, async (all) => {
      service.advance((first.now - service.now()) / 1_000);
      reset();
      let state = first;
      const issued: Issued[] = [];
      for (const step of all) {
        if (typeof step === "number") {
          service.advance(step);
          state = model.passed(state, service.now());
        }
        const observed = typeof step === "number" ? [] : await driver.act(issued, step.doings, step.order);
        const found = await driver.lines();
        const after = explain(state, observed, found);
        if (after === undefined)
          throw new Error(`no order explains ${JSON.stringify({ before: state, observed, found }, null, 1)}`);
        state = after;
      }
    });
    await fc.assert(sequence, { numRuns: SEQUENCES });
  });
}, 7_200_000);
