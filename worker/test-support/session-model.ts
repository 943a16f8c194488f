import { endpoints } from "../../core/api/index.ts";

/**
 * A model of sessions (rules §3) for four callers, one request after the other: what logins, refreshes and calls answer, and
 * the sessions after them. It is written from the rules, not from the service. Times are seconds since the sequence began.
 */

export const CALLERS = ["ada", "attested", "host", "staff"] as const;
export type Caller = (typeof CALLERS)[number];

const ACCESS_SECONDS = 600;
const REFRESH_SECONDS = 86_400;
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
  /** The proof that was taken last, by a call and by a refresh. */
  proof?: { readonly endpoint: Call["endpoint"]; readonly token: number; readonly at: number };
  refreshProof?: { readonly at: number };
}

export interface Model {
  now: number;
  readonly sessions: Session[];
  last?: Call;
}

/** A login that succeeds: one that is refused depends on nothing before it, and changes nothing. */
export interface Login {
  readonly kind: "login";
  readonly who: Caller;
  readonly isDpop: boolean;
  /** Without a client key, where the login needs none. */
  readonly isKeyless: boolean;
}

/** A call of the session at `by`, by an endpoint that takes a proof again, or by one that does not. */
export interface Call {
  readonly kind: "call";
  readonly by: number;
  readonly as: "own" | (typeof CREDENTIALS)[number];
  readonly endpoint: "journeys" | "ebtUnlock" | "logout";
}
export const CREDENTIALS = [
  ...["first token", "foreign key", "no key", "unknown key", "no token", "garbled token"],
  ...["no proof", "another's proof", "stale proof", "proof again"],
] as const;

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

export const sessionAt = ({ sessions }: Model, by: number) => sessions[by % sessions.length] as Session;

/** Logins by attestation need no client key. */
export const isAttestation = (who: Caller) => who === "ada" || who === "attested";

export function predictLogin(model: Model, { who, isDpop, isKeyless }: Login): string {
  const isBound = !isKeyless || !isAttestation(who);
  model.sessions.push(opened(who, model.now, { isDpop, isBound }));
  return "ok";
}

/** Index of the access token a call brings. */
export const tokenOf = ({ access }: Session, { as }: Call) => (as === "first token" ? 0 : access.length - 1);

/** Whether the last proof that was taken is one of this very request. */
export const isProofAgain = ({ proof, access }: Session, { as, endpoint }: Call) =>
  as === "proof again" && proof?.endpoint === endpoint && proof.token === access.length - 1;

export function predictCall(model: Model, call: Call): string {
  const { now } = model;
  const session = sessionAt(model, call.by);
  const { as, endpoint } = call;
  if (as === "no key" || as === "unknown key") return "unauthorized_client";
  if (as === "no token" || as === "garbled token") return "unauthorized_token";
  const token = tokenOf(session, call);
  if ((session.access[token] ?? 0) <= now) return "unauthorized_token";
  const isProofWrong = as === "no proof" || as === "another's proof" || as === "stale proof";
  const isAgain = isProofAgain(session, call);
  const isStale = isAgain && now - (session.proof?.at ?? 0) > PROOF_SECONDS;
  if (session.isDpop && (isProofWrong || isStale)) return "invalid_dpop_proof";
  if (session.isGone || session.isRevoked) return "unauthorized_token";
  if (as === "foreign key") return "unauthorized_client";
  session.isBound = true;
  if (isAgain && !("replayable" in endpoints[endpoint])) return "invalid_dpop_proof";
  if (session.isDpop && !isAgain) session.proof = { endpoint, token, at: now };
  if (endpoint === "logout") session.isRevoked = true;
  return "ok";
}

/** Number of the refresh token that is brought; undefined for one that was never issued. */
export function generationOf({ counter }: Session, token: Refresh["token"]): number | undefined {
  if (token === "made up") return undefined;
  return { newest: counter, previous: Math.max(0, counter - 1), first: 0 }[token];
}

/** Whether a refresh brings the proof of the last one. */
export const isRefreshProofAgain = (session: Session, { proof }: Refresh) =>
  session.isDpop && proof === "again" && session.refreshProof !== undefined;

export function predictRefresh(model: Model, refresh: Refresh): string {
  const { now } = model;
  const session = sessionAt(model, refresh.by);
  const { key, proof } = refresh;
  const isAgain = isRefreshProofAgain(session, refresh);
  const isOver = session.isRevoked || session.refreshedAt + REFRESH_SECONDS <= now;
  if (key === "unknown") return "unauthorized_client";
  if (isAgain && now - (session.refreshProof?.at ?? 0) > PROOF_SECONDS) return "invalid_dpop_proof";
  const generation = session.isGone ? undefined : generationOf(session, refresh.token);
  if (generation === undefined) return "invalid_refresh_token";
  if (key === "foreign") return "unauthorized_client";
  if (isOver) return "invalid_refresh_token";
  if (session.isDpop && (proof === "none" || proof === "another's")) return "invalid_dpop_proof";
  const isLate = generation === session.counter - 1 && now - session.refreshedAt <= LEEWAY_SECONDS;
  if (generation !== session.counter && !isLate) {
    session.isRevoked = true;
    return "invalid_refresh_token";
  }
  if (isAgain) return "invalid_dpop_proof";
  if (session.isDpop) session.refreshProof = { at: now };
  session.access.push(now + ACCESS_SECONDS);
  if (!isLate) {
    session.counter += 1;
    session.refreshedAt = now;
    session.isBound ||= key === "own";
  }
  return "ok";
}

/** A scheduled run deletes ended sessions; callers see no other effect. */
export function sweep({ sessions, now }: Model): void {
  for (const session of sessions) {
    if (session.refreshedAt + REFRESH_SECONDS + ACCESS_SECONDS <= now) session.isGone = true;
  }
}
