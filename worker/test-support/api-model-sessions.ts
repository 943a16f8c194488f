import { type EndpointName, endpoints } from "../../core/api/index.ts";
/** The part of the interface's model that is about sessions: logins, refreshes, and who a call comes from (rules §3). */

export const CALLERS = ["ada", "attested", "host", "staff"] as const;
export type Caller = (typeof CALLERS)[number];

export const ACCESS_SECONDS = 600;
export const REFRESH_SECONDS = 86_400;
const PROOF_SECONDS = 300;
const LEEWAY_SECONDS = 10;

/** A session; one that the caller opened without a client key is bound by its first keyed call. */
export interface Session {
  readonly who: Caller;
  readonly isDpop: boolean;
  isBound: boolean;
  isRevoked: boolean;
  /** Taken away by the sweeper. */
  isGone: boolean;
  /** Ends of its access tokens, in the order in which they were given. */
  readonly access: number[];
  counter: number;
  refreshedAt: number;
  /** The proof that was taken last, by a call and by a refresh. `isCounted`: a booking was loaded or a guess counted with it. */
  proof?: {
    readonly endpoint: EndpointName;
    readonly token: number;
    readonly at: number;
    isCounted: boolean;
  };
  refreshProof?: { readonly at: number };
}

/** How a call identifies its caller. */
export const CREDENTIALS = [
  ...["first token", "foreign key", "no key", "unknown key", "no token", "garbled token"],
  ...["no proof", "another's proof", "stale proof", "proof again"],
] as const;
export type Credentials = "own" | (typeof CREDENTIALS)[number];

/** Who there is at a time. */
export interface Sessions {
  now: number;
  readonly sessions: Session[];
}

export interface Answer {
  /** `ok` or the errorCode. */
  readonly code: string;
  readonly isReplay?: boolean;
  /** The predicted part of the body. */
  readonly body?: object;
}

/** A login that succeeds: one that is refused depends on nothing before it, and changes nothing. */
export interface Login {
  readonly kind: "login";
  readonly who: Caller;
  readonly isDpop: boolean;
  /** Without a client key, where the login needs none. */
  readonly isKeyless: boolean;
}

/** Which token a refresh brings, under which client key, with which proof. */
export interface Refresh {
  readonly kind: "refresh";
  readonly by: number;
  readonly token: "newest" | "previous" | "first" | "made up";
  readonly key: "own" | "none" | "foreign" | "unknown";
  readonly proof: "own" | "none" | "another's" | "again";
}

export const opened = (who: Caller, now: number, { isDpop = false, isBound = true } = {}): Session => ({
  ...{ who, isDpop, isBound, isRevoked: false, isGone: false },
  ...{ access: [now + ACCESS_SECONDS], counter: 0, refreshedAt: now },
});

/** Logins by attestation need no client key. */
export const isAttestation = (who: Caller) => who === "ada" || who === "attested";

export function predictLogin(model: Sessions, { who, isDpop, isKeyless }: Login): Answer {
  const isBound = !isKeyless || !isAttestation(who);
  model.sessions.push(opened(who, model.now, { isDpop, isBound }));
  return { code: "ok" };
}

/** Why a call is refused before its operation is looked at; undefined where it is not. */
export function authenticate(
  { now }: Sessions,
  session: Session,
  { as, endpoint }: { readonly as: Credentials; readonly endpoint: EndpointName },
): string | undefined {
  if (as === "no key" || as === "unknown key") return "unauthorized_client";
  if (as === "no token" || as === "garbled token") return "unauthorized_token";
  const token = tokenOf(session, as);
  if ((session.access[token] ?? 0) <= now) return "unauthorized_token";
  const isProofWrong = as === "no proof" || as === "another's proof" || as === "stale proof";
  const isAgain = isProofAgain(session, { as, endpoint });
  const isStale = isAgain && now - (session.proof?.at ?? 0) > PROOF_SECONDS;
  if (session.isDpop && (isProofWrong || isStale)) return "invalid_dpop_proof";
  if (session.isGone || session.isRevoked) return "unauthorized_token";
  if (as === "foreign key") return "unauthorized_client";
  session.isBound = true;
  if (isAgain && endpoints[endpoint].security === "bearer" && !("replayable" in endpoints[endpoint])) {
    return "invalid_dpop_proof";
  }
  if (session.isDpop && !isAgain) session.proof = { endpoint, token, at: now, isCounted: false };
  return undefined;
}

/** Index of the access token a call brings. */
export const tokenOf = ({ access }: Session, as: Credentials) =>
  as === "first token" ? 0 : access.length - 1;

/** Whether the last proof that was taken is one of this very request. */
export const isProofAgain = (
  session: Session,
  { as, endpoint }: { readonly as: Credentials; readonly endpoint: EndpointName },
) =>
  as === "proof again" &&
  session.proof?.endpoint === endpoint &&
  session.proof.token === session.access.length - 1;

/** Number of the refresh token that is brought; undefined for one that was never issued. */
export function generationOf({ counter }: Session, token: Refresh["token"]): number | undefined {
  if (token === "made up") return undefined;
  return { newest: counter, previous: Math.max(0, counter - 1), first: 0 }[token];
}

/** Whether a refresh brings the proof of the last one. */
export const isRefreshProofAgain = (session: Session, { proof }: Refresh) =>
  session.isDpop && proof === "again" && session.refreshProof !== undefined;

export function predictRefresh(model: Sessions, refresh: Refresh): Answer {
  const { now } = model;
  const session = model.sessions[refresh.by % model.sessions.length] as Session;
  const { key, proof } = refresh;
  const isAgain = isRefreshProofAgain(session, refresh);
  const isOver = session.isRevoked || session.refreshedAt + REFRESH_SECONDS <= now;
  if (key === "unknown") return { code: "unauthorized_client" };
  if (isAgain && now - (session.refreshProof?.at ?? 0) > PROOF_SECONDS) return { code: "invalid_dpop_proof" };
  const generation = session.isGone ? undefined : generationOf(session, refresh.token);
  if (generation === undefined) return { code: "invalid_refresh_token" };
  if (key === "foreign") return { code: "unauthorized_client" };
  if (isOver) return { code: "invalid_refresh_token" };
  if (session.isDpop && (proof === "none" || proof === "another's")) return { code: "invalid_dpop_proof" };
  const isLate = generation === session.counter - 1 && now - session.refreshedAt <= LEEWAY_SECONDS;
  if (generation !== session.counter && !isLate) {
    session.isRevoked = true;
    return { code: "invalid_refresh_token" };
  }
  if (isAgain) return { code: "invalid_dpop_proof" };
  if (session.isDpop) session.refreshProof = { at: now };
  session.access.push(now + ACCESS_SECONDS);
  if (!isLate) {
    session.counter += 1;
    session.refreshedAt = now;
    session.isBound ||= key === "own";
  }
  return { code: "ok" };
}
