import { describe, expect, test, vi } from "vitest";
import { concat, fromBase64Url, toBase64Url, utf8 } from "../../core/encoding/bytes.ts";
import sample from "../../core/vectors/app-attest.json" with { type: "json" };
import { cancelled } from "../abort.ts";
import type { PasskeyRequest } from "../api.ts";
import { Database } from "../database.ts";
import { PasskeyError } from "../errors.ts";
import { refuse } from "../test-support/fake-service.ts";
import { checkJws, thumbprintOf } from "../test-support/proofs.ts";
import { outcomeOf, scene, valueIn } from "../test-support/scene.ts";
import type { AttestationChallenge } from "../types.ts";
import { passkeyEvidence } from "./passkey-login.ts";
import type { KnownPasskey, NewPasskey, PasskeyAnswer, Passkeys } from "./passkeys.ts";

/** An app that brings evidence: it signs in by it, with a statement about the service's challenge. */

const EMAIL = "ada@example.org";
// What a real phone sent. A token of Play Integrity is a text of Google's, which only the service can read.
const APPLE = { fmt: "apple-appattest", keyId: sample.keyId, attestation: sample.attestation } as const;
const ASSERTION = { fmt: "apple-appattest", keyId: sample.keyId, assertion: sample.assertion } as const;
const GOOGLE = { fmt: "play-integrity", token: `eyJ${"x".repeat(3_000)}` } as const;

/** A passenger's app that has `given` as evidence. */
async function app(...given: readonly (typeof APPLE | typeof ASSERTION | typeof GOOGLE)[]) {
  const asked: AttestationChallenge[] = [];
  const evidence = async (challenge: AttestationChallenge) => {
    asked.push(challenge);
    return { email: EMAIL, evidence: given[asked.length - 1] ?? APPLE };
  };
  const here = await scene();
  const { service } = here;
  const before = service.calls.length;
  const client = here.another({ evidence });
  const logins = () => service.calls.slice(before).filter(({ path }) => path.endsWith("/sessions"));
  const statements = () => Promise.all(logins().map(({ body }) => checkJws(body.attestationObject)));
  return { ...here, client, asked, statements, paths: () => logins().map(({ path }) => path) };
}

test.each([APPLE, ASSERTION, GOOGLE])(
  "evidence ($fmt) is sent as it is, about the nonce and the app's key",
  async (given) => {
    const { client, asked, statements, paths } = await app(given);
    expect(outcomeOf(await client.journeys.list())).toBe("ok");
    expect(paths()).toEqual(["/v2/auth/attestation/sessions"]);
    const [{ claims, jwk } = { claims: undefined, jwk: {} as never }] = await statements();
    expect(claims).toMatchObject({ email: EMAIL, nonce: "n-1", aud: "taglatch", evidence: given });
    const thumbprint = await thumbprintOf(jwk);
    const about = concat(utf8("n-1"), fromBase64Url(thumbprint));
    const digest = toBase64Url(new Uint8Array(await crypto.subtle.digest("SHA-256", about)));
    expect(asked).toEqual([{ nonce: "n-1", thumbprint, digest }]);
    expect(await client.session.state()).toMatchObject({ method: "attestation" });
  },
);

test("a session that has ended is opened again by new evidence, and by nothing weaker", async () => {
  const { client, service, paths } = await app(APPLE, ASSERTION);
  valueIn(await client.session.prepare());
  service.revoke();
  service.next("auth/refresh", refuse("unauthorized_token"));
  expect(outcomeOf(await client.journeys.list())).toBe("ok");
  expect(paths()).toEqual(["/v2/auth/attestation/sessions", "/v2/auth/attestation/sessions"]);
});

test("a refused nonce asks for other evidence", async () => {
  const { client, service, asked } = await app(APPLE, ASSERTION);
  service.next("attestation/sessions", refuse("invalid_nonce"));
  valueIn(await client.session.prepare());
  expect(asked).toHaveLength(2);
});

test("who was a guest before the app brought evidence goes on by it once the session ends", async () => {
  const { another, service, paths } = await app();
  const databaseName = "once-a-guest";
  valueIn(await another({ databaseName }).session.prepare());
  service.revoke();
  const evidence = vi.fn(async () => ({ email: EMAIL, evidence: APPLE }));
  valueIn(await another({ databaseName, evidence }).journeys.list());
  expect(paths()).toEqual(["/v2/auth/guest/sessions", "/v2/auth/attestation/sessions"]);
});

test("at a kiosk staff sign in, whatever evidence there is", async () => {
  const { another, asked } = await app();
  const evidence = async () => ({ email: EMAIL, evidence: APPLE });
  const kiosk = another({ audience: "kiosk", evidence });
  expect(outcomeOf(await kiosk.journeys.list())).toBe("ServiceError:unauthorized_token");
  expect(asked).toEqual([]);
});

test("evidence that the platform does not give fails the call, and the next one asks again", async () => {
  const { another } = await app();
  const evidence = vi.fn(async () => ({ email: EMAIL, evidence: APPLE }));
  evidence.mockRejectedValueOnce(new Error("DCAppAttestService is not supported"));
  const client = another({ evidence });
  expect(outcomeOf(await client.journeys.list())).not.toBe("ok");
  expect(outcomeOf(await client.journeys.list())).toBe("ok");
});

/** An authenticator that gives what it is asked for and remembers how it was asked. */
function fakePasskeys(fail?: () => Error) {
  const asked: (({ kind: "create" } & NewPasskey) | ({ kind: "use" } & KnownPasskey))[] = [];
  const answer = (id: string): PasskeyAnswer => {
    if (fail) throw fail();
    return { id, rawId: id, type: "public-key", response: { clientDataJSON: "e30" } };
  };
  const passkeys: Passkeys = {
    async create(passkey) {
      asked.push({ kind: "create", ...passkey });
      return answer(`passkey-${asked.length}`);
    },
    async use(passkey) {
      asked.push({ kind: "use", ...passkey });
      return answer(passkey.id ?? "chosen");
    },
  };
  return { passkeys, asked };
}

async function prepared(fail?: () => Error) {
  const { another, service } = await scene();
  const { passkeys, asked } = fakePasskeys(fail);
  const client = another({ passkeys });
  const statements = () =>
    Promise.all(
      service.calls
        .filter(({ path }) => path.endsWith("attestation/sessions"))
        .map(({ body }) => checkJws(body.attestationObject)),
    );
  return { client, service, asked, statements };
}

describe("a login by passkey", () => {
  test("registers a passkey first, and uses the same one later", async () => {
    const { client, asked, statements } = await prepared();
    expect(valueIn(await client.session.loginWithPasskey({ email: EMAIL }))).toMatchObject({
      method: "attestation",
    });
    valueIn(await client.session.loginWithPasskey({ email: EMAIL }));
    expect(asked.map(({ kind }) => kind)).toEqual(["create", "use"]);
    expect(asked[1]).toMatchObject({ id: "passkey-1" });
    const [first, second] = await statements();
    expect(first?.claims).toMatchObject({
      email: EMAIL,
      evidence: { fmt: "webauthn", registration: { id: "passkey-1" } },
    });
    expect(second?.claims.evidence).toEqual({
      fmt: "webauthn",
      assertion: expect.objectContaining({ id: "passkey-1" }),
    });
  });

  test("is for the nonce and the app's key", async () => {
    const { client, asked, statements } = await prepared();
    valueIn(await client.session.loginWithPasskey({ email: EMAIL }));
    const [statement] = await statements();
    const thumbprint = fromBase64Url(await thumbprintOf(statement?.jwk ?? {}));
    const bytes = concat(utf8(statement?.claims.nonce ?? ""), thumbprint);
    const challenge = new Uint8Array(await crypto.subtle.digest("SHA-256", bytes));
    expect(toBase64Url(asked[0]?.challenge ?? bytes)).toBe(toBase64Url(challenge));
  });

  test("makes a passkey again for the same user handle when its nonce was refused", async () => {
    const { client, service, asked } = await prepared();
    service.next("attestation/sessions", refuse("invalid_nonce"));
    const before = service.count("auth/nonces");
    valueIn(await client.session.loginWithPasskey({ email: EMAIL }));
    const handles = asked.flatMap((question) =>
      question.kind === "create" ? [toBase64Url(question.userId)] : [],
    );
    expect(handles).toHaveLength(2);
    expect(handles[0]).toBe(handles[1]);
    expect(service.count("auth/nonces")).toBe(before + 2);
    valueIn(await client.session.loginWithPasskey({ email: EMAIL }));
    expect(asked[2]).toMatchObject({ kind: "use", id: "passkey-2" });
  });

  test("remembers no passkey the service refused", async () => {
    const { client, service, asked } = await prepared();
    service.next("attestation/sessions", refuse("invalid_attestation"));
    expect(outcomeOf(await client.session.loginWithPasskey({ email: EMAIL }))).toBe(
      "ServiceError:invalid_attestation",
    );
    valueIn(await client.session.loginWithPasskey({ email: EMAIL }));
    expect(asked.map(({ kind }) => kind)).toEqual(["create", "create"]);
  });

  test("lets the person choose a passkey, or make a new one, when asked to", async () => {
    const { client, asked } = await prepared();
    valueIn(await client.session.loginWithPasskey({ email: EMAIL, passkey: "existing" }));
    expect(asked[0]).toMatchObject({ kind: "use", id: undefined });
    valueIn(await client.session.loginWithPasskey({ email: EMAIL }));
    expect(asked[1]).toMatchObject({ kind: "use", id: "chosen" });
    valueIn(
      await client.session.loginWithPasskey({ email: EMAIL, passkey: "new", relyingParty: { name: "Air" } }),
    );
    expect(asked[2]).toMatchObject({ kind: "create", userName: EMAIL, relyingParty: { name: "Air" } });
  });

  test("forgets at log-out which passkey it was", async () => {
    const { client, asked } = await prepared();
    valueIn(await client.session.loginWithPasskey({ email: EMAIL }));
    valueIn(await client.session.logout());
    valueIn(await client.session.loginWithPasskey({ email: EMAIL }));
    expect(asked.map(({ kind }) => kind)).toEqual(["create", "create"]);
  });

  test("that is cancelled or not possible leaves the session as it was", async () => {
    const closed = await prepared(() => cancelled());
    valueIn(await closed.client.session.prepare());
    expect(outcomeOf(await closed.client.session.loginWithPasskey({ email: EMAIL }))).toBe(
      "OperationError:cancelled",
    );
    expect(await closed.client.session.state()).toMatchObject({ method: "guest" });
    const missing = await prepared(() => new PasskeyError("passkeys_unsupported", "none"));
    expect(outcomeOf(await missing.client.session.loginWithPasskey({ email: EMAIL }))).toBe(
      "PasskeyError:passkeys_unsupported",
    );
  });
});

describe("the evidence of a login", () => {
  const challenge = { nonce: "n", thumbprint: "dA", digest: "ZA" };

  /** The arguments of every question. */
  async function questions(request: PasskeyRequest) {
    const asked: (readonly [NewPasskey | KnownPasskey, AbortSignal])[] = [];
    const answer = async (passkey: NewPasskey | KnownPasskey, signal: AbortSignal) => {
      asked.push([passkey, signal]);
      return { id: "p", rawId: "p", type: "public-key", response: {} } as const;
    };
    const database = new Database(crypto.randomUUID());
    const { signal } = new AbortController();
    const evidence = await passkeyEvidence(request, database, signal, { create: answer, use: answer });
    return { asked, signal, evidence, database };
  }

  test("is asked for with a challenge, for the site, and until its caller cancels", async () => {
    const relyingParty = { id: "example.org" };
    for (const passkey of ["new", "existing"] as const) {
      const { asked, signal, evidence } = await questions({ email: EMAIL, passkey, relyingParty });
      await evidence.make(challenge);
      expect(asked[0]?.[0]).toMatchObject({ challenge: expect.any(Uint8Array), relyingParty });
      expect(asked[0]?.[1]).toBe(signal);
    }
  });

  test("has a user handle of 32 random bytes", async () => {
    const { asked, evidence } = await questions({ email: EMAIL, passkey: "new" });
    await evidence.make(challenge);
    expect(asked[0]?.[0]).toMatchObject({ userId: { length: 32 } });
  });

  test("that was never made is not remembered", async () => {
    const { evidence, database } = await questions({ email: EMAIL });
    await evidence.remember();
    expect(await database.read("passkey")).toBeUndefined();
  });
});
