/** An app that brings evidence: it signs in by it, with a statement about the service's challenge. */
import { expect, test, vi } from "vitest";
import { concat, fromBase64Url, toBase64Url, utf8 } from "../../core/encoding/bytes.ts";
import sample from "../../core/vectors/app-attest.json" with { type: "json" };
import { refuse } from "../test-support/fake-service.ts";
import { checkJws, thumbprintOf } from "../test-support/proofs.ts";
import { outcomeOf, scene, valueIn } from "../test-support/scene.ts";
import type { AttestationChallenge } from "../types.ts";

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
