/** C35–C37, C92: hello, nonces and link of a v2.1 session (docs/protocol.md, Records and Over ATT); C67–C72: the simplified authorize (GATT v2.0). */
import { type Bytes, concat, equalBytes, toHex } from "../../../core/encoding/bytes.ts";
import { type StatusName, TAG_LIMIT } from "../../../core/gatt/profile.ts";
import type { CheckRow } from "../check-row.ts";
import type { Desk } from "../desk.ts";
import { endpointOrder } from "../session.ts";
import { expectCode, isCode, Skipped, seenOf, type Verdict, verdict } from "../types.ts";

const LONGEST_TTL = 120;
const ROUNDS = 2;
/** Of connection intervals, in milliseconds. */
const UNIT = 1.25;
const LONGEST_INTERVAL = 15;

/** Opening the hello compares its version and SHA-256(INFO): without a match there would be no session. */
async function hello(desk: Desk): Promise<Verdict> {
  const session = await desk.sec();
  const { nonce, ttl, id, commits, mark } = session.hello;
  const { markPrefix } = await desk.probe.status();
  const prefix = mark?.slice(0, markPrefix.length) ?? new Uint8Array(markPrefix.length);
  const own = id === (await desk.probe.id());
  const good = nonce.length === 16 && ttl >= 1 && ttl <= LONGEST_TTL && own && equalBytes(prefix, markPrefix);
  return verdict(good, "hello", id, ttl, commits, toHex(prefix));
}

async function fresh(desk: Desk): Promise<Verdict> {
  const session = await desk.sec();
  const seen = [toHex(session.nonce)];
  for (let round = 0; round < ROUNDS; round++) {
    const answer = await session.askFresh();
    if (answer.kind !== "app") return verdict(false, ...seenOf(answer));
    seen.push(toHex(session.nonce));
  }
  return new Set(seen).size === seen.length ? verdict(true, "nonceRenewed") : verdict(false, "nonceKept");
}

async function tooOften(desk: Desk): Promise<Verdict> {
  const session = await desk.sec();
  while (session.freshes < TAG_LIMIT.freshNonces) {
    const answer = await session.askFresh();
    if (answer.kind !== "app") throw new Skipped(...seenOf(answer));
  }
  const answer = await session.askFresh();
  session.abandon();
  return verdict(isCode(answer, "STATE"), ...seenOf(answer));
}

/** One link carries request and answers in order: where there is a session, the request of its first message has come. */
async function interval(desk: Desk): Promise<Verdict> {
  const { requested } = desk.probe.bench;
  if (requested === undefined) throw new Skipped("unseen");
  await desk.session();
  const asked = requested();
  if (asked === undefined) return verdict(false, "missing", "Connection Parameter Update Request");
  const [longest, latency] = [asked.connIntervalMax * UNIT, asked.connLatency];
  return verdict(longest <= LONGEST_INTERVAL && latency === 0, "interval", longest, latency);
}

export const SESSION_CHECKS = [
  { id: "C35", group: "session", profile: "2.1", run: hello },
  { id: "C36", group: "session", profile: "2.1", run: fresh },
  { id: "C37", group: "session", profile: "2.1", run: tooOften },
  { id: "C92", group: "session", profile: "both", run: interval },
] as const satisfies readonly CheckRow[];

const NOT_A_TOKEN: Bytes = new Uint8Array(48).fill(0xa5);

async function stable({ probe }: Desk): Promise<Verdict> {
  await probe.fresh();
  const [first, again] = [await probe.read("NONCE"), await probe.read("NONCE")];
  return verdict(
    first.length === 16 && equalBytes(first, again),
    "bytes",
    `${first.length}, ${again.length}`,
  );
}

async function perConnection({ probe }: Desk): Promise<Verdict> {
  await probe.fresh();
  const first = await probe.read("NONCE");
  await probe.fresh();
  const another = !equalBytes(first, await probe.read("NONCE"));
  return another ? verdict(true, "nonceRenewed") : verdict(false, "nonceKept");
}

/** The state is checked before the token, which need not be a good one. */
async function tokenFirst({ probe }: Desk): Promise<Verdict> {
  await probe.fresh();
  await probe.try(() => probe.send("AUTH", "TOKEN", NOT_A_TOKEN));
  return expectCode(await probe.outcome(), "STATE");
}

async function chain({ probe }: Desk, bytes: Bytes, ...codes: readonly StatusName[]): Promise<Verdict> {
  await probe.fresh();
  return expectCode(await probe.present(bytes), ...codes);
}

const stranger = (desk: Desk) =>
  chain(desk, endpointOrder(desk.probe.bench.throwAway.stranger.chain), "CHAIN");
const wrongUsage = (desk: Desk) =>
  chain(desk, endpointOrder(desk.probe.bench.throwAway.wrongUsage.chain), "CHAIN", "EKU");
const leafFirst = (desk: Desk) => chain(desk, concat(...desk.probe.bench.credential.chain), "CHAIN");

export const V20_CHECKS = [
  { id: "C67", group: "v20", profile: "2.0", run: stable },
  { id: "C68", group: "v20", profile: "2.0", run: perConnection },
  { id: "C69", group: "v20", profile: "2.0", run: tokenFirst },
  { id: "C70", group: "v20", profile: "2.0", run: stranger },
  { id: "C71", group: "v20", profile: "2.0", run: wrongUsage },
  { id: "C72", group: "v20", profile: "2.0", run: leafFirst },
] as const satisfies readonly CheckRow[];
