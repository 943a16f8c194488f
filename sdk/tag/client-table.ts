/**
 * The client's states as data (protocol.md, States of the client): what happened, in which state, leads where. Effects are elsewhere; an event
 * only gets its name here after all its checks passed, what failed them is `fault`.
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
  /** The tag said that it accepted the token. */
  "AUTHORIZED",
  /** The payload is on its way; from the commit on, nobody knows until the tag says so. */
  "WRITING",
  /** The tag said COMMITTED: the only success. */
  "COMMITTED",
  /** With the code of the error that was thrown. Only a new connection helps. */
  "FAILED",
] as const;
export type ClientState = (typeof CLIENT_STATES)[number];

export const CLIENT_EVENTS = [
  "connected",
  /** The link ended, whoever ended it. */
  "disconnected",
  /** message_1 was sent. */
  "message1",
  /** EDHOC error 2 with a suite of ours in it. */
  "suiteRefused",
  /** message_2 verified, message_3 sent. */
  "message2",
  /** message_4 verified, and the hello's id is the tag's. */
  "message4",
  /** v2.0: the chain was accepted and a nonce read. */
  "presented",
  /** Another nonce instead of the one before. */
  "nonce",
  "tokenAccepted",
  /** With its status, and another nonce. */
  "tokenRefused",
  /** The payload was sent (v2.0: its last frame is the commit). */
  "payload",
  /** The tag said COMMITTED. */
  "committed",
  "fault",
] as const;
export type ClientEvent = (typeof CLIENT_EVENTS)[number];

type Row = Readonly<Partial<Record<ClientEvent, ClientState>>>;

const TABLE: Readonly<Record<ClientState, Row>> = {
  DISCONNECTED: { connected: "INFO" },
  INFO: { message1: "WAIT_M2", presented: "ESTABLISHED" },
  WAIT_M2: { message2: "WAIT_M4", suiteRefused: "INFO" },
  WAIT_M4: { message4: "ESTABLISHED" },
  ESTABLISHED: { nonce: "ESTABLISHED", tokenRefused: "ESTABLISHED", tokenAccepted: "AUTHORIZED" },
  AUTHORIZED: { payload: "WRITING" },
  WRITING: { committed: "COMMITTED" },
  COMMITTED: {},
  FAILED: {},
};

/** Where `event` leads from `state`. What a row does not list is a failure; without a link there is none to fail. */
export function nextClientState(state: ClientState, event: ClientEvent): ClientState {
  if (event === "disconnected") return "DISCONNECTED";
  return TABLE[state][event] ?? (state === "DISCONNECTED" ? "DISCONNECTED" : "FAILED");
}

/** Where one connection stands. Each step is taken from exactly one state. */
export class ClientSteps {
  #state: ClientState = nextClientState("DISCONNECTED", "connected");

  get state(): ClientState {
    return this.#state;
  }

  /** The link is gone, and with it everything. */
  end(): void {
    this.#state = nextClientState(this.#state, "disconnected");
  }

  /**
   * What `work` brings, and the state its event leads to. The failure is stored before `work` begins and replaced
   * when it has ended well: a step in course, or broken off, allows no other. Throws TagError `protocol` in any
   * state but `from`.
   */
  async take<Value>(
    from: ClientState,
    work: () => Promise<readonly [event: ClientEvent, value: Value]>,
  ): Promise<Value> {
    if (this.#state !== from) throw new TagError("protocol", `not possible in ${this.#state}`);
    this.#state = nextClientState(from, "fault");
    const [event, value] = await work();
    // Whoever closed the link meanwhile has the last word.
    if (this.state !== "DISCONNECTED") this.#state = nextClientState(from, event);
    return value;
  }
}
