import { decodeJwt } from "jose";
import { expect } from "vitest";
import { type EndpointName, endpoints, HEADER } from "../../core/api/index.ts";
import { type Bytes, concat, fromBase64Url, utf8 } from "../../core/encoding/bytes.ts";
import { b2bAccounts, clients, loadedPlans } from "../../db/schema.ts";
import { sha256 } from "../sessions/attestation/evidence.ts";
import {
  type AppInstance,
  attestationObject,
  demoEvidence,
  dpopProof,
  hostToken,
  newAppInstance,
} from "./app-instance.ts";
import { changeRow, lastAudit } from "./rows.ts";
import {
  type Answer,
  B2B_SECRET,
  expectError,
  KIOSK_KEY,
  PASSENGER_KEY,
  startClean,
  type TestService,
} from "./service.ts";

/** A session and the headers its calls carry. */
export interface TestSession {
  readonly app: AppInstance;
  readonly accessToken: string;
  readonly refreshToken: string;
  readonly clientKey: string;
  /** Calls an endpoint as this session; `path` fills the endpoint's parameters. */
  call(name: EndpointName, body?: unknown, headers?: Record<string, string>, path?: string): Promise<Answer>;
}

/** A fresh nonce of endpoint 2. */
export async function newNonce(service: TestService): Promise<string> {
  return (await service.post(endpoints.nonce.path)).body.nonce;
}

export interface LoginOptions {
  readonly app?: AppInstance;
  /** Whether the login carries a DPoP proof, so that every call must. */
  readonly dpop?: boolean;
  /** Another client key than the one such people usually have. */
  readonly clientKey?: string;
}

interface Login extends LoginOptions {
  readonly app: AppInstance;
  readonly secret?: string;
}

async function send(service: TestService, name: EndpointName, body: unknown, login: Login): Promise<Answer> {
  const { app, dpop = false, clientKey = PASSENGER_KEY, secret } = login;
  return service.call(name, body, {
    [HEADER.clientKey]: clientKey,
    ...(secret === undefined ? {} : { [HEADER.b2bSecret]: secret }),
    ...(dpop ? { DPoP: await dpopProof(app, { path: endpoints[name].path, now: service.now() }) } : {}),
  });
}

/** The session that a login opened. */
function opened(service: TestService, answer: Answer, login: Login): TestSession {
  if (answer.status !== 200) throw new Error(`login failed: ${answer.text}`);
  const { accessToken, refreshToken } = answer.body;
  return sessionOf(service, { clientKey: PASSENGER_KEY, ...login, accessToken, refreshToken });
}

/** The nonce, key and challenge that evidence is made for. */
export interface EvidenceInput {
  readonly nonce: string;
  readonly app: AppInstance;
  /** SHA-256(UTF-8(nonce) ‖ thumbprint), rules §3. */
  readonly challenge: Bytes;
}

export const challengeFor = (nonce: string, jkt: string): Promise<Bytes> =>
  sha256(concat(utf8(nonce), fromBase64Url(jkt)));

export interface PlatformLogin extends LoginOptions {
  readonly endpoint?: "attestationSession" | "guestSession";
  /** null leaves it out. */
  readonly email?: string | null;
}

/** Asks for a nonce, makes evidence for it, sends the statement; returns any answer. */
export async function platformLogin(
  service: TestService,
  makeEvidence: (input: EvidenceInput) => unknown,
  login: PlatformLogin = {},
): Promise<Answer> {
  const { endpoint = "attestationSession", email = "ada@example.org" } = login;
  const app = login.app ?? (await newAppInstance());
  const nonce = await newNonce(service);
  const evidence = await makeEvidence({ nonce, app, challenge: await challengeFor(nonce, app.jkt) });
  const claims = { nonce, now: service.now(), evidence, ...(email === null ? {} : { email }) };
  const body = { nonce, attestationObject: await attestationObject(app, claims) };
  return send(service, endpoint, body, { ...login, app });
}

/**
 * Asserts that an attestation was refused for `reason`, and that the caller does not learn it: the answer must be byte for
 * byte the one to evidence of an unknown format.
 */
export async function expectRefused(service: TestService, answer: Answer, reason: string): Promise<void> {
  expectError(answer, "invalid_attestation");
  expect(await lastAudit(service)).toMatchObject({ event: "invalid_attestation", reason });
  const plain = await platformLogin(service, () => ({ fmt: "invented" }));
  expect(answer.text).toBe(plain.text);
}

/** Guest with evidence `none`. */
export const guestLogin = (service: TestService, login: LoginOptions = {}) =>
  platformLogin(service, () => ({ fmt: "none" }), { ...login, endpoint: "guestSession", email: null });

/** Identified passenger with the development attester's evidence. */
export const attestedLogin = (
  service: TestService,
  { email = "ada@example.org", ...login }: AttestedOptions = {},
) => platformLogin(service, ({ nonce, app }) => demoEvidence(app, { nonce, email }), { ...login, email });

type AttestedOptions = LoginOptions & { readonly email?: string };

/** Guest with evidence `none`. */
export async function guestSession(service: TestService, options: LoginOptions = {}): Promise<TestSession> {
  const login = { ...options, app: options.app ?? (await newAppInstance()) };
  return opened(service, await guestLogin(service, login), login);
}

/** Identified passenger with the development attester's evidence. */
export async function attestedSession(
  service: TestService,
  options: AttestedOptions = {},
): Promise<TestSession> {
  const login = { ...options, app: options.app ?? (await newAppInstance()) };
  return opened(service, await attestedLogin(service, login), login);
}

/** Passenger signed in by the host airline; `claims` go over its token, which names the app's key if `dpop` proves it. */
export async function federatedSession(
  service: TestService,
  { claims = {}, ...options }: LoginOptions & { readonly claims?: Record<string, unknown> } = {},
): Promise<TestSession> {
  const login = { ...options, app: options.app ?? (await newAppInstance()) };
  const cnf = login.dpop ? { cnf: { jwk: login.app.jwk } } : {};
  const token = await hostToken(service.now(), { ...cnf, ...claims });
  return opened(service, await send(service, "federatedSession", { token }, login), login);
}

/** Ground staff of the development data. */
export async function staffSession(
  service: TestService,
  { username = "kiosk-osl-1", ...options }: LoginOptions & { readonly username?: string } = {},
): Promise<TestSession> {
  const app = options.app ?? (await newAppInstance());
  const login = { clientKey: KIOSK_KEY, secret: B2B_SECRET, ...options, app };
  const body = { username, password: "correct horse battery staple" };
  return opened(service, await send(service, "b2bSession", body, login), login);
}

/** A session of staff who act for these airlines, as their client does from now on. */
export async function staffOf(service: TestService, ...airlines: string[]): Promise<TestSession> {
  const { db } = service;
  await db.batch([
    changeRow(db, clients, "client-kiosk", { airlines }),
    db.update(b2bAccounts).set({ airlines }),
  ]);
  return staffSession(service);
}

/** The calls of a session whose tokens are known. */
export function sessionOf(
  service: TestService,
  {
    app,
    accessToken,
    refreshToken,
    clientKey,
    dpop = false,
  }: Omit<TestSession, "call"> & { readonly dpop?: boolean },
): TestSession {
  return {
    app,
    accessToken,
    refreshToken,
    clientKey,
    call: async (endpoint, input, headers = {}, path = endpoints[endpoint].path) =>
      service.post(path, input, {
        [HEADER.clientKey]: clientKey,
        Authorization: `Bearer ${accessToken}`,
        ...(dpop ? { DPoP: await dpopProof(app, { path, now: service.now(), accessToken }) } : {}),
        ...headers,
      }),
  };
}

/** What Ada Lovelace knows of her booking, the first of the development data. */
export const ADA = { recordLocator: "ABC123", surname: "LOVELACE" } as const;

/** The bookings of the development data, by their flights' order there. */
export const BOOKINGS = ["demo-plan-1", "demo-plan-2", "demo-plan-3"] as const;

export const subOf = ({ accessToken }: Pick<TestSession, "accessToken">): string =>
  String(decodeJwt(accessToken).sub);

/**
 * Makes `plans` the caller's own, as if they had been loaded one by one: without them an attachment is a
 * claim. Returns the session.
 */
export async function withBookings(
  { db, now }: TestService,
  session: TestSession,
  plans: readonly string[] = BOOKINGS,
): Promise<TestSession> {
  const sub = subOf(session);
  await db
    .insert(loadedPlans)
    .values(plans.map((planId) => ({ sub, planId, loadedAt: now() })))
    .onConflictDoNothing();
  return session;
}

/** A new service and two passengers: `guest` has loaded every booking, `stranger` none. */
export async function startWithTwoGuests() {
  const service = await startClean();
  const guest = await withBookings(service, await guestSession(service));
  return { service, guest, stranger: await guestSession(service) };
}

/** Many guests, each another person. */
export const crowdOfGuests = (service: TestService, size: number) =>
  Promise.all(Array.from({ length: size }, () => guestSession(service)));
