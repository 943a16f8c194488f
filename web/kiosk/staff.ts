import { createSignal, onCleanup } from "solid-js";
import {
  ConfigurationError,
  type OperationOptions,
  type Result,
  type SessionState,
  type StaffProof,
  type Taglatch,
} from "../../sdk/index.ts";
import { createRequest } from "../state/create-request.ts";
import { createTable, type EventOf } from "./table.ts";

/** How staff authenticate: by staff id and PIN, or by user name and password of the shift's account. */
export type Demanded = "pin" | "password";

/** Typed into the dialog. It is passed on and kept nowhere. */
export interface Typed {
  readonly name: string;
  readonly secret: string;
}

/** What its dialog shows and does. */
export type StaffGate = Omit<ReturnType<typeof createStaffGate>, "begin">;

/** The action behind a gate: it runs if `typed` is right. */
type Pass = (demanded: Demanded, typed: Typed, options: OperationOptions) => Promise<Result<unknown>>;

/**
 * Authenticates staff before an action that passengers may not take. A failure leaves the dialog open. `askDemanded` asks what
 * the service demands.
 */
export function createStaffGate(askDemanded: (options: OperationOptions) => Promise<Result<Demanded>>) {
  const [asking, setAsking] = createSignal<Demanded>();
  const { working, error, send, end } = createRequest();
  let behind: { readonly pass: Pass; readonly onDone: () => void } | undefined;
  onCleanup(end);
  return {
    /** What the open dialog asks for; undefined while none is open. */
    asking,
    working,
    error,
    /** Asks the service what it demands, and opens the dialog; `onDone`: once `pass` has succeeded. */
    begin: async (pass: Pass, onDone: () => void) => {
      if (working()) return;
      behind = { pass, onDone };
      await send(
        (signal) => askDemanded({ signal }),
        (value) => void setAsking(value),
      );
    },
    answer: async (typed: Typed) => {
      const [open, action] = [asking(), behind];
      if (open === undefined || action === undefined || working()) return;
      await send(
        (signal) => action.pass(open, typed, { signal }),
        () => {
          setAsking(undefined);
          action.onDone();
        },
      );
    },
    cancel: () => {
      end();
      setAsking(undefined);
    },
  };
}

export interface ShiftGateOptions {
  readonly load: () => Promise<Taglatch>;
  /** Checks user name and password by signing in with them. */
  readonly signIn: (username: string, password: string) => Promise<Result<unknown>>;
}

/** The action behind the gate of a shift. It checks `staff`, which is absent where a password was right. */
export type StaffAction = (
  client: Taglatch,
  staff: StaffProof | undefined,
  options: OperationOptions,
) => Promise<Result<unknown>>;

/** The gate during a shift: where the client demands no PIN, the password of an account is asked. */
export function createShiftGate({ load, signIn }: ShiftGateOptions) {
  const gate = createStaffGate(async (options) =>
    demandedBy(await (await load()).staff.isPinRequired(options)),
  );
  const begin = (act: StaffAction, onDone: () => void) =>
    gate.begin(async (demanded, { name, secret }, options) => {
      const client = await load();
      if (demanded === "pin") return act(client, { id: name, pin: secret }, options);
      const signedIn = await signIn(name, secret);
      return signedIn.ok ? act(client, undefined, options) : signedIn;
    }, onDone);
  return { ...gate, begin };
}

const demandedBy = (required: Result<boolean>): Result<Demanded> =>
  required.ok ? { ok: true, value: required.value ? "pin" : "password" } : required;

/** Where this device keeps its B2B secret. */
interface KeptSecret {
  readonly secret: () => Promise<string | undefined>;
}

/** The life of a shift: a pure table, and the staff session that drives it. */

/**
 * `found`: a session of this device is still good. `ended`: the service no longer accepts it. `queueWaits`: the queue is not
 * empty, and a person has to decide. `stay`: the end failed, or staff changed their mind.
 */
const { table: SHIFT, next } = createTable({
  unknown: { found: "in", foundNone: "out" },
  out: { signIn: "signingIn" },
  signingIn: { accepted: "in", refused: "out" },
  in: { ended: "out", end: "ending" },
  ending: { ended: "out", queueWaits: "waiting", stay: "in" },
  waiting: { ended: "out", end: "ending", stay: "in" },
});
type ShiftEvent = EventOf<typeof SHIFT>;

export type Shift = ReturnType<typeof createShift>;

/** The staff session of this device, as the SDK keeps and renews it. */
export function createShift(load: () => Promise<Taglatch>, setup: KeptSecret) {
  const [state, setState] = createSignal<keyof typeof SHIFT>("unknown");
  const { error, send: ask, forgetError } = createRequest();
  const send = (event: ShiftEvent) => void setState((now) => next(now, event));
  const { findStaff, logIn, logOut } = staffSession(load, setup, send);

  /** Applies the answer to the shift; `otherwise` if there is none. */
  const attempt = async (call: () => Promise<Result<ShiftEvent>>, otherwise: ShiftEvent) => {
    if ((await ask(call, send)) === "failed") send(otherwise);
  };

  return {
    state,
    /** Why the last sign-in or end of shift failed. */
    error,
    /** Checks whether this device has a staff session. */
    resume: () => attempt(findStaff, "foundNone"),
    signIn: async (username: string, password: string) => {
      if (state() !== "out") return;
      send("signIn");
      await attempt(() => logIn(username, password), "refused");
    },
    /** Signs in again to check the account's password; replaces the session. */
    prove: logIn,
    /** Refuses while the queue is not empty, unless `force`. */
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
function staffSession(load: () => Promise<Taglatch>, setup: KeptSecret, send: (event: ShiftEvent) => void) {
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
