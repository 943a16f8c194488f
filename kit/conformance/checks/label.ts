/**
 * C38–C42: a label is written and counted, and stays private (docs/protocol.md, States and Version).
 */
import { equalBytes, toHex } from "../../../core/encoding/bytes.ts";
import { VERSION } from "../../../core/gatt/profile.ts";
import { SHA_256 } from "../../../core/sec/primitives.ts";
import type { CheckRow } from "../check-row.ts";
import { CLEAR_BYTES, type Desk, LABEL_BYTES, NoSession } from "../desk.ts";
import type { HandshakeOptions } from "../handshake.ts";
import { endpointOrder } from "../session.ts";
import { type Answer, isCode, Skipped, seenOf, type Verdict, verdict } from "../types.ts";
import { labelled, READABLE, revealing } from "./written.ts";

async function write(desk: Desk): Promise<Verdict> {
  const { answer, after } = await labelled(desk);
  if (after === undefined) return verdict(false, ...seenOf(answer));
  const { display } = after.status;
  const { displayBlank } = after.info.flags;
  return verdict(display === "LABEL" && !displayBlank, "display", display, displayBlank ? 1 : 0, 0, 0);
}

async function counters(desk: Desk): Promise<Verdict> {
  const { answer, before, after: shown } = await labelled(desk);
  if (shown === undefined) return verdict(false, ...seenOf(answer));
  const after = await desk.mark();
  const named = desk.shows(LABEL_BYTES, after.markPrefix);
  const counted = before.commits === undefined || after.commits === before.commits + 1;
  return verdict(named && counted, "counters", before.commits ?? "–", after.commits ?? "–", named ? 1 : 0);
}

async function silent(desk: Desk): Promise<Verdict> {
  const { answer, after } = await labelled(desk);
  if (after === undefined) throw new NoSession(answer);
  const { probe } = desk;
  const session = await desk.session();
  const { markPrefix } = await probe.status();
  if (!desk.shows(LABEL_BYTES, markPrefix)) throw new Skipped("noSession", "display");
  // On v2.1, NONCE must not be read inside a session.
  const names = session.generation === "2.1" ? READABLE.filter((name) => name !== "NONCE") : READABLE;
  const revealed = new Set([...after.revealed, ...(await revealing(probe, names))]);
  return revealed.size === 0 ? verdict(true, "noLeak") : verdict(false, "leak", [...revealed].join(", "));
}

/** Opens a session in the way under test; any other answer fails. */
async function failedToOpen(desk: Desk, options: HandshakeOptions): Promise<Verdict | undefined> {
  try {
    await desk.newSession(options);
    return undefined;
  } catch (error) {
    if (error instanceof NoSession) return { outcome: "fail", seen: error.seen };
    throw error;
  }
}

/** The tag keeps the intermediate of its last commit, which was ours: the leaf is enough from now on. */
async function known(desk: Desk): Promise<Verdict> {
  const { answer, after } = await labelled(desk);
  if (after === undefined) throw new NoSession(answer);
  const { intermediate } = after.info;
  const { chain, privateKey } = desk.probe.bench.credential;
  const [leaf, issuer] = chain;
  if (intermediate === undefined || leaf === undefined || issuer === undefined) throw new Skipped("knows");
  const ours = (await SHA_256.digest(issuer)).slice(0, intermediate.length);
  if (!equalBytes(intermediate, ours)) return verdict(false, "bytes", toHex(intermediate));
  return (
    (await failedToOpen(desk, { credential: { chain: [leaf], privateKey } })) ?? verdict(true, "accepted")
  );
}

/** Whether COMMITTED was the answer, and the display is blank. */
async function blank(desk: Desk, answer: Answer): Promise<Verdict> {
  if (!isCode(answer, "COMMITTED")) return verdict(false, ...seenOf(answer));
  const { display } = await desk.probe.status();
  return verdict(display === "BLANK", "display", display, 1, 0, 0);
}

const atOnce = async (desk: Desk) => blank(desk, await desk.commitAtOnce(CLEAR_BYTES, false));

async function sparing(desk: Desk): Promise<Verdict> {
  await desk.probe.connected();
  if (!desk.probe.sparesResponses) throw new Skipped("responses");
  const failed = await failedToOpen(desk, { sparing: true });
  return failed ?? blank(desk, await desk.commitAtOnce(CLEAR_BYTES, true));
}

async function raised(desk: Desk): Promise<Verdict> {
  // Earlier commits prove nothing: they may have been v2.0's.
  const { answer, after } = await labelled(desk);
  if (after === undefined) throw new NoSession(answer);
  const { versionMin } = after.info;
  return verdict(versionMin === VERSION["2.1"], "value", `ver_min = ${versionMin}`);
}

async function retired({ probe }: Desk): Promise<Verdict> {
  await probe.fresh();
  const { versionMin } = await probe.info();
  if (versionMin < VERSION["2.1"]) throw new Skipped("value", `ver_min = ${versionMin}`);
  const nonce = await probe.read("NONCE");
  const answer = await probe.present(endpointOrder(probe.bench.credential.chain));
  return verdict(nonce.length === 0 && isCode(answer, "VERSION"), ...seenOf(answer));
}

export const LABEL_CHECKS = [
  { id: "C38", group: "label", profile: "both", run: write },
  { id: "C39", group: "label", profile: "both", run: counters },
  { id: "C40", group: "label", profile: "both", run: silent },
  { id: "C41", group: "label", profile: "2.1", run: raised },
  { id: "C42", group: "label", profile: "2.1", run: retired },
  { id: "C85", group: "label", profile: "2.1", run: known },
  { id: "C88", group: "label", profile: "2.1", run: atOnce },
  { id: "C90", group: "label", profile: "2.1", run: sparing },
] as const satisfies readonly CheckRow[];
