/**
 * The client's states as data: in each state, where each event leads.
 * Effects are elsewhere. An event is named here only after all its checks have passed; a failed check is a
 * `fault`.
 */
import { TagError } from "../errors.ts";

export const CLIENT_STATES = [
  "DISCONNECTED",
  /** Connected; INFO, ID and STATUS are read. */
  "INFO",
  "WAIT_M2",
  "WAIT_M4",
  /** A session (v2.1) or an accepted chain (v2.0), and the tag's nonce. */
  "ESTABLISHED",
  /** v2.0: the tag said that it accepted the token. */
  "AUTHORIZED",
  /** The payload is being sent; from the commit on, its outcome is unknown until the tag reports it. */
  "WRITING",
  /** The tag said COMMITTED: the only success. */
  "COMMITTED",
  /** Holds the code of the error that was thrown. Only a new connection helps. */
  "FAILED",
] as const;
export type ClientState = (typeof CLIENT_STATES)[number];

export const CLIENT_EVENTS = [
  "connected",
  /** The link ended, by either side. */
  "disconnected",
  /** message_1 was sent. */
  "message1",
  /** EDHOC error 2 that lists a suite of ours. */
  "suiteRefused",
  /** message_2 verified, message_3 sent. */
  "message2",
  /** message_4 verified, and the hello's id is the tag's. */
  "message4",
  /** v2.0: the chain was accepted and a nonce read. */
  "presented",
  /** Another nonce replaces the one before. */
  "nonce",
  "tokenAccepted",
  /** Comes with its status, and another nonce. */
  "tokenRefused",
  /** v2.1: token, payload and commit were sent. v2.0: the payload, whose last frame is the commit. */
  "payload",
  /** The tag said COMMITTED. */
  "committed",
  /** The tag gave its statement. */
  "statement",
  "fault",
] as const;
export type ClientEvent = (typeof CLIENT_EVENTS)[number];

type Row = Readonly<Partial<Record<ClientEvent, ClientState>>>;

const TABLE: Readonly<Record<ClientState, Row>> = {
  DISCONNECTED: { connected: "INFO" },
  INFO: { message1: "WAIT_M2", presented: "ESTABLISHED" },
  WAIT_M2: { message2: "WAIT_M4", suiteRefused: "INFO" },
  WAIT_M4: { message4: "ESTABLISHED" },
  ESTABLISHED: {
    nonce: "ESTABLISHED",
    statement: "ESTABLISHED",
    tokenRefused: "ESTABLISHED",
    tokenAccepted: "AUTHORIZED",
    payload: "WRITING",
  },
  AUTHORIZED: { payload: "WRITING" },
  WRITING: { committed: "COMMITTED", tokenRefused: "ESTABLISHED" },
  COMMITTED: { statement: "COMMITTED" },
  FAILED: {},
};

/**
 * Where `event` leads from `state`. What a row does not list is a failure; without a link there is nothing to
 * fail.
 */
export function nextClientState(state: ClientState, event: ClientEvent): ClientState {
  if (event === "disconnected") return "DISCONNECTED";
  return TABLE[state][event] ?? (state === "DISCONNECTED" ? "DISCONNECTED" : "FAILED");
}

/** The state of one connection. Each step may be taken from exactly one state. */
export class ClientSteps {
  #state: ClientState = nextClientState("DISCONNECTED", "connected");

  get state(): ClientState {
    return this.#state;
  }

  /** The link is gone, and the session with it. */
  end(): void {
    this.#state = nextClientState(this.#state, "disconnected");
  }

  /**
   * Runs `work` and moves to the state that its event leads to; returns its result. FAILED is stored before
   * `work` begins and replaced only if it ends well: while a step runs, or after it broke off, no other may
   * begin. Throws TagError `protocol` in any state but `from`.
   */
  async take<Value>(
    from: ClientState,
    work: () => Promise<readonly [event: ClientEvent, value: Value]>,
  ): Promise<Value> {
    if (this.#state !== from) throw new TagError("protocol", `not possible in ${this.#state}`);
    this.#state = nextClientState(from, "fault");
    const [event, value] = await work();
    // If the link was closed since, that state stays.
    if (this.state !== "DISCONNECTED") this.#state = nextClientState(from, event);
    return value;
  }
}
