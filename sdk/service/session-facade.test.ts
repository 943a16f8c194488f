import { describe, expect, test, vi } from "vitest";
import type { LoginResponse } from "../../core/api/index.ts";
import { neverCancelled, withResolvers } from "../abort.ts";
import { Database } from "../database.ts";
import { ServiceError, type ServiceErrorCode } from "../errors.ts";
import type { Outbox } from "../outbox.ts";
import type { SessionRecord } from "../storage.ts";
import { JOURNEY } from "../test-support/fake-service.ts";
import { checkJws } from "../test-support/proofs.ts";
import { outcomeOf, scene, valueIn } from "../test-support/scene.ts";
import type { Http } from "./http.ts";
import { LoadedJourneys } from "./journeys.ts";
import { Logins } from "./logins.ts";
import { ServiceClock } from "./service-clock.ts";
import { type Api, loadAppKey, Session, SessionRecords } from "./session.ts";
import { sessionFacade } from "./session-facade.ts";

/** A log-out with so many entries in the outbox, of which so many stay. */
async function logout(
  waiting: number,
  left: number,
  force?: boolean,
  revoke = async () => undefined,
  asking = 0,
) {
  const flush = vi.fn(async () => ({ sent: waiting - left, sentIds: [], dropped: 0, left, asking }));
  const entries = async () => Array.from({ length: waiting }, () => ({}));
  const session = { logout: vi.fn(revoke), forget: vi.fn(async () => undefined) };
  const facade = sessionFacade({
    session: session as unknown as Session,
    outbox: { flush, entries } as unknown as Outbox,
  } as unknown as Parameters<typeof sessionFacade>[0]);
  const outcome = outcomeOf(await facade.logout(force === undefined ? undefined : { force }));
  const counts = [flush, session.logout, session.forget].map(({ mock }) => mock.calls.length);
  return [outcome, ...counts];
}
const down = () => Promise.reject(new TypeError("Failed to fetch"));

describe("a log-out", () => {
  test("flushes what waits, and nothing where nothing does", async () => {
    expect(await logout(0, 0)).toEqual(["ok", 0, 1, 0]);
    expect(await logout(1, 0)).toEqual(["ok", 1, 1, 0]);
  });

  test("is refused where one entry stays, and no event follows", async () => {
    expect(await logout(1, 1)).toEqual(["OperationError:outbox_not_empty", 1, 0, 0]);
    expect(await logout(1, 1, false)).toEqual(["OperationError:outbox_not_empty", 1, 0, 0]);
    const question = await logout(1, 0, false, undefined, 1);
    expect(question).toEqual(["OperationError:outbox_not_empty", 1, 0, 0]);
  });

  test("that is forced is sent to the service, or else done here", async () => {
    expect(await logout(1, 1, true)).toEqual(["ok", 1, 1, 0]);
    expect(await logout(1, 1, true, down)).toEqual(["ok", 1, 1, 1]);
  });

  test("that is not insisted on needs the service", async () => {
    expect(await logout(0, 0, false, down)).toEqual(["OperationError:internal", 0, 1, 0]);
  });
});

test("a guest's session can be opened on purpose, and ends when its refresh token does", async () => {
  const { another } = await scene();
  const client = another({ now: () => 1_000 });
  expect(valueIn(await client.session.loginGuest())).toEqual({ method: "guest", expiresAt: 86_401_000 });
  const cancelled = await client.session.loginGuest({ signal: AbortSignal.abort() });
  expect(outcomeOf(cancelled)).toBe("OperationError:cancelled");
});

test("a login drops the journeys of the person before", async () => {
  const journeys = new LoadedJourneys(undefined as unknown as Api, true);
  journeys.cache(JOURNEY);
  const facade = sessionFacade({
    session: { open: (work: () => Promise<unknown>) => work() },
    records: { state: async () => ({ method: "federated" }) },
    logins: { federated: async () => ({}) },
    journeys,
  } as unknown as Parameters<typeof sessionFacade>[0]);
  valueIn(await facade.loginFederated("another person's token"));
  expect(journeys.find(JOURNEY.journeyId)).toBeUndefined();
});

const signal = neverCancelled();

/** A guest's login with the service's `nonce`; with `refusal` the service refuses it. */
async function guestLogin(nonce: string | undefined, refusal?: ServiceError) {
  const key = await loadAppKey(new Database("logins"));
  const login = vi.fn(async (_method: string, _name: string, _body: { attestationObject: string }) => {
    if (refusal !== undefined) throw refusal;
    return { method: "guest", accessExpiresAt: 0 };
  });
  const session = { key: async () => key, login } as unknown as Session;
  const logins = new Logins({
    http: { send: async () => ({ nonce }) } as unknown as Http,
    configuration: async () => ({ issuer: "us", clientKey: "", clientRoots: [], tagRoots: [] }),
    clock: new ServiceClock(() => 1_999),
  });
  const outcome = await logins.guest(session, signal).catch((error: unknown) => error);
  return { outcome, login };
}

describe("an attestation", () => {
  test("is sent with its nonce, and says when it was made, in whole seconds", async () => {
    const { login } = await guestLogin("n-1");
    const [method, name, body] = login.mock.calls[0] ?? [];
    expect([method, name, body]).toEqual([
      "guest",
      "guestSession",
      expect.objectContaining({ nonce: "n-1" }),
    ]);
    const [head = ""] = body?.attestationObject.split(".") ?? [];
    expect(JSON.parse(Buffer.from(head, "base64url").toString())).toMatchObject({
      typ: "ebt-attestation+jwt",
    });
    const { claims } = await checkJws(body?.attestationObject);
    expect(claims).toEqual({ nonce: "n-1", aud: "us", iat: 1, evidence: { fmt: "none" } });
  });

  test("is not made without a nonce", async () => {
    const { outcome, login } = await guestLogin(undefined);
    expect(outcome).toMatchObject({ code: "invalid_answer" });
    expect(login).not.toHaveBeenCalled();
  });
});

describe("a nonce", () => {
  test("that is refused again and again is asked for eight times", async () => {
    const refusal = new ServiceError("invalid_nonce", "burnt");
    const { outcome, login } = await guestLogin("n", refusal);
    expect(outcome).toBe(refusal);
    expect(login).toHaveBeenCalledTimes(8);
  });

  test("is not to blame for any other refusal", async () => {
    const refusal = new ServiceError("invalid_attestation", "no");
    const { outcome, login } = await guestLogin("n", refusal);
    expect(outcome).toBe(refusal);
    expect(login).toHaveBeenCalledTimes(1);
  });
});

const NOW = 1_000_000;

/** A session on this device alone, whose service answers so; what is stored is under `database`. */
async function sessionOf(stored?: SessionRecord, answer: (name: string) => object = () => ({})) {
  const database = new Database(crypto.randomUUID());
  if (stored !== undefined) await database.write("session", stored);
  const send = vi.fn(async (name: string, _body: object) => answer(name));
  const records = new SessionRecords(database, () => NOW);
  const http = { send } as unknown as Http;
  const session = new Session({ http, records, now: () => NOW, loginByItself: undefined });
  return { database, records, session, sent: () => send.mock.calls.map(([name]) => name) };
}

const guest = (left: number, refreshToken?: string): SessionRecord => ({
  method: "guest",
  accessToken: "a",
  accessExpiresAt: NOW + left,
  ...(refreshToken !== undefined && { refreshToken }),
});
const failing = (code: ServiceErrorCode, statusCode: number) => () => {
  throw new ServiceError(code, "any", { statusCode });
};
const fresh = () => ({ accessToken: "b", expiresIn: 60, refreshToken: "s", refreshExpiresIn: 90 });

describe("an access token", () => {
  test("is used while more than 30 s are left, and then renewed", async () => {
    const enough = await sessionOf(guest(30_001, "r"), fresh);
    expect(await enough.session.grant(signal)).toMatchObject({ accessToken: "a" });
    const little = await sessionOf(guest(30_000, "r"), fresh);
    expect(await little.session.grant(signal)).toMatchObject({ accessToken: "b" });
    expect([enough.sent(), little.sent()]).toEqual([[], ["refresh"]]);
    expect(await little.records.read()).toEqual({
      method: "guest",
      accessToken: "b",
      accessExpiresAt: NOW + 60_000,
      refreshToken: "s",
      refreshExpiresAt: NOW + 90_000,
    });
  });

  test("is not made where a person must sign in", async () => {
    const { session } = await sessionOf();
    await expect(session.grant(signal)).rejects.toMatchObject({ code: "unauthorized_token" });
  });
});

describe("a renewal", () => {
  test("whose answer is there already does not overwrite the session that was opened since", async () => {
    const answer = withResolvers<object>();
    const { records, sent, session } = await sessionOf(guest(0, "r"), () => answer.promise);
    const renewed = session.grant(signal);
    await vi.waitFor(() => expect(sent()).toEqual(["refresh"]));
    const opened = session.open(() =>
      records.store("federated", { ...fresh(), accessToken: "c", tokenType: "Bearer" }),
    );
    // Long enough for the login, which must wait.
    await new Promise((resolve) => setTimeout(resolve, 20));
    answer.resolve(fresh());
    await Promise.all([renewed, opened]);
    expect(await records.read()).toMatchObject({ method: "federated", accessToken: "c" });
  });

  test("that is refused because another tab was faster takes what that tab has had", async () => {
    let inBetween = async () => undefined as unknown;
    const staff = { ...guest(0, "r"), method: "b2b-secret" } as const;
    const { database, records, session } = await sessionOf(staff, async () => {
      await inBetween();
      throw new ServiceError("invalid_refresh_token", "any", { statusCode: 401 });
    });
    const others = { ...staff, accessToken: "c", accessExpiresAt: NOW + 60_000, refreshToken: "s" };
    inBetween = () => database.write("session", others);
    expect(await session.grant(signal)).toMatchObject({ accessToken: "c" });
    expect(await records.read()).toEqual(others);
  });
});

describe("the app's key", () => {
  test("is loaded once, and another after the session is forgotten", async () => {
    const { session } = await sessionOf();
    const key = await session.key();
    expect(await session.key()).toBe(key);
    await session.forget();
    expect((await session.key()).thumbprint).not.toBe(key.thumbprint);
  });

  test("is asked for again where it could not be had", async () => {
    const { database, session } = await sessionOf();
    vi.spyOn(database, "read").mockRejectedValueOnce(new Error("any"));
    await expect(session.key()).rejects.toThrow("any");
    expect(await session.key()).toHaveProperty("thumbprint");
  });
});

test("of a session that is forgotten nothing is left on this device", async () => {
  const { database, session } = await sessionOf(guest(60_000));
  await session.key();
  await database.write("passkey", { id: "p" });
  await database.write("tagNames", { d: "EBT-0001" });
  await session.forget();
  const names = ["session", "key", "certificate", "passkey", "tagNames"] as const;
  expect(await Promise.all(names.map((name) => database.read(name)))).toEqual(names.map(() => undefined));
});

describe("revoking a session", () => {
  test("that the service has ended before is no failure; any other refusal leaves it as it was", async () => {
    const over = await sessionOf(guest(60_000), failing("unauthorized_token", 401));
    await over.session.logout(signal);
    expect(await over.records.read()).toBeUndefined();
    const refused = await sessionOf(guest(60_000), failing("internal_error", 500));
    await expect(refused.session.logout(signal)).rejects.toMatchObject({ code: "internal_error" });
    expect(await refused.records.read()).toBeDefined();
    const lost = await sessionOf(guest(60_000), () => {
      throw Object.assign(new TypeError("any"), { statusCode: 401 });
    });
    await expect(lost.session.logout(signal)).rejects.toThrow("any");
  });

  test("whose token has ended takes a fresh one, where that can be had", async () => {
    const renewed = await sessionOf(guest(0, "r"), (name) => (name === "refresh" ? fresh() : {}));
    await renewed.session.logout(signal);
    expect(renewed.sent()).toEqual(["refresh", "logout"]);
    const still = await sessionOf(guest(1, "r"));
    await still.session.logout(signal);
    const never = await sessionOf();
    await never.session.logout(signal);
    expect([still.sent(), never.sent()]).toEqual([["logout"], []]);
  });
});

describe("what is kept of a session", () => {
  const answer: LoginResponse = { accessToken: "b", tokenType: "Bearer", expiresIn: 60 };

  test("keeps the certificate of the same login, and of no other", async () => {
    const { database, records } = await sessionOf(guest(0));
    await database.write("certificate", { chain: [], notAfter: 1, thumbprint: "t" });
    expect(await records.store("guest", answer)).toEqual({
      method: "guest",
      accessToken: "b",
      accessExpiresAt: NOW + 60_000,
    });
    expect(await database.read("certificate")).toBeDefined();
    await records.store("federated", answer);
    expect(await database.read("certificate")).toBeUndefined();
  });

  test("is, at its end, who was signed in, and that no user is", async () => {
    const { records } = await sessionOf();
    const states: unknown[] = [];
    const end = records.subscribe((state) => states.push(state));
    await records.end(await records.store("federated", answer));
    expect(await records.read()).toEqual({ method: "federated", accessExpiresAt: 0 });
    end();
    await records.store("guest", answer);
    expect(states).toEqual([{ method: "federated", expiresAt: NOW + 60_000 }, { method: "none" }]);
    expect(await records.state()).toEqual({ method: "guest", expiresAt: NOW + 60_000 });
  });
});
