import { createSignal, onCleanup, onMount } from "solid-js";
import { fromBase64Url, fromUtf8 } from "../../core/encoding/bytes.ts";
import { asTaglatchError, type Journey, type Taglatch, type TaglatchError } from "../../sdk/index.ts";
import { tagsOf } from "./bags.ts";

/** Why the current session must not be replaced yet. */
export type Obstacle =
  | { readonly reason: "locks"; readonly tags: readonly string[] }
  /** `unknown`: the reason could not be determined. */
  | { readonly reason: "outbox" | "unknown" };

export type HandOverState =
  | { readonly step: "waiting" | "nothing" }
  | { readonly step: "asking" | "checking"; readonly claims: HostClaims }
  | { readonly step: "blocked"; readonly claims: HostClaims; readonly obstacle: Obstacle }
  | { readonly step: "failed"; readonly error: TaglatchError }
  | { readonly step: "done"; readonly journeys: readonly Journey[] };

export type HandOver = ReturnType<typeof createHandOver>;

interface HandOverOptions {
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
export function createHandOver(options: HandOverOptions) {
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
    const obstacle = await findObstacle(client);
    // Leaving the page declines.
    if (isLeft) return;
    if (obstacle) {
      setState({ step: "blocked", claims, obstacle });
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
    if (now.step !== "asking" && now.step !== "blocked") return;
    void use(now.claims, flush).catch((thrown: unknown) =>
      setState({ step: "failed", error: asTaglatchError(thrown) }),
    );
  };

  listen(options, take, () => {
    if (state().step === "waiting") setState({ step: "nothing" });
  });
  return {
    state,
    /** Uses the token, if nothing of the previous session would be lost. */
    go: () => go(false),
    /** Sends what waits to the service, then continues. */
    confirmAndGo: () => go(true),
  };
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

/** Locks that only the current session can release, and its work that still waits in the outbox. */
async function findObstacle(client: Taglatch): Promise<Obstacle | undefined> {
  if ((await client.outbox.entries()).length > 0) return { reason: "outbox" };
  if ((await client.session.state()).method === "none") return undefined;
  const own = await client.journeys.list();
  // A session that has ended is no obstacle.
  if (!own.ok) return own.error.code === "unauthorized_token" ? undefined : { reason: "unknown" };
  const tags = own.value.flatMap(({ baggage }) => baggage.flatMap(tagsOf));
  return tags.length > 0 ? { reason: "locks", tags: [...new Set(tags)] } : undefined;
}

/**
 * The other way for a token to arrive: by message, from the window that opened ours or from an Android app
 * around the browser (Custom Tabs); the browser vouches for the origin. Only the origins in the configuration
 * learn that we are here, and only their messages are read.
 */
const READY = "taglatch.ready";
const TOKEN = "taglatch.token";

/** Calls back with the first token from an allowed origin; returns the function that stops listening. */
function listenForToken(origins: readonly string[], onToken: (token: string) => void): () => void {
  const onMessage = ({ origin, data }: MessageEvent<{ type?: unknown; token?: unknown } | null>) => {
    if (!origins.includes(origin) || data?.type !== TOKEN || typeof data.token !== "string") return;
    stop();
    onToken(data.token);
  };
  const stop = () => removeEventListener("message", onMessage);
  addEventListener("message", onMessage);
  const opener = window.opener as Window | null;
  // Sent to each origin by name: a window of any other origin learns nothing.
  for (const origin of origins) opener?.postMessage({ type: READY }, origin);
  return stop;
}

/**
 * The claims of a host app's token, for the question "Continue as …?". None of them are believed: only the
 * service can check the signature. By the first name people recognise themselves; the rest is masked, because the
 * person at the screen may not be the one it names.
 */
export interface HostClaims {
  /** Host name of the issuer; the issuer as written if it is not a URL. */
  readonly host: string;
  /** "Ada L•••••" */
  readonly passenger?: string;
  readonly recordLocator?: string;
  /** "SK1234": people know where they are going sooner than a masked locator. */
  readonly flight?: string;
  readonly expired: boolean;
}

const MASK = "•••••";
/** One name and nothing else: an attacker can make a token, and its text is shown on our page. */
const NAME = /^\p{L}[\p{L}\p{M}'’-]{0,23}$/u;
/** The carrier's designator, the number, and the letter that an airline may add to it. */
const FLIGHT = /^(?=\d?[A-Z])[A-Z\d]{2}\d{1,4}[A-Z]?$/;

/** Undefined if the text is not a token at all. `now`: milliseconds since 1970. */
export function readHostToken(token: string, now: number): HostClaims | undefined {
  const claims = claimsOf(token);
  if (typeof claims?.iss !== "string") return undefined;
  const [plan] = Array.isArray(claims.travel_plans) ? (claims.travel_plans as Record<string, unknown>[]) : [];
  const given = text(claims.given_name);
  const family = text(claims.family_name) ?? text(plan?.surname);
  const named = given || family ? [given, family] : (text(claims.name)?.split(/\s+/) ?? []);
  const passenger = named
    .map((part, index) => (part && (index > 0 || !NAME.test(part)) ? masked(part) : part))
    .filter((part) => part !== undefined)
    .join(" ");
  const recordLocator = text(plan?.recordLocator);
  const flight = text(plan?.flight);
  return {
    host: hostOf(claims.iss),
    expired: typeof claims.exp === "number" && claims.exp * 1_000 <= now,
    ...(passenger && { passenger }),
    ...(recordLocator && { recordLocator: masked(recordLocator) }),
    ...(flight && FLIGHT.test(flight) && { flight }),
  };
}

function claimsOf(token: string): Record<string, unknown> | undefined {
  const parts = token.split(".");
  if (parts.length !== 3) return undefined;
  try {
    const claims: unknown = JSON.parse(fromUtf8(fromBase64Url(parts[1] ?? "")));
    return typeof claims === "object" && claims !== null ? (claims as Record<string, unknown>) : undefined;
  } catch {
    // Not base64url, not JSON: no token.
    return undefined;
  }
}

const text = (value: unknown) =>
  typeof value === "string" && value.trim() !== "" ? value.trim() : undefined;

const masked = (value: string) => `${[...value][0]?.toUpperCase() ?? ""}${MASK}`;

function hostOf(issuer: string): string {
  try {
    return new URL(issuer).host || issuer;
  } catch {
    return issuer; // An issuer may be any text.
  }
}
