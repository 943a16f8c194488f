import { endpoints, HEADER } from "../../core/api/index.ts";
import { type Call, ENDPOINT, type Model, type Operation } from "./api-model.ts";
import {
  type Answer,
  type Caller,
  generationOf,
  isAttestation,
  isProofAgain,
  isRefreshProofAgain,
  type Login,
  type Refresh,
  tokenOf,
} from "./api-model-sessions.ts";
import { type AppInstance, attestationObject, demoEvidence, dpopProof, hostToken } from "./app-instance.ts";
import type { Post } from "./bare-app.ts";
import { requireContract } from "./contract.ts";
import { requestOf } from "./lock-driver.ts";
import type { Action } from "./lock-state.ts";
import { B2B_SECRET, KIOSK_KEY, PARTNER_KEY, PASSENGER_KEY } from "./service.ts";

/** The tokens of the callers of api-model.ts, and their requests. */

/** The tokens and the proofs of one session, as the model counts them. */
export interface SessionTokens {
  readonly access: string[];
  readonly refresh: string[];
  proof?: string;
  refreshProof?: string;
}

export interface World {
  readonly post: Post;
  /** Milliseconds since 1970. */
  readonly now: () => number;
  readonly apps: Readonly<Record<Caller | "stranger", AppInstance>>;
  readonly sessionTokens: SessionTokens[];
}

const OWN: Readonly<Record<Caller, string>> = {
  ...{ ada: PASSENGER_KEY, attested: PASSENGER_KEY, host: PARTNER_KEY, staff: KIOSK_KEY },
};
/** Clients that refuse this login. */
const FOREIGN: Readonly<Record<Caller, string>> = {
  ...{ ada: PARTNER_KEY, attested: KIOSK_KEY, host: KIOSK_KEY, staff: PASSENGER_KEY },
};
const LOGIN = {
  ada: "guestSession",
  attested: "attestationSession",
  host: "federatedSession",
  staff: "b2bSession",
} as const;

interface Sent extends Answer {
  readonly tokens: { readonly accessToken: string; readonly refreshToken: string };
}

/** Sends one request, and checks its answer against the OpenAPI document. */
async function send(world: World, path: string, body: object, headers: Record<string, string>) {
  const response = await world.post(path, body, headers);
  const answer = JSON.parse(await response.text());
  requireContract({ method: "POST", path, status: response.status, body: answer });
  const code: string = response.ok ? "ok" : answer.errorCode;
  const isReplay = response.headers.has("Idempotent-Replayed");
  return { code, body: answer, tokens: answer, ...(isReplay && { isReplay }) } satisfies Sent;
}

const keyHeader = (who: Caller, which: string): Record<string, string> => {
  if (which === "no key" || which === "none") return {};
  if (which === "unknown key" || which === "unknown") return { [HEADER.clientKey]: "?" };
  const isForeign = which === "foreign key" || which === "foreign";
  return { [HEADER.clientKey]: (isForeign ? FOREIGN : OWN)[who] };
};

/** Logs in, and stores the tokens. */
export async function logIn(world: World, login: Login): Promise<Answer> {
  const { who, isKeyless } = login;
  const { path } = endpoints[LOGIN[who]];
  const proof = login.isDpop ? { DPoP: await dpopProof(world.apps[who], { path, now: world.now() }) } : {};
  const headers = {
    ...keyHeader(who, isKeyless && isAttestation(who) ? "none" : "own"),
    ...(who === "staff" ? { [HEADER.b2bSecret]: B2B_SECRET } : {}),
    ...proof,
  };
  const { code, tokens } = await send(world, path, await loginBody(world, login), headers);
  if (code === "ok")
    world.sessionTokens.push({ access: [tokens.accessToken], refresh: [tokens.refreshToken] });
  return { code };
}

async function loginBody(world: World, { who, isDpop }: Login): Promise<object> {
  const [app, now] = [world.apps[who], world.now()];
  if (who === "staff") return { username: "kiosk-osl-1", password: "correct horse battery staple" };
  // A key in the host's token must be proven.
  if (who === "host") return { token: await hostToken(now, isDpop ? { cnf: { jwk: app.jwk } } : {}) };
  const { nonce } = (await send(world, endpoints.nonce.path, {}, {})).body as { nonce: string };
  const email = "ada@example.org";
  const more = who === "ada" ? {} : { email, evidence: await demoEvidence(app, { nonce, email }) };
  return { nonce, attestationObject: await attestationObject(app, { nonce, now, ...more }) };
}

/** The session that a step is about, and its tokens. */
function sessionAt(world: World, model: Model, by: number) {
  const at = by % model.sessions.length;
  const [session, sessionTokens] = [model.sessions[at], world.sessionTokens[at]];
  if (session === undefined || sessionTokens === undefined) throw new RangeError("no such session");
  return { session, sessionTokens };
}

/** Makes a call as `model` has it before the call. */
export async function makeCall(world: World, model: Model, call: Call): Promise<Answer & { proof?: string }> {
  const { session, sessionTokens } = sessionAt(world, model, call.by);
  const { as, operation } = call;
  const endpoint = ENDPOINT[operation.kind];
  const { path } = endpoints[endpoint];
  const accessToken = sessionTokens.access[tokenOf(session, as)] ?? "";
  const prover = world.apps[as === "another's proof" ? "stranger" : session.who];
  const claims = as === "stale proof" ? { iat: 1 } : {};
  const proof = isProofAgain(session, { as, endpoint })
    ? (sessionTokens.proof ?? "")
    : await dpopProof(prover, { path, now: world.now(), accessToken, claims });
  const headers = {
    ...keyHeader(session.who, as),
    ...(as === "no token"
      ? {}
      : { Authorization: `Bearer ${as === "garbled token" ? "x" : ""}${accessToken}` }),
    ...(session.isDpop && as !== "no proof" ? { DPoP: proof } : {}),
    ...(call.key === undefined ? {} : { "Idempotency-Key": call.key }),
  };
  const body = call.isBare ? {} : bodyOf(operation, session.who);
  const { tokens: _, ...answer } = await send(world, path, body, headers);
  return { ...answer, proof };
}

function bodyOf(operation: Operation, who: Caller): object {
  if (["journeys", "certificate", "logout"].includes(operation.kind)) return {};
  return requestOf({ ...operation, who } as Action)[1];
}

/** The part of an answer that the model predicts. */
export function summaryOf(operation: Operation, body: Answer["body"]): object | undefined {
  if (operation.kind === "journeys") return { journeys: (body as { journeys: unknown[] }).journeys.length };
  if (operation.kind !== "look") return undefined;
  const { locked, sameTravelPlan, requiresCustodyProof, lost } = body as Record<string, boolean>;
  return { locked, sameTravelPlan, requiresCustodyProof, ...(lost === undefined ? {} : { lost }) };
}

/** Refreshes as `model` has it before; the same token again within seconds must give the same successor. */
export async function makeRefresh(
  world: World,
  model: Model,
  refresh: Refresh,
): Promise<Answer & { proof?: string }> {
  const { session, sessionTokens } = sessionAt(world, model, refresh.by);
  const { path } = endpoints.refresh;
  const generation = generationOf(session, refresh.token);
  const refreshToken = generation === undefined ? "A".repeat(43) : (sessionTokens.refresh[generation] ?? "");
  const prover = world.apps[refresh.proof === "another's" ? "stranger" : session.who];
  const proof = isRefreshProofAgain(session, refresh)
    ? (sessionTokens.refreshProof ?? "")
    : await dpopProof(prover, { path, now: world.now() });
  const headers = {
    ...keyHeader(session.who, refresh.key),
    ...(session.isDpop && refresh.proof !== "none" ? { DPoP: proof } : {}),
  };
  const { code, tokens } = await send(world, path, { refreshToken }, headers);
  if (code !== "ok" || generation === undefined) return { code };
  sessionTokens.access.push(tokens.accessToken);
  const known = sessionTokens.refresh[generation + 1];
  if (known === undefined) sessionTokens.refresh.push(tokens.refreshToken);
  else if (known !== tokens.refreshToken) return { code: "another successor" };
  return { code, proof };
}
