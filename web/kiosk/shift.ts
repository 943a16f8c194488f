/** The life of a shift: a pure table, and the staff session that drives it. */
import { type Accessor, createSignal } from "solid-js";
import {
  ConfigurationError,
  type Result,
  type SessionState,
  type Taglatch,
  type TaglatchError,
} from "../../sdk/index.ts";
import { createRequest } from "../state/create-request.ts";
import type { SetupStore } from "./setup-store.ts";

const SHIFT_STATES = ["unknown", "out", "signingIn", "in", "ending", "waiting"] as const;
type ShiftState = (typeof SHIFT_STATES)[number];

const SHIFT_EVENTS = [
  /** A session of this device is still good. */
  "found",
  "foundNone",
  "signIn",
  "accepted",
  "refused",
  /** The service no longer accepts it. */
  "ended",
  "end",
  /** The queue is not empty: a person has to decide. */
  "queueWaits",
  /** The end failed, or staff changed their mind. */
  "stay",
] as const;
type ShiftEvent = (typeof SHIFT_EVENTS)[number];

const TABLE: Readonly<Record<ShiftState, Partial<Record<ShiftEvent, ShiftState>>>> = {
  unknown: { found: "in", foundNone: "out" },
  out: { signIn: "signingIn" },
  signingIn: { accepted: "in", refused: "out" },
  in: { ended: "out", end: "ending" },
  ending: { ended: "out", queueWaits: "waiting", stay: "in" },
  waiting: { ended: "out", end: "ending", stay: "in" },
};

/** The state after `event`; an event without a meaning in `state` changes nothing. */
export function next(state: ShiftState, event: ShiftEvent): ShiftState {
  return TABLE[state][event] ?? state;
}

export interface Shift {
  readonly state: Accessor<ShiftState>;
  /** Why the last sign-in or end of shift failed. */
  readonly error: Accessor<TaglatchError | undefined>;
  readonly signIn: (username: string, password: string) => Promise<void>;
  /** Signs in again to check the account's password; replaces the session. */
  readonly prove: (username: string, password: string) => Promise<Result<unknown>>;
  /** Refuses while the queue is not empty, unless `force`. */
  readonly end: (force?: boolean) => Promise<void>;
  readonly stay: () => void;
  /** Checks whether this device has a staff session. */
  readonly resume: () => Promise<void>;
}

/** The staff session of this device, as the SDK keeps and renews it. */
export function createShift(load: () => Promise<Taglatch>, setup: Pick<SetupStore, "secret">): Shift {
  const [state, setState] = createSignal<ShiftState>("unknown");
  const { error, send: ask, forgetError } = createRequest();
  const send = (event: ShiftEvent) => void setState((now) => next(now, event));
  const { findStaff, logIn, logOut } = staffSession(load, setup, send);

  /** Applies the answer to the shift; `otherwise` if there is none. */
  const attempt = async (call: () => Promise<Result<ShiftEvent>>, otherwise: ShiftEvent) => {
    if ((await ask(call, send)) === "failed") send(otherwise);
  };

  return {
    state,
    error,
    resume: () => attempt(findStaff, "foundNone"),
    signIn: async (username, password) => {
      if (state() !== "out") return;
      send("signIn");
      await attempt(() => logIn(username, password), "refused");
    },
    prove: logIn,
    end: async (force = false) => {
      send("end");
      await attempt(() => logOut(force), "stay");
    },
    stay: () => {
      forgetError();
      send("stay");
    },
  };
}

/** Calls the SDK, and translates its answers into events of the shift. */
function staffSession(
  load: () => Promise<Taglatch>,
  setup: Pick<SetupStore, "secret">,
  send: (event: ShiftEvent) => void,
) {
  const means = (value: ShiftEvent) => ({ ok: true, value }) as const;
  return {
    findStaff: async () => {
      const client = await load();
      client.session.subscribe((session) => {
        if (!isStaff(session)) send("ended");
      });
      return means(isStaff(await client.session.state()) ? "found" : "foundNone");
    },
    logIn: async (username: string, password: string) => {
      const b2bSecret = await setup.secret();
      if (b2bSecret === undefined)
        throw new ConfigurationError("no_client_key", "this kiosk has no B2B secret");
      const answer = await (await load()).session.loginB2B({ username, password, b2bSecret });
      return answer.ok ? means("accepted") : answer;
    },
    logOut: async (force: boolean) => {
      const answer = await (await load()).session.logout({ force });
      if (answer.ok) return means("ended");
      return answer.error.code === "outbox_not_empty" ? means("queueWaits") : answer;
    },
  };
}

/** Once the refresh token has expired, only a new sign-in helps. */
function isStaff({ method, expiresAt = Number.POSITIVE_INFINITY }: SessionState): boolean {
  return method === "b2b-secret" && expiresAt > Date.now();
}
