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

type Deed = readonly [act: acts.Act, code?: number];

/** What to do for each row; the code is that of an answer which the table leaves open. */
const DEEDS: Readonly<Record<string, readonly Deed[]>> = {
  "IDLE connect": [[another]],
  "CONNECTED message1": [[acts.message1]],
  "CONNECTED suiteRefused": [[acts.otherSuite]],
  "CONNECTED chain": [[acts.chain]],
  "WAIT_M3 message3": [[acts.message3]],
  "PRESENTED tokenAccepted": [[acts.token]],
  "PRESENTED tokenRefused": [[acts.badToken, STATUS.TOKEN_FORMAT]],
  "PRESENTED tokenRefusedLast": [[thirdToken]],
  "ESTABLISHED tokenAccepted": [[acts.token]],
  "ESTABLISHED tokenRefused": [[acts.badToken, STATUS.TOKEN_FORMAT]],
  "ESTABLISHED tokenRefusedLast": [[thirdToken]],
  "ESTABLISHED dropped": [[dropped]],
  "ESTABLISHED freshNonce": [[acts.fresh]],
  "ESTABLISHED challenge": [[acts.challenge]],
  "AUTHORIZED data": [[acts.data]],
  "RECEIVING data": [[acts.data]],
  "RECEIVING commit": [[acts.commit]],
  "RECEIVING commitRefused": [[acts.otherCommit, STATUS.OFFSET]],
  "COMMITTING displayDone": [[after(900)]],
  "COMMITTING reboot": [[reboot]],
  "COMMITTING any other": [[acts.message1], [acts.data], [acts.chain], [onSec]],
  "COMMITTED challenge": [[acts.challenge]],
  "LOCKOUT lockoutOver": [[after(30_000)]],
  "LOCKOUT any other": [[acts.message1], [acts.data], [acts.chain], [onSec]],
};

/** The rows of all other states. */
const OTHERS: readonly (readonly [event: string, state: TagState, ...deed: Deed])[] = [
  ["timer", "CONNECTED", after(10_000)],
  ["timer", "WAIT_M3", after(10_000)],
  ["timer", "PRESENTED", after(120_000)],
  ["timer", "ESTABLISHED", after(300_000)],
  ["timer", "AUTHORIZED", after(10_000)],
  ["timer", "COMMITTED", after(300_000)],
  ["abort", "ESTABLISHED", acts.abort],
  ["abort", "RECEIVING", acts.abort],
  ["fault", "CONNECTED", onSec, STATUS.FRAME],
  ["fault", "WAIT_M3", onSec, STATUS.FRAME],
  ["fault", "PRESENTED", acts.badFrame, STATUS.FRAME],
  ["fault", "ESTABLISHED", acts.badFrame, STATUS.FRAME],
  ["any other", "CONNECTED", acts.abort],
  ["any other", "WAIT_M3", acts.chain],
  ["any other", "WAIT_M3", nonce],
  ["any other", "PRESENTED", acts.chain],
  ["any other", "PRESENTED", acts.wholePayload],
  ["any other", "ESTABLISHED", acts.message1],
  ["any other", "ESTABLISHED", acts.chain],
  ["any other", "ESTABLISHED", nonce],
  ["any other", "AUTHORIZED", acts.token],
  ["any other", "AUTHORIZED", acts.fresh],
  ["any other", "RECEIVING", acts.token],
  ["any other", "COMMITTED", acts.commit],
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
  readonly row: readonly [state: string, event: string];
  readonly state: TagState;
  readonly deed: Deed;
  readonly path: GattVersion;
}

/** Rows of v2.1 that v2.0 has, too. */
const ON_BOTH = ["AUTHORIZED data", "COMMITTING displayDone", "COMMITTING reboot"];

const cases = [
  ...Object.entries(DEEDS).flatMap(([key, deeds]) => {
    const [, state = "", event = ""] = /^(\w+) (.+)$/.exec(key) ?? [];
    return deeds.map((deed) => ({ row: [state, event] as const, state: state as TagState, deed }));
  }),
  ...OTHERS.map(([event, state, ...deed]) => ({ row: ["all others", event] as const, state, deed })),
].flatMap((one): Case[] => {
  const only = one.state === "PRESENTED" ? "2.0" : "2.1";
  const paths: readonly GattVersion[] = ON_BOTH.includes(one.row.join(" ")) ? ["2.1", "2.0"] : [only];
  return paths.map((path) => ({ ...one, path }));
});

it("states when the link ends, which the rows are tested for", () => {
  expect(DOCUMENT).toContain("The link ends in every row to IDLE or LOCKOUT but `lockoutOver`, and with 18:");
});

it("has a deed for every row of the table, and no other", () => {
  const done = new Set(cases.map(({ row }) => row.join(" ")));
  expect([...done].sort()).toEqual(rows.map(([state, event]) => `${state} ${event}`).sort());
});

/** A tag in the state, with a link whose last word is still to come; without one where a lockout is to lead to IDLE. */
async function standing({ row: [, event], state, path }: Case): Promise<Stage> {
  const at = await reach(state, path);
  await at.tag.settled();
  if (state === "LOCKOUT") at.tag.disconnect();
  if (state === "LOCKOUT" && event !== "lockoutOver") await at.tag.connect();
  at.events.length = 0;
  return at;
}

/** What the row says: on SEC, and in STATUS, where the code was `before`. */
function due(
  { row: [, event], state, deed: [, code], path }: Case,
  cells: readonly string[],
  before: number,
) {
  const [, , , answer = "", status = ""] = cells;
  const silent = path === "2.0" || (state === "CONNECTED" && event === "chain");
  const answers = words(answer, code);
  const [shown = silent && answer !== "" ? numberIn(answers[0]) : before] = words(status, code).map(Number);
  return { answers: silent ? [] : answers, code: status === "if shown" ? code : shown };
}

it.each(cases)("$row.0, $row.1: $state over v$path", async (one) => {
  const cells = rows.find(([state, event]) => state === one.row[0] && event === one.row[1]) ?? [];
  const at = await standing(one);
  const expected = due(one, cells, STATUS[at.tag.snapshot().status]);
  await one.deed[0](at);
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
