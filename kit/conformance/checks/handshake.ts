/** C20–C33: the handshake (docs/protocol.md, Handshake and Certificates). */
import { type Bytes, concat, utf8 } from "../../../core/encoding/bytes.ts";
import { verifyChain } from "../../../core/pki/chain.ts";
import { EKU_TAG } from "../../../core/pki/profiles.ts";
import type { Credential } from "../../../core/sec/authentication.ts";
import { SecError } from "../../../core/sec/errors.ts";
import { decodeMessage1, encodeMessage1 } from "../../../core/sec/messages.ts";
import { SUITES, type SuiteId } from "../../../core/sec/suites.ts";
import type { CheckRow } from "../check-row.ts";
import { type Desk, NoSession } from "../desk.ts";
import { ask, begin, handshake } from "../handshake.ts";
import type { Probe } from "../probe.ts";
import { expectCode, expectError1, Skipped, seenOf, type Verdict, verdict } from "../types.ts";

/** The suites that INFO claims, in the client's order of preference. */
async function claimed({ probe }: Desk): Promise<SuiteId[]> {
  const { caps } = await probe.info();
  return [...(caps.suite6 ? [6 as const] : []), ...(caps.suite3 ? [3 as const] : [])];
}

async function message1(suites: readonly SuiteId[]): Promise<Bytes> {
  const { ecdh } = SUITES[suites.at(-1) ?? 6];
  const { publicKey } = await ecdh.generate();
  return encodeMessage1({
    method: 0,
    suitesI: suites,
    gX: publicKey,
    cI: Uint8Array.of(0),
    ead: new Uint8Array(),
  });
}

async function unsupported(desk: Desk): Promise<Verdict> {
  const answer = await ask(desk.probe, await message1([0]));
  if (answer.kind !== "edhocError" || answer.code !== 2) return verdict(false, ...seenOf(answer));
  const known = await claimed(desk);
  const agrees = known.every((id) => answer.suitesR.includes(id));
  const { state } = await desk.probe.status();
  return verdict(agrees && state === "CONNECTED", ...seenOf(answer));
}

async function preference(desk: Desk): Promise<Verdict> {
  await desk.probe.connected();
  const [first, second] = await claimed(desk);
  if (first === undefined) throw new Skipped("value", "INFO: caps 0");
  const answer = await ask(desk.probe, await message1([first, second ?? otherThan(first)]));
  return verdict(answer.kind === "edhocError" && answer.code === 2, ...seenOf(answer));
}

function otherThan(suite: SuiteId): SuiteId {
  return suite === 6 ? 3 : 6;
}

/** A message_1 with the tag's own first suite, made malformed. */
const malformed =
  (spoil: (good: Bytes) => Bytes) =>
  async (desk: Desk): Promise<Verdict> => {
    await desk.probe.connected();
    const [suite = 6] = await claimed(desk);
    return expectError1(await ask(desk.probe, spoil(await message1([suite]))));
  };

const truncated = malformed((good) => good.slice(0, -2));
const surplus = malformed((good) => concat(good, Uint8Array.of(0xff)));
/** All zeros: a point of low order on X25519. On P-256 zero is the x of a point, and nothing above the prime is. */
const lowOrder = malformed((good) => {
  const { gX, ...rest } = decodeMessage1(good);
  return encodeMessage1({
    ...rest,
    gX: new Uint8Array(gX.length).fill(rest.suitesI.at(-1) === 3 ? 0xff : 0),
  });
});

async function recordFirst({ probe }: Desk): Promise<Verdict> {
  await probe.fresh();
  await probe.try(() => probe.send("SEC", "APP", concat(Uint8Array.of(5), new Uint8Array(18))));
  return expectCode(await probe.receive(), "STATE");
}

async function requireMessage2(probe: Probe): Promise<void> {
  const begun = await begin(probe);
  if (!("state" in begun)) throw new NoSession(begun.answer);
}

async function dataEarly({ probe }: Desk): Promise<Verdict> {
  await requireMessage2(probe);
  await probe.try(() => probe.send("DATA", "APP", concat(Uint8Array.of(2), new Uint8Array(40))));
  return expectCode(await probe.receive(), "STATE");
}

async function certificate(desk: Desk): Promise<Verdict> {
  const chain = desk.probe.peerChain ?? (await desk.sec()).opened.peerChain;
  const { tagRoots } = desk.probe.bench;
  await desk.probe.connected();
  const id = await desk.probe.id();
  try {
    const leaf = await verifyChain({ chain, anchors: tagRoots, eku: EKU_TAG, at: new Date() });
    return verdict(leaf.subjectSerialNumber === id, "certificate", leaf.subjectSerialNumber ?? "–", id);
  } catch (error) {
    if (error instanceof SecError) return verdict(false, "failed", error.code);
    throw error;
  }
}

/** A client that the tag must refuse after message_3. */
async function refused(desk: Desk, credential: Credential): Promise<Verdict> {
  const end = await handshake(desk.probe, { credential });
  return expectRefused(end);
}

/** A tag that continues after message_3 has accepted it. */
function expectRefused(end: Awaited<ReturnType<typeof handshake>>): Verdict {
  if (!("at" in end) || end.at === "message_4" || end.at === "hello") return verdict(false, "accepted");
  if (end.at !== "message_3") throw new NoSession(end.answer);
  return expectError1(end.answer);
}

const stranger = (desk: Desk) => refused(desk, desk.probe.bench.throwAway.stranger);

async function forgedLeaf(desk: Desk): Promise<Verdict> {
  const { credential, throwAway } = desk.probe.bench;
  const intermediate = credential.chain[1];
  if (intermediate === undefined) throw new Skipped("value", "x5chain: 1");
  return refused(desk, await throwAway.forgedUnder(intermediate));
}

async function possession(desk: Desk): Promise<Verdict> {
  const { credential, throwAway } = desk.probe.bench;
  return refused(desk, { chain: credential.chain, privateKey: throwAway.privateKey });
}

/** A leaf alone: the tag keeps no intermediate that issued it, and may keep none at all. */
async function unknownIntermediate(desk: Desk): Promise<Verdict> {
  const { chain, privateKey } = desk.probe.bench.throwAway.stranger;
  return refused(desk, { chain: chain.slice(0, 1), privateKey });
}

async function order(desk: Desk): Promise<Verdict> {
  const { chain, privateKey } = desk.probe.bench.credential;
  return refused(desk, { chain: chain.toReversed(), privateKey });
}

async function changed(desk: Desk): Promise<Verdict> {
  const spoil = (message: Bytes) => message.with(-1, (message.at(-1) ?? 0) ^ 1);
  const end = await handshake(desk.probe, { spoil });
  return expectRefused(end);
}

/** Sends it twice on one connection: the second is out of order. */
async function repeated({ probe }: Desk): Promise<Verdict> {
  await requireMessage2(probe);
  await probe.try(() => probe.send("SEC", "EDHOC", utf8("not message_3")));
  return expectError1(await probe.receive());
}

export const HANDSHAKE_CHECKS = [
  { id: "C20", group: "handshake", profile: "2.1", run: unsupported },
  { id: "C21", group: "handshake", profile: "2.1", run: preference },
  { id: "C22", group: "handshake", profile: "2.1", run: truncated },
  { id: "C23", group: "handshake", profile: "2.1", run: surplus },
  { id: "C24", group: "handshake", profile: "2.1", run: lowOrder },
  { id: "C25", group: "handshake", profile: "2.1", run: recordFirst },
  { id: "C26", group: "handshake", profile: "2.1", run: dataEarly },
  { id: "C27", group: "handshake", profile: "2.1", run: certificate },
  { id: "C28", group: "handshake", profile: "2.1", run: stranger },
  { id: "C30", group: "handshake", profile: "2.1", run: forgedLeaf },
  { id: "C31", group: "handshake", profile: "2.1", run: possession },
  { id: "C32", group: "handshake", profile: "2.1", run: order },
  { id: "C33", group: "handshake", profile: "2.1", run: changed },
  { id: "C34", group: "handshake", profile: "2.1", run: repeated },
  { id: "C86", group: "handshake", profile: "2.1", run: unknownIntermediate },
] as const satisfies readonly CheckRow[];
