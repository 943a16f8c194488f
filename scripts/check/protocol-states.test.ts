/** Every row of docs/protocol.md's table of states, done to a virtual tag: what it answers, what STATUS says, and its link. */
import { expect, it } from "vitest";
import { type GattVersion, STATUS, type TagState } from "../../core/gatt/profile.ts";
import * as acts from "../../sim/test-support/central-acts.ts";
import { reach, type Stage } from "../../sim/test-support/stages.ts";
import { STATE_TABLE, tablesOf, tableWith } from "../documents/read-markdown.ts";
import { projectText } from "../project-files.ts";

const DOCUMENT = projectText("docs/protocol.md");
const { rows } = tableWith(tablesOf(DOCUMENT), ...STATE_TABLE);

const after =
  (milliseconds: number): acts.Act =>
  async ({ world }) =>
    world.advance(milliseconds);
const another: acts.Act = ({ tag }) => tag.connect();
const reboot: acts.Act = async ({ tag }) => tag.reboot();
const onSec: acts.Act = ({ central }) => central.raw("SEC", acts.NOTHING);
const nonce: acts.Act = ({ tag }) => tag.read("a9ffda4d-387d-4bec-94e5-e89af21bf541");
const thirdToken: acts.Act = async (at) => {
  for (let miss = 0; miss < 3; miss++) {
    at.events.length = 0;
    await acts.badToken(at);
    await at.tag.settled();
  }
};
const dropped: acts.Act = async (at) => {
  await acts.badToken(at);
  await at.tag.settled();
  at.events.length = 0;
  await acts.data(at);
};

type Deed = readonly [state: TagState, event: string, act: acts.Act, code?: number];

/** What to do for each row, in several states where it is of all others; the code is that of an answer which the table leaves open. */
const DEEDS: readonly Deed[] = [
  ["IDLE", "connect", another],
  ["CONNECTED", "message1", acts.message1],
  ["CONNECTED", "suiteRefused", acts.otherSuite],
  ["CONNECTED", "chain", acts.chain],
  ["WAIT_M3", "message3", acts.message3],
  ["PRESENTED", "tokenAccepted", acts.token],
  ["PRESENTED", "tokenRefused", acts.badToken, STATUS.TOKEN_FORMAT],
  ["PRESENTED", "tokenRefusedLast", thirdToken],
  ["ESTABLISHED", "tokenAccepted", acts.token],
  ["ESTABLISHED", "tokenRefused", acts.badToken, STATUS.TOKEN_FORMAT],
  ["ESTABLISHED", "tokenRefusedLast", thirdToken],
  ["ESTABLISHED", "dropped", dropped],
  ["ESTABLISHED", "freshNonce", acts.fresh],
  ["ESTABLISHED", "challenge", acts.challenge],
  ["AUTHORIZED", "data", acts.data],
  ["RECEIVING", "data", acts.data],
  ["RECEIVING", "commit", acts.commit],
  ["RECEIVING", "commitRefused", acts.otherCommit, STATUS.OFFSET],
  ["COMMITTING", "displayDone", after(900)],
  ["COMMITTING", "reboot", reboot],
  ["COMMITTING", "any other", acts.message1],
  ["COMMITTING", "any other", acts.data],
  ["COMMITTING", "any other", acts.chain],
  ["COMMITTING", "any other", onSec],
  ["COMMITTED", "challenge", acts.challenge],
  ["LOCKOUT", "lockoutOver", after(30_000)],
  ["LOCKOUT", "any other", acts.message1],
  ["LOCKOUT", "any other", acts.data],
  ["LOCKOUT", "any other", acts.chain],
  ["LOCKOUT", "any other", onSec],
  ["CONNECTED", "timer", after(10_000)],
  ["WAIT_M3", "timer", after(10_000)],
  ["PRESENTED", "timer", after(120_000)],
  ["ESTABLISHED", "timer", after(300_000)],
  ["AUTHORIZED", "timer", after(10_000)],
  ["COMMITTED", "timer", after(300_000)],
  ["ESTABLISHED", "abort", acts.abort],
  ["RECEIVING", "abort", acts.abort],
  ["CONNECTED", "fault", onSec, STATUS.FRAME],
  ["WAIT_M3", "fault", onSec, STATUS.FRAME],
  ["PRESENTED", "fault", acts.badFrame, STATUS.FRAME],
  ["ESTABLISHED", "fault", acts.badFrame, STATUS.FRAME],
  ["CONNECTED", "any other", acts.abort],
  ["WAIT_M3", "any other", acts.chain],
  ["WAIT_M3", "any other", nonce],
  ["PRESENTED", "any other", acts.chain],
  ["PRESENTED", "any other", acts.wholePayload],
  ["ESTABLISHED", "any other", acts.message1],
  ["ESTABLISHED", "any other", acts.chain],
  ["ESTABLISHED", "any other", nonce],
  ["AUTHORIZED", "any other", acts.token],
  ["AUTHORIZED", "any other", acts.fresh],
  ["RECEIVING", "any other", acts.token],
  ["COMMITTED", "any other", acts.commit],
];

/** What left on SEC since, in the table's words. */
function said({ events }: Stage): string[] {
  return events.flatMap((event) => {
    if ((event.type !== "message" && event.type !== "record") || event.direction !== "out") return [];
    const [, kind = 0, low = 0, high = 0] = event.bytes;
    if (event.type === "record") return kind === 17 ? [`[17, ${low < 24 ? low : high}]`] : [`[${kind}]`];
    if (event.name.startsWith("PLAINTEXT")) return [];
    if (event.name === "alert") return [String(event.bytes[0])];
    return [event.name === "EDHOC error" ? `error ${event.bytes[0]}` : event.name];
  });
}

/** What a cell says, where `code` is the code that it leaves open. */
const words = (cell: string, code = 0) =>
  (cell.match(/message_\d|error \d|\[\d+(?:, (?:\d+|code))?\]|\d+|its code/g) ?? []).map((word) =>
    word.replace(/its code|code/, String(code)),
  );
const numberIn = (word = "") => Number(/^(?:\[17, )?(\d+)\]?$/.exec(word)?.[1] ?? Number.NaN);

interface Case {
  readonly deed: Deed;
  readonly path: GattVersion;
  /** The row of the table. */
  readonly cells: readonly string[];
}

const rowOf = (state: string, event: string) => rows.find(([a, b]) => a === state && b === event);

/** Rows of v2.1 that v2.0 has, too. */
const ON_BOTH = ["AUTHORIZED data", "COMMITTING displayDone", "COMMITTING reboot"];

const cases = DEEDS.flatMap((deed): Case[] => {
  const [state, event] = deed;
  const cells = rowOf(state, event) ?? rowOf("all others", event) ?? [];
  const only = state === "PRESENTED" ? "2.0" : "2.1";
  const paths: readonly GattVersion[] = ON_BOTH.includes(`${state} ${event}`) ? ["2.1", "2.0"] : [only];
  return paths.map((path) => ({ deed, path, cells }));
});

it("states when the link ends, which the rows are tested for", () => {
  expect(DOCUMENT).toContain("The link ends in every row to IDLE or LOCKOUT but `lockoutOver`, and with 18:");
});

it("has a deed for every row of the table, and no other", () => {
  expect(new Set(cases.map(({ cells }) => cells))).toEqual(new Set(rows));
});

/** A tag in the state, with a link whose last word is still to come; without one where a lockout is to lead to IDLE. */
async function standing({ deed: [state, event], path }: Case): Promise<Stage> {
  const at = await reach(state, path);
  await at.tag.settled();
  if (state === "LOCKOUT") at.tag.disconnect();
  if (state === "LOCKOUT" && event !== "lockoutOver") await at.tag.connect();
  at.events.length = 0;
  return at;
}

/** What the row says: on SEC, and in STATUS, where the code was `before`. */
function due({ deed: [state, event, , code], path, cells }: Case, before: number) {
  const [, , , answer = "", status = ""] = cells;
  const silent = path === "2.0" || (state === "CONNECTED" && event === "chain");
  const answers = words(answer, code);
  const [shown = silent && answer !== "" ? numberIn(answers[0]) : before] = words(status, code).map(Number);
  return { answers: silent ? [] : answers, code: status === "if shown" ? code : shown };
}

it.each(cases)("$cells.0, $cells.1: $deed.0 over v$path", async (one) => {
  const { deed, cells } = one;
  const at = await standing(one);
  const expected = due(one, STATUS[at.tag.snapshot().status]);
  await deed[2](at);
  await at.tag.settled();
  // A bare number is an alert or, with keys, a record.
  const bare = /^(\d+|its code)$/.test(cells[3] ?? "");
  expect(said(at).map((word) => (bare ? String(numberIn(word)) : word))).toEqual(expected.answers);
  expect(at.tag.snapshot().state).toBe(cells[2]);
  expect(STATUS[at.tag.snapshot().status]).toBe(expected.code);
  at.world.advance(2_000);
  const ends = cells[2] === "IDLE" || cells[2] === "LOCKOUT" || cells[3] === "18";
  expect(at.tag.snapshot().connected).toBe(!ends);
});
