import { describe, expect, test, vi } from "vitest";
import { neverCancelled } from "../abort.ts";
import { Database } from "../database.ts";
import { ServiceError } from "../errors.ts";
import type { Outbox } from "../outbox.ts";
import { JOURNEY } from "../test-support/fake-service.ts";
import { checkJws } from "../test-support/proofs.ts";
import { outcomeOf, scene, valueIn } from "../test-support/scene.ts";
import type { Http } from "./http.ts";
import { LoadedJourneys } from "./journeys.ts";
import { Logins } from "./logins.ts";
import { ServiceClock } from "./service-clock.ts";
import { type Api, loadAppKey, type Session } from "./session.ts";
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
async function guest(nonce: string | undefined, refusal?: ServiceError) {
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
    const { login } = await guest("n-1");
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
    const { outcome, login } = await guest(undefined);
    expect(outcome).toMatchObject({ code: "invalid_answer" });
    expect(login).not.toHaveBeenCalled();
  });
});

describe("a nonce", () => {
  test("that is refused again and again is asked for eight times", async () => {
    const refusal = new ServiceError("invalid_nonce", "burnt");
    const { outcome, login } = await guest("n", refusal);
    expect(outcome).toBe(refusal);
    expect(login).toHaveBeenCalledTimes(8);
  });

  test("is not to blame for any other refusal", async () => {
    const refusal = new ServiceError("invalid_attestation", "no");
    const { outcome, login } = await guest("n", refusal);
    expect(outcome).toBe(refusal);
    expect(login).toHaveBeenCalledTimes(1);
  });
});
