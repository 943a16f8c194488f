import { decodeJwt } from "jose";
import { type EndpointName, endpoints, HEADER } from "../../core/api/index.ts";
import { b2bAccounts, clients, loadedPlans } from "../../db/schema.ts";
import {
  type AppInstance,
  attestationObject,
  demoEvidence,
  dpopProof,
  hostToken,
  newAppInstance,
} from "./app-instance.ts";
import { changeRow } from "./rows.ts";
import {
  type Answer,
  B2B_SECRET,
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

/** How a refresh token looks: session, kind and number, secret, HMAC. */
export const REFRESH_TOKEN = /^[0-9a-f]{8}[\w-]{16}\.[PS]\d+\.[\w-]{43}\.[\w-]{22}$/;

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

/** Guest with evidence `none`. */
export async function guestSession(service: TestService, options: LoginOptions = {}): Promise<TestSession> {
  const app = options.app ?? (await newAppInstance());
  const nonce = await newNonce(service);
  const body = { nonce, attestationObject: await attestationObject(app, { nonce, now: service.now() }) };
  return login(service, "guestSession", body, { app, ...options });
}

/** Identified passenger with the development attester's evidence. */
export async function attestedSession(
  service: TestService,
  { email = "ada@example.org", ...options }: LoginOptions & { readonly email?: string } = {},
): Promise<TestSession> {
  const app = options.app ?? (await newAppInstance());
  const nonce = await newNonce(service);
  const evidence = await demoEvidence(app, { nonce, email });
  const statement = await attestationObject(app, { nonce, now: service.now(), email, evidence });
  return login(service, "attestationSession", { nonce, attestationObject: statement }, { app, ...options });
}

/** Passenger signed in by the host airline; `claims` go over its token, which names the app's key if `dpop` proves it. */
export async function federatedSession(
  service: TestService,
  { claims = {}, ...options }: LoginOptions & { readonly claims?: Record<string, unknown> } = {},
): Promise<TestSession> {
  const app = options.app ?? (await newAppInstance());
  const cnf = options.dpop ? { cnf: { jwk: app.jwk } } : {};
  const token = await hostToken(service.now(), { ...cnf, ...claims });
  return login(service, "federatedSession", { token }, { app, ...options });
}

/** Ground staff of the development data. */
export async function staffSession(
  service: TestService,
  { username = "kiosk-osl-1", ...options }: LoginOptions & { readonly username?: string } = {},
): Promise<TestSession> {
  const app = options.app ?? (await newAppInstance());
  const body = { username, password: "correct horse battery staple" };
  return login(service, "b2bSession", body, { app, clientKey: KIOSK_KEY, secret: B2B_SECRET, ...options });
}

interface LoginInput {
  readonly app: AppInstance;
  readonly dpop?: boolean;
  readonly clientKey?: string;
  readonly secret?: string;
}

async function login(
  service: TestService,
  name: EndpointName,
  body: unknown,
  { app, dpop = false, clientKey = PASSENGER_KEY, secret }: LoginInput,
): Promise<TestSession> {
  const answer = await service.call(name, body, {
    [HEADER.clientKey]: clientKey,
    ...(secret === undefined ? {} : { [HEADER.b2bSecret]: secret }),
    ...(dpop ? { DPoP: await dpopProof(app, { path: endpoints[name].path, now: service.now() }) } : {}),
  });
  if (answer.status !== 200) throw new Error(`login failed: ${answer.text}`);
  const { accessToken, refreshToken } = answer.body;
  return sessionOf(service, { app, accessToken, refreshToken, clientKey, dpop });
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
