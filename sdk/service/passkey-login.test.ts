import { describe, expect, test } from "vitest";
import { concat, fromBase64Url, toBase64Url, utf8 } from "../../core/encoding/bytes.ts";
import { cancelled } from "../abort.ts";
import type { PasskeyRequest } from "../api.ts";
import { Database } from "../database.ts";
import { PasskeyError } from "../errors.ts";
import { refuse } from "../test-support/fake-service.ts";
import { checkJws, thumbprintOf } from "../test-support/proofs.ts";
import { outcomeOf, scene, valueIn } from "../test-support/scene.ts";
import { passkeyEvidence } from "./passkey-login.ts";
import type { KnownPasskey, NewPasskey, PasskeyAnswer, Passkeys } from "./passkeys.ts";

const EMAIL = "ada@example.org";

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
