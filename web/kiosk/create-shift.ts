import { type Accessor, createSignal } from "solid-js";
import type { SessionState, Taglatch } from "../../sdk/index.ts";
import { asTaglatchError, ConfigurationError, type TaglatchError } from "../../sdk/index.ts";
import type { SetupStore } from "./setup-store.ts";
import { next, type ShiftEvent, type ShiftState } from "./shift.ts";

export interface Shift {
  readonly state: Accessor<ShiftState>;
  /** Why the last sign-in or end of shift did not come about. */
  readonly error: Accessor<TaglatchError | undefined>;
  readonly signIn: (username: string, password: string) => Promise<void>;
  /** Refuses while the queue is not empty, unless `force`. */
  readonly end: (force?: boolean) => Promise<void>;
  readonly stay: () => void;
  /** Looks whether somebody is signed in on this device. */
  readonly resume: () => Promise<void>;
}

/** The staff session of this device, as the SDK keeps and renews it. */
export function createShift(load: () => Promise<Taglatch>, setup: Pick<SetupStore, "secret">): Shift {
  const [state, setState] = createSignal<ShiftState>("unknown");
  const [error, setError] = createSignal<TaglatchError>();
  const send = (event: ShiftEvent) => setState((now) => next(now, event));

  /** Failures become the shift's error and `otherwise`. */
  const attempt = async (work: () => Promise<TaglatchError | undefined>, otherwise: ShiftEvent) => {
    setError(undefined);
    const problem = await work().catch(asTaglatchError);
    if (problem === undefined) return;
    setError(problem);
    send(otherwise);
  };

  const resume = async () => {
    const client = await load();
    client.session.subscribe((session) => {
      if (!isStaff(session)) send("ended");
    });
    send(isStaff(await client.session.state()) ? "found" : "foundNone");
  };

  const signIn = async (username: string, password: string) => {
    const b2bSecret = await setup.secret();
    if (b2bSecret === undefined)
      return new ConfigurationError("no_client_key", "this kiosk has no B2B secret");
    const answer = await (await load()).session.loginB2B({ username, password, b2bSecret });
    if (!answer.ok) return answer.error;
    send("accepted");
    return undefined;
  };

  const end = async (force: boolean) => {
    const answer = await (await load()).session.logout({ force });
    if (answer.ok) {
      send("ended");
      return undefined;
    }
    if (answer.error.code !== "outbox_not_empty") return answer.error;
    send("queueWaits");
    return undefined;
  };

  return {
    state,
    error,
    resume: () => attempt(() => resume().then(() => undefined), "foundNone"),
    signIn: async (username, password) => {
      if (state() !== "out") return;
      send("signIn");
      await attempt(() => signIn(username, password), "refused");
    },
    end: async (force = false) => {
      send("end");
      await attempt(() => end(force), "stay");
    },
    stay: () => {
      setError(undefined);
      send("stay");
    },
  };
}

/** Once the refresh token's life is over, nothing but a new sign-in helps. */
function isStaff({ method, expiresAt = Number.POSITIVE_INFINITY }: SessionState): boolean {
  return method === "b2b-secret" && expiresAt > Date.now();
}
