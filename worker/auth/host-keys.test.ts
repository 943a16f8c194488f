import { errors } from "jose";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { limits } from "../../core/api/index.ts";
import hostAirline from "../../db/demo/host-airline.jwk.json" with { type: "json" };
import { createHostKeys, HostKeysUnavailable } from "./host-keys.ts";

/** When a host's keys are fetched, which of them count, and how long a request waits. host-issuer.test.ts has a real host. */

const URL_OF_KEYS = "https://host.example/jwks.json";
const { d: _private, ...GOOD } = hostAirline;
const HEADER = { alg: "ES256", kid: GOOD.kid };
const FRESH = limits.hostKeysFreshSeconds * 1_000;
const STALE = limits.hostKeysStaleSeconds * 1_000;
const COOLDOWN = limits.hostKeysCooldownSeconds * 1_000;

let asked: { readonly url: string; readonly init: RequestInit | undefined }[] = [];
let answer: () => Response | Promise<Response>;
beforeEach(() => {
  asked = [];
  answer = () => Response.json({ keys: [GOOD] });
});

/** A host's keys as one application knows them: asks for the key of `header` at `now`. */
function application({ allowsLoopback = false, jwksUrl = URL_OF_KEYS, bytes = limits.hostKeysBytes } = {}) {
  const fetcher = async (url: RequestInfo | URL, init?: RequestInit) => {
    asked.push({ url: String(url), init });
    return answer();
  };
  const hostKeys = createHostKeys({ fetcher, limits: { ...limits, hostKeysBytes: bytes }, allowsLoopback });
  return async (now: number, header: { alg: string; kid: string } = HEADER) =>
    hostKeys({ jwks: null, jwksUrl }, now)(header, {} as never);
}

const down = () => Promise.reject(new TypeError("no such host"));
const refusal = (key: Promise<unknown>) =>
  key.then(
    () => undefined,
    (error: unknown) => error,
  );
const isKey = { type: "public" };

describe("a host's keys", () => {
  it("are requested by name and type, without following redirects", async () => {
    await application()(0);
    const headers = { Accept: "application/json" };
    const init = { signal: expect.any(AbortSignal), redirect: "manual", headers };
    expect(asked).toEqual([{ url: URL_OF_KEYS, init }]);
  });

  it("are cached until they are ten minutes old", async () => {
    const keyAt = application();
    for (const now of [0, FRESH - 1]) expect(await keyAt(now)).toMatchObject(isKey);
    expect(asked).toHaveLength(1);
    await keyAt(FRESH);
    expect(asked).toHaveLength(2);
  });

  it("of a host that is down are used until they are an hour old, and then the caller gets the reason", async () => {
    const keyAt = application();
    await keyAt(0);
    answer = down;
    expect(await keyAt(STALE - 1)).toMatchObject(isKey);
    const error = await refusal(keyAt(STALE));
    expect(error).toBeInstanceOf(HostKeysUnavailable);
    expect(error).toMatchObject({ name: "HostKeysUnavailable", cause: expect.any(TypeError) });
  });

  it("are asked for again no sooner than after half a minute", async () => {
    const keyAt = application();
    answer = down;
    for (const now of [0, COOLDOWN - 1])
      expect(await refusal(keyAt(now))).toBeInstanceOf(HostKeysUnavailable);
    expect(asked).toHaveLength(1);
    answer = () => Response.json({ keys: [GOOD] });
    expect(await keyAt(COOLDOWN)).toMatchObject(isKey);
  });

  it("are asked for again for an unknown name, and not for an algorithm that no key has", async () => {
    const keyAt = application();
    await keyAt(0);
    expect(await refusal(keyAt(COOLDOWN, { ...HEADER, alg: "HS256" }))).toBeInstanceOf(
      errors.JOSENotSupported,
    );
    expect(asked).toHaveLength(1);
    const unknown = { ...HEADER, kid: "new" };
    answer = () => Response.json({ keys: [GOOD, { ...GOOD, kid: "new" }] });
    expect(await keyAt(COOLDOWN, unknown)).toMatchObject(isKey);
    expect(asked).toHaveLength(2);
  });

  it("stay as they are where an unknown name finds the host down", async () => {
    const keyAt = application();
    await keyAt(0);
    answer = down;
    expect(await refusal(keyAt(COOLDOWN, { ...HEADER, kid: "new" }))).toBeInstanceOf(
      errors.JWKSNoMatchingKey,
    );
    expect(await keyAt(COOLDOWN)).toMatchObject(isKey);
  });

  it("are nowhere where the host's row has neither keys nor URL", () => {
    const hostKeys = createHostKeys({ fetcher: down, limits, allowsLoopback: false });
    expect(() => hostKeys({ jwks: null, jwksUrl: null }, 0)).toThrow(HostKeysUnavailable);
  });
});

describe("what a host publishes", () => {
  it.each<[string, unknown]>([
    ["null", null],
    ["a number", 7],
    ["an object without keys", {}],
    ["keys that are no list", { keys: GOOD }],
  ])("is refused where it is %s", async (_, published) => {
    answer = () => Response.json(published);
    expect(await refusal(application()(0))).toMatchObject({ cause: expect.any(HostKeysUnavailable) });
  });

  it.each([201, 204, 302, 404])("is refused under status %d", async (status) => {
    answer = () => new Response(status === 204 ? null : JSON.stringify({ keys: [GOOD] }), { status });
    expect(await refusal(application()(0))).toMatchObject({ cause: expect.any(HostKeysUnavailable) });
  });

  it("is refused where it is nothing at all", async () => {
    answer = () => new Response(null);
    expect(await refusal(application()(0))).toMatchObject({ cause: expect.any(SyntaxError) });
  });

  it("may be as long as the limit, and no byte longer", async () => {
    const text = JSON.stringify({ keys: [GOOD] });
    answer = () => new Response(text);
    expect(await application({ bytes: text.length })(0)).toMatchObject(isKey);
    expect(await refusal(application({ bytes: text.length - 1 })(0))).toMatchObject({
      cause: expect.any(HostKeysUnavailable),
    });
  });

  it("counts as far as it is public keys: others are as good as absent", async () => {
    const secret = { kty: "oct", kid: "secret", k: "AAAA" };
    answer = () => Response.json({ keys: [null, 7, { kid: "x" }, secret, hostAirline] });
    for (const kid of ["x", "secret", GOOD.kid])
      expect(await refusal(application()(0, { ...HEADER, kid }))).toBeInstanceOf(errors.JWKSNoMatchingKey);
    answer = () => Response.json({ keys: [null, 7, { kid: "x" }, secret, GOOD] });
    expect(await application()(0)).toMatchObject(isKey);
  });

  it.each([
    ["http://host.example/k", false, 0],
    ["http://host.example/k", true, 0],
    ["http://localhost.example/k", true, 0],
    ["http://my.localhost/k", true, 0],
    ["http://localhost:1/k", false, 0],
    ["http://localhost:1/k", true, 1],
    ["http://127.0.0.1/k", true, 1],
    ["http://[::1]/k", true, 1],
    ["https://localhost/k", false, 1],
  ])("at %s is fetched, where development is %s, %d times", async (jwksUrl, allowsLoopback, times) => {
    await refusal(application({ jwksUrl, allowsLoopback })(0));
    expect(asked).toHaveLength(times);
  });
});

describe("a host that does not answer", () => {
  const LATE = limits.hostKeysTimeoutMilliseconds + 500;
  let answered: ((response: Response) => void)[] = [];
  beforeEach(() => {
    vi.useFakeTimers();
    answered = [];
    answer = () => new Promise((resolve) => answered.push(resolve));
  });
  afterEach(() => {
    vi.useRealTimers();
  });

  it("is waited for half a second longer than its answer may take, and then asked again", async () => {
    const keyAt = application();
    const key = refusal(keyAt(0));
    await vi.advanceTimersByTimeAsync(LATE - 1);
    expect(vi.getTimerCount()).toBe(1);
    await vi.advanceTimersByTimeAsync(1);
    expect(await key).toBeInstanceOf(HostKeysUnavailable);
    const next = keyAt(COOLDOWN);
    expect(answered).toHaveLength(2);
    answered[1]?.(Response.json({ keys: [GOOD] }));
    expect(await next).toMatchObject(isKey);
    expect(vi.getTimerCount()).toBe(0);
  });

  it("is asked once for all concurrent requests, and one that times out cancels no other's", async () => {
    const keyAt = application();
    const first = refusal(keyAt(0));
    await vi.advanceTimersByTimeAsync(400);
    const second = refusal(keyAt(0));
    expect(answered).toHaveLength(1);
    await vi.advanceTimersByTimeAsync(LATE - 400);
    expect(await first).toBeInstanceOf(HostKeysUnavailable);
    const third = keyAt(COOLDOWN);
    expect(answered).toHaveLength(2);
    await vi.advanceTimersByTimeAsync(400);
    expect(await second).toBeInstanceOf(HostKeysUnavailable);
    const fourth = keyAt(COOLDOWN);
    answered[1]?.(Response.json({ keys: [GOOD] }));
    expect(await Promise.all([third, fourth])).toMatchObject([isKey, isKey]);
  });
});
