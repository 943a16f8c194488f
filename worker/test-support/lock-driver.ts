import { eq, inArray, sql } from "drizzle-orm";
import { type EndpointName, endpoints, HEADER, limits } from "../../core/api/index.ts";
import { encodePayload, payloadDigest } from "../../core/bag/payload.ts";
import { clearPayload } from "../../core/bag/ticket-payload.ts";
import { fromBase64Url, toBase64Url } from "../../core/encoding/bytes.ts";
import { decodeToken } from "../../core/sec/token.ts";
import * as tables from "../../db/schema.ts";
import { connect } from "../database/connect.ts";
import { barePost } from "./bare-app.ts";
import { subOf } from "./bookings.ts";
import { FRESH_TAG, startWithCleanTags } from "./clean-tags.ts";
import { guardedDatabase } from "./guarded-database.ts";
import {
  ACTORS,
  type Action,
  type Actor,
  DAY,
  DELEGATE,
  firstState,
  PLANS,
  type Plan,
  type State,
  type Statement,
  signs,
  TAGS,
  type Tag,
} from "./lock-state.ts";
import { attestedSession, federatedSession, guestSession, staffSession, type TestSession } from "./logins.ts";
import { PARTNER_KEY, type TestService } from "./service.ts";
import { ctiOf, signCommit, signTagStatement, tagCertificateOf } from "./signing-tag.ts";
import { turns } from "./turns.ts";

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
type Commit = Pick<Statement, "operation"> & { readonly by: Actor; readonly token: string };
type SignedText = { readonly text: string; readonly statement: Statement };
/** The tags, and the statements and tokens that actors have stored. */
export class Fixture {
  /** Every commit; its place is its number less one. */
  readonly commits: Record<string, Commit[]> = Object.fromEntries(TAGS.map((tag) => [tag, []]));
  /** By `actor tag`: tokens issued to the actor. */
  readonly tokens: Record<string, string[]> = {};
  /** Statements of the signing tag without a challenge. */
  readonly recorded: SignedText[] = [];

  /** The tag's current statement, as the model has it. */
  statementOf(tag: Tag, isPresence = false): Statement {
    const commits = this.commits[tag] ?? [];
    const last = commits.at(-1);
    const [by, operation] = [last?.by ?? null, last?.operation ?? "write"];
    return { by, operation, cti: last ? iatOf(last.token) : 0, commits: commits.length, isPresence };
  }

  async sign(tag: Tag, challenge: string | undefined): Promise<SignedText> {
    const statement = this.statementOf(tag, challenge !== undefined);
    const last = this.commits[tag]?.at(-1);
    const text = last
      ? await signCommit(tag, last.token, statement.commits, { operation: last.operation, challenge })
      : await signTagStatement(tag, { challenge });
    if (challenge === undefined) this.recorded.push({ text, statement });
    return { text, statement };
  }
}
const iatOf = (token: string) => Math.floor(decodeToken(fromBase64Url(token)).claims.iat);

const BOOKING = {
  "demo-plan-1": { recordLocator: "ABC123", surname: "LOVELACE" },
  "demo-plan-2": { recordLocator: "K7Q2ZD", surname: "Mueller" },
  nothing: { recordLocator: "ABC123", surname: "MÜLLER" },
} as const;
const DELEGATION = "model";

export function requestOf(action: Action): [EndpointName, object] {
  const { kind, tag, bag, knows = "nothing", lost = false } = action;
  const named = { uniqueDeviceId: tag, ...(bag !== undefined && { forBaggageId: bag }) };
  const decision = { delegationId: DELEGATION, confirmed: kind === "appoint" };
  const requests: Readonly<Record<Action["kind"], [EndpointName, object]>> = {
    attach: ["deviceAttachment", { device: { uniqueID: tag }, baggageId: bag ?? 1 }],
    unlock: ["ebtUnlock", named],
    token: ["ebtAuthorization", { ...named, nonce: "n" }],
    look: ["ebtLookup", named],
    release: ["lockRelease", { uniqueDeviceId: tag, reason: "the model says so" }],
    prove: ["ebtCustodyProof", { uniqueDeviceId: tag, ...BOOKING[knows] }],
    lose: ["deviceLoss", { uniqueDeviceId: tag, lost }],
    load: ["journeyFromRecordLocator", BOOKING[knows]],
    appoint: ["delegationDecision", decision],
    dismiss: ["delegationDecision", decision],
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
/** Small enough to be met. */
export const CAPS = { locks: 2, claims: 1, perBag: 1 };
const LOADED = ["ada demo-plan-1", "attested demo-plan-1", "bob demo-plan-1", "mallory demo-plan-2"];

/** The service, with all actors logged in. */
export interface SignedIn {
  readonly service: TestService;
  readonly people: Readonly<Record<Actor, TestSession>>;
  /** The key of the tag that signs. */
  readonly tagKey: string | null;
}

/** A production without limits but the caps: only a production has limits for passengers. */
export async function signInAll(): Promise<SignedIn> {
  const vars = {
    ...Object.fromEntries(ENDLESS),
    ...{ LIVE_LOCKS_PER_SUBJECT: `${CAPS.locks}`, LIVE_CLAIMS_PER_SUBJECT: `${CAPS.claims}` },
    LOCKS_PER_BAG: `${CAPS.perBag}`,
  };
  const development = await startWithCleanTags(vars);
  const guest = () => guestSession(development);
  const people = {
    ...{ ada: await guest(), bob: await guest(), eve: await guest(), mallory: await guest() },
    attested: await attestedSession(development),
    host: await federatedSession(development, { clientKey: PARTNER_KEY }),
    staff: await staffSession(development),
  };
  const [uniqueID] = TAGS;
  const certified = { device: { uniqueID }, baggageId: 1, tagCertificate: tagCertificateOf(uniqueID) };
  await people.ada.call("deviceAttachment", certified);
  const { devices, sessions } = tables;
  const [row] = await development.db.select().from(devices).where(eq(devices.id, uniqueID));
  const service = await startWithCleanTags({ ...vars, ENVIRONMENT: "production" });
  // Production trusts the makers of phones alone.
  const isAttested = eq(sessions.sub, subOf(people.attested));
  await service.db.update(sessions).set({ evidence: "apple-appattest" }).where(isAttested);
  return { service, people, tagKey: row?.tagKey ?? null };
}

/** The service of `signedIn` over `database`, where its rows are. */
export function driverOver(database: D1Database, signedIn: SignedIn) {
  const { service, people } = signedIn;
  const { advance, now } = service;
  const queue = turns();
  const post = barePost(service, guardedDatabase(database, queue.next));
  const db = connect(database);
  const actors = new Map(ACTORS.map((actor) => [subOf(people[actor]), actor]));
  const start = now();
  // The second ends in the longest pause of a sequence.
  const ends = { "demo-plan-1": start + 20 * DAY, "demo-plan-2": start + 8 * DAY };

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
      const loaded = Object.fromEntries(LOADED.map((one) => [one, "known" as const]));
      return { ...firstState(CAPS, start, ends), loaded, delegation: "waiting" };
    },
    /** Lets callers act at once; `order` selects the next of the waiting callers. */
    act: (fixture: Fixture, doings: readonly DriverAction[], order: readonly number[]) =>
      queue.take(
        doings.map((step) => () => run({ fixture, send }, step)),
        order,
      ),
    lines: () => linesIn({ db, now }, actors),
  };
}

type Db = ReturnType<typeof connect>;
/** What makes the rows those of a beginning. Counters go, too: the clock goes back, and their windows would last. */
function beginning(db: Db, { people, tagKey }: SignedIn, start: number, ends: State["ends"]) {
  const { auditLog, clearMarks, delegations, devices, deviceTicketLocks, failedProofs } = tables;
  const { guessCounters, loadedPlans, travelPlans } = tables;
  const delegation = {
    ...{ id: DELEGATION, codeHash: DELEGATION, comparison: 42, holderConfirmed: true, planId: DELEGATE.plan },
    ...{ holderSub: subOf(people[DELEGATE.by]), delegateSub: subOf(people[DELEGATE.who]) },
    endsAt: ends[DELEGATE.plan],
  };
  const loads = LOADED.map((one) => one.split(" ") as [Actor, Plan]).map(([actor, planId]) => ({
    ...{ sub: subOf(people[actor]), planId, loadedAt: start },
  }));
  const endOf = (plan: Plan) =>
    db.update(travelPlans).set({ endsAt: ends[plan] }).where(eq(travelPlans.id, plan));
  return [
    ...[deviceTicketLocks, clearMarks, loadedPlans, delegations, guessCounters, failedProofs].map((one) =>
      db.delete(one),
    ),
    db.delete(auditLog).where(inArray(auditLog.deviceId, [...TAGS])),
    db.update(devices).set(FRESH_TAG),
    db.update(devices).set({ tagKey }).where(eq(devices.id, TAGS[0])),
    db.insert(delegations).values(delegation),
    db.insert(loadedPlans).values(loads),
    ...PLANS.map(endOf),
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
  const looked = report === "presence" && signs(tag) ? await part.send(look) : undefined;
  const challenge = looked?.body.tagChallenge as string | undefined;
  const { sent = {}, ...known }: Means = await meansOf(part.fixture, { ...bare, report }, challenge);
  const action = { ...bare, ...known };
  const { answer, body } = await part.send(action, sent);
  if (kind === "token" && answer === "ok") keep(part.fixture, action, body);
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
  const token = keep(part.fixture, step, body);
  part.fixture.commits[step.tag]?.push({ by: step.who, operation, token });
  if (report === "dies") return [asked];
  return [asked, ...(await run(part, { ...step, kind: isWrite ? "attach" : "unlock" }))];
}
const CLEAR = payloadDigest(encodePayload(clearPayload())).then(toBase64Url);

function keep({ tokens }: Fixture, { who, tag }: Pick<DriverAction, "who" | "tag">, body: Body): string {
  const token = String(body.transactionToken);
  tokens[`${who} ${tag}`] = [...(tokens[`${who} ${tag}`] ?? []), token];
  return token;
}

/** What is sent, and what the model knows of it. */
interface Means extends Pick<Action, "statement" | "cti"> {
  readonly sent?: object;
}
async function meansOf(
  fixture: Fixture,
  { who, tag, report }: DriverAction,
  challenge: string | undefined,
): Promise<Means> {
  if (report === "cti" || report === "old cti") {
    const token = fixture.tokens[`${who} ${tag}`]?.at(report === "cti" ? -1 : 0);
    return token === undefined ? {} : { sent: { cti: ctiOf(token) }, cti: iatOf(token) };
  }
  if (report === "nothing" || report === "dies" || !signs(tag)) return {};
  const signed = report === "replay" ? fixture.recorded[0] : await fixture.sign(tag, challenge);
  return signed === undefined ? {} : { sent: { tagStatement: signed.text }, statement: signed.statement };
}

/** A line for each row of the model's tags, as `linesOf` has them of a state; `names` by `sub`. */
export async function linesIn(
  { db, now }: Pick<TestService, "db" | "now">,
  names: ReadonlyMap<string, Actor>,
): Promise<readonly string[]> {
  const tags = sql.raw(`('${TAGS.join("', '")}')`);
  const time = (column: string) => sql.raw(`substr(${column}, 1, 8)`);
  // A lock that is over, and not swept, has spent its number already.
  const rows = await db.all<{ line: string }>(sql`
    select json_array('lock', device_id, plan_id, baggage_id, entitled, holder_sub, writer_sub, commits, ${time("cti")},
      lost_at is not null) as line from device_ticket_locks where ends_at > ${now()}
    union all select json_array('tag', id, commits, max(spent_commits, coalesce((select commits from device_ticket_locks
      where device_id = devices.id and ends_at <= ${now()}), 0)), json(iif(ended_plan_id in (select id from travel_plans
      where ends_at > ${now()}), json_array(ended_holder_sub, ended_plan_id, ended_reason, ${time("ended_cti")}), 'null')))
      from devices where id in ${tags}
    union all select json_array('clear', device_id, sub, plan_id, ${time("cti")}) from clear_marks where ends_at > ${now()}
    union all select json_array('loaded', sub, plan_id) from loaded_plans
    union all select json_array('audit', event, device_id, coalesce(sub, 'none')) from audit_log
      where device_id in ${tags} and event <> 'lock_ended'`);
  const named = (line: string) =>
    [...names].reduce((text, [sub, name]) => text.replace(`"${sub}"`, `"${name}"`), line);
  // Holder and writer may be one.
  return rows.map(({ line }) => named(named(line)));
}
