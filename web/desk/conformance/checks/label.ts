/**
 * C38–C42: a label is written and counted, and can be read by nobody (docs/protocol.md, States and Version).
 */
import { concat, equalBytes, utf8 } from "../../../../core/encoding/bytes.ts";
import { VERSION } from "../../../../core/gatt/profile.ts";
import { isCode, seenOf } from "../answers.ts";
import type { CheckRow } from "../check-row.ts";
import { type Desk, LABEL_BYTES, TEST_LABEL } from "../desk.ts";
import type { ProbeName } from "../probe.ts";
import { Skipped, type Verdict, verdict } from "../types.ts";

const READABLE: readonly ProbeName[] = [
  "INFO",
  "ID",
  "NONCE",
  "STATUS",
  "LEVEL",
  "MANUFACTURER",
  "MODEL",
  "FIRMWARE",
];

async function write(desk: Desk): Promise<Verdict> {
  const answer = await desk.commit(LABEL_BYTES);
  if (!isCode(answer, "COMMITTED")) return verdict(false, ...seenOf(answer));
  await desk.probe.fresh();
  const { display } = await desk.probe.status();
  const { flags } = await desk.probe.info();
  const shows = display === "LABEL" && !flags.displayBlank;
  return verdict(shows, "display", display, flags.displayBlank ? 1 : 0, 0, 0);
}

async function counters(desk: Desk): Promise<Verdict> {
  const before = await desk.mark();
  const answer = await desk.commit(LABEL_BYTES);
  if (!isCode(answer, "COMMITTED")) return verdict(false, ...seenOf(answer));
  const after = await desk.mark();
  const named = desk.shows(LABEL_BYTES, after.markPrefix);
  const counted = before.commits === undefined || after.commits === before.commits + 1;
  return verdict(named && counted, "counters", before.commits ?? "–", after.commits ?? "–", named ? 1 : 0);
}

/** Whether `value` reveals any of the label: in clear, or as digits packed two to a byte. */
function tells(value: Uint8Array): boolean {
  const { licencePlate, name, destinationCity, segments } = TEST_LABEL;
  const packed = Uint8Array.from(licencePlate.match(/../g) ?? [], (two) => Number.parseInt(two, 16));
  const secrets = [licencePlate, name, destinationCity, segments[0].flight].map(utf8);
  return [...secrets, packed].some((secret) => contains(value, secret));
}

function contains(value: Uint8Array, part: Uint8Array): boolean {
  for (let at = 0; at + part.length <= value.length; at++) {
    if (equalBytes(value.slice(at, at + part.length), part)) return true;
  }
  return false;
}

async function silent(desk: Desk): Promise<Verdict> {
  const { probe } = desk;
  const session = await desk.session();
  const { markPrefix } = await probe.status();
  if (!desk.shows(LABEL_BYTES, markPrefix)) throw new Skipped("noSession", "display");
  const told: string[] = [];
  const look = async (names: readonly ProbeName[]) => {
    for (const name of names) if (tells(await probe.read(name))) told.push(name);
  };
  // On v2.1, NONCE must not be read inside a session; before a session, SEC has nothing due.
  await look(session.generation === "2.1" ? READABLE.filter((name) => name !== "NONCE") : READABLE);
  await probe.fresh();
  await look(session.generation === "2.1" ? [...READABLE, "SEC"] : READABLE);
  return told.length === 0 ? verdict(true, "noLeak") : verdict(false, "leak", told.join(", "));
}

async function raised(desk: Desk): Promise<Verdict> {
  const session = await desk.sec();
  if (session.hello.commits === 0) throw new Skipped("counters", 0, 0, 0);
  const { versionMin } = await desk.probe.info();
  return verdict(versionMin === VERSION["2.1"], "value", `ver_min = ${versionMin}`);
}

async function retired({ probe }: Desk): Promise<Verdict> {
  await probe.fresh();
  const { versionMin } = await probe.info();
  if (versionMin < VERSION["2.1"]) throw new Skipped("value", `ver_min = ${versionMin}`);
  const nonce = await probe.read("NONCE");
  const chain = concat(...probe.bench.credential.chain.toReversed());
  await probe.try(() => probe.send("CERT", "CERTIFICATE_CHAIN", chain));
  const answer = await probe.outcome();
  return verdict(nonce.length === 0 && isCode(answer, "VERSION"), ...seenOf(answer));
}

export const LABEL_CHECKS = [
  { id: "C38", group: "label", profile: "both", run: write },
  { id: "C39", group: "label", profile: "both", run: counters },
  { id: "C40", group: "label", profile: "both", run: silent },
  { id: "C41", group: "label", profile: "2.1", run: raised },
  { id: "C42", group: "label", profile: "2.1", run: retired },
] as const satisfies readonly CheckRow[];
