import type { TagState } from "../../core/gatt/profile.ts";

/**
 * The states of a tag as data (protocol.md, States of the tag): in each state, where each event leads.
 * Effects are elsewhere. An event is named here only after all its checks have passed; a failed check is a
 * `fault`.
 */

export type TagInput =
  /** A central connected. */
  | "connect"
  /** The link ended, by either side. */
  | "disconnect"
  /** message_1 was good and message_2 is ready. */
  | "message1"
  /** message_1 asks for a suite that is not ours; EDHOC error 2 goes back. */
  | "suiteRefused"
  /** message_3 was good; message_4 and hello are ready. */
  | "message3"
  /** v2.0: the chain written to CERT was good. */
  | "chain"
  | "tokenAccepted"
  | "tokenRefused"
  /** The refused token that was one too many. */
  | "tokenRefusedLast"
  /** v2.1: payload or commit that came along with a refused token. */
  | "dropped"
  /** The client asked for a fresh nonce, and may have one. */
  | "freshNonce"
  /** The client asked for a statement, and may have one. */
  | "challenge"
  /** Payload bytes at the expected offset. */
  | "data"
  /** The staged payload is the authorized one; the display begins to change. */
  | "commit"
  | "commitRefused"
  /** The display has changed completely. */
  | "displayDone"
  | "abort"
  /** A timer of the session ran out. */
  | "timer"
  | "lockoutOver"
  /** The power went and came back. Not in protocol.md's table: on the bench, batteries are taken out. */
  | "reboot"
  /** Anything that failed its checks, or has no row of its own. */
  | "fault";

export const TAG_INPUTS = [
  "connect",
  "disconnect",
  "message1",
  "suiteRefused",
  "message3",
  "chain",
  "tokenAccepted",
  "tokenRefused",
  "tokenRefusedLast",
  "dropped",
  "freshNonce",
  "challenge",
  "data",
  "commit",
  "commitRefused",
  "displayDone",
  "abort",
  "timer",
  "lockoutOver",
  "reboot",
  "fault",
] as const satisfies readonly TagInput[];

type Row = Readonly<Partial<Record<TagInput, TagState>>>;

const RECEIVING: Row = {
  data: "RECEIVING",
  commit: "COMMITTING",
  commitRefused: "IDLE",
};

/** Reads of INFO, ID, STATUS, battery, device information and of due answers change nothing and have no row. */
const TABLE: Readonly<Record<TagState, Row>> = {
  IDLE: { connect: "CONNECTED" },
  CONNECTED: { message1: "WAIT_M3", suiteRefused: "CONNECTED", chain: "PRESENTED" },
  WAIT_M3: { message3: "ESTABLISHED" },
  PRESENTED: { tokenAccepted: "AUTHORIZED", tokenRefused: "PRESENTED", tokenRefusedLast: "LOCKOUT" },
  ESTABLISHED: {
    tokenAccepted: "AUTHORIZED",
    tokenRefused: "ESTABLISHED",
    tokenRefusedLast: "LOCKOUT",
    dropped: "ESTABLISHED",
    freshNonce: "ESTABLISHED",
    challenge: "ESTABLISHED",
  },
  AUTHORIZED: { data: "RECEIVING" },
  RECEIVING,
  // Nothing stops a change of the display: a link may come and go, and every write is refused.
  COMMITTING: {
    ...everything("COMMITTING"),
    displayDone: "COMMITTED",
    reboot: "IDLE",
  },
  COMMITTED: { challenge: "COMMITTED" },
  LOCKOUT: {
    ...everything("LOCKOUT"),
    lockoutOver: "IDLE",
  },
};

/** Where `input` leads from `state`. What a row does not list ends the session. */
export function nextState(state: TagState, input: TagInput): TagState {
  return TABLE[state][input] ?? "IDLE";
}

/** Whether `state` has a row for `input`; without one, the answer is alert 20 and the session ends. */
export function isListed(state: TagState, input: TagInput): boolean {
  return TABLE[state][input] !== undefined;
}

function everything(state: TagState): Row {
  return Object.fromEntries(TAG_INPUTS.map((input) => [input, state]));
}
