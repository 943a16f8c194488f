import { type Accessor, createSignal, onCleanup, onMount } from "solid-js";
import type { Journey, Taglatch } from "../../sdk/index.ts";
import { asTaglatchError, type TaglatchError } from "../../sdk/index.ts";
import { tagsOf } from "./bag-tags.ts";
import { listenForToken } from "./host-message.ts";
import { type HostClaims, readHostToken } from "./host-token.ts";

/** Why the current session must not be replaced yet. */
export type Held =
  | { readonly reason: "locks"; readonly tags: readonly string[] }
  | { readonly reason: "outbox" }
  /** The reason could not be determined. */
  | { readonly reason: "unknown"; readonly error: TaglatchError };

export type HandOverState =
  | { readonly step: "waiting" }
  | { readonly step: "nothing" }
  | { readonly step: "asking"; readonly claims: HostClaims }
  | { readonly step: "checking"; readonly claims: HostClaims }
  | { readonly step: "held"; readonly claims: HostClaims; readonly held: Held }
  | { readonly step: "failed"; readonly error: TaglatchError }
  | { readonly step: "done"; readonly journeys: readonly Journey[] };

export interface HandOver {
  readonly state: Accessor<HandOverState>;
  /** Uses the token, if nothing of the previous session would be lost. */
  readonly go: () => void;
  /** Sends what waits to the service, then continues. */
  readonly confirmAndGo: () => void;
}

export interface HandOverOptions {
  readonly load: () => Promise<Taglatch>;
  /** Taken from the address and wiped there. */
  readonly token: string | undefined;
  /** The origins that may send one by message. */
  readonly origins: () => Promise<readonly string[]>;
  /** Erases what this device keeps of the session before. */
  readonly forget: () => Promise<void>;
}

/** How long a host's window may take to answer before the page says that nothing came, in milliseconds. */
const PATIENCE = 5_000;

/** A traveller handed over by a host app: the page asks first, and leaves no tag behind. */
export function createHandOver(options: HandOverOptions): HandOver {
  const [state, setState] = createSignal<HandOverState>({ step: "waiting" });
  let token: string | undefined;
  let isLeft = false;
  onCleanup(() => {
    isLeft = true;
  });

  const take = (handed: string) => {
    const claims = readHostToken(handed, Date.now());
    token = claims && handed;
    setState(claims ? { step: "asking", claims } : { step: "nothing" });
  };

  const use = async (claims: HostClaims, flush: boolean) => {
    if (token === undefined) return;
    setState({ step: "checking", claims });
    const client = await options.load();
    if (flush) await client.outbox.flush();
    const held = await whatHolds(client);
    // Leaving the page is a no.
    if (isLeft) return;
    if (held) {
      setState({ step: "held", claims, held });
      return;
    }
    const signedIn = await client.session.loginFederated(token);
    token = undefined;
    // Before the page leads on: the next document opens with what this one has left.
    if (signedIn.ok) await options.forget().catch(() => undefined);
    const own = signedIn.ok ? await client.journeys.list() : signedIn;
    setState(own.ok ? { step: "done", journeys: own.value } : { step: "failed", error: own.error });
  };

  const go = (flush: boolean) => {
    const now = state();
    if (now.step !== "asking" && now.step !== "held") return;
    void use(now.claims, flush).catch((thrown: unknown) =>
      setState({ step: "failed", error: asTaglatchError(thrown) }),
    );
  };

  listen(options, take, () => {
    if (state().step === "waiting") setState({ step: "nothing" });
  });
  return { state, go: () => go(false), confirmAndGo: () => go(true) };
}

/** Takes the token of the address, else the first that comes by message; `onNone`: none came in time. */
function listen(
  { token, origins }: HandOverOptions,
  take: (handed: string) => void,
  onNone: () => void,
): void {
  onMount(() => {
    if (token !== undefined) return take(token);
    let stop: () => void = () => undefined;
    let isLeft = false;
    void origins().then((allowed) => {
      if (!isLeft) stop = listenForToken(allowed, take);
    });
    const timer = setTimeout(onNone, PATIENCE);
    onCleanup(() => {
      isLeft = true;
      clearTimeout(timer);
      stop();
    });
  });
}

/**
 * Locks that only the current session can release, and work of that session that the service must still be
 * told of.
 */
async function whatHolds(client: Taglatch): Promise<Held | undefined> {
  if ((await client.outbox.entries()).length > 0) return { reason: "outbox" };
  if ((await client.session.state()).method === "none") return undefined;
  const own = await client.journeys.list();
  if (!own.ok) {
    // A session that has ended holds nothing any more.
    return own.error.code === "unauthorized_token" ? undefined : { reason: "unknown", error: own.error };
  }
  const tags = own.value.flatMap(({ baggage }) => baggage.flatMap(tagsOf));
  return tags.length > 0 ? { reason: "locks", tags: [...new Set(tags)] } : undefined;
}
