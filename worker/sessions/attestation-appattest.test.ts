import "reflect-metadata/lite";
import { KeyUsageFlags, X509Certificate } from "@peculiar/x509";
import { beforeAll, beforeEach, describe, expect, it } from "vitest";
import { AttestationLoginRequest, limits, parseBody } from "../../core/api/index.ts";
import { type Bytes, concat, fromBase64, fromHex, toBase64, toBase64Url } from "../../core/encoding/bytes.ts";
import { fromPem } from "../../core/pki/pem.ts";
import sample from "../../core/vectors/app-attest.json" with { type: "json" };
import { clients } from "../../db/schema.ts";
import { APPLE_APP_ATTEST_ROOT } from "../config/apple-root.ts";
import { hmacText } from "../secrets/sealed.ts";
import { attestationObject, newAppInstance } from "../test-support/app-instance.ts";
import {
  APP,
  type AppAssertionChanges,
  type AttestationCas,
  type AttestationChanges,
  appAssertion,
  appAttestation,
  madeFor,
  newAttestationCas,
  newPhoneKey,
  type PhoneKey,
} from "../test-support/apple-phone.ts";
import { expectRefused, type PlatformLogin, platformLogin } from "../test-support/logins.ts";
import { cbor, cborMap } from "../test-support/passkey.ts";
import { changeRow, credentialsNamed, lastSession } from "../test-support/rows.ts";
import { PARTNER_KEY, startService, type TestService } from "../test-support/service.ts";
import {
  type AttestationCheck,
  verifyAppAssertion,
  verifyAppAttestation,
} from "./attestation/apple-appattest.ts";
import type { AttestationPolicyInput } from "./attestation/policy.ts";

const DAY = 86_400_000;

let cas: AttestationCas;
let others: AttestationCas;
let service: TestService;
let key: PhoneKey;

/** What the passenger app's client demands; flags too where they matter. */
async function demand(policy: AttestationPolicyInput["apple-appattest"], flags = {}): Promise<void> {
  const attestationPolicy = policy === undefined ? {} : { "apple-appattest": policy };
  const evidenceKinds = ["none", "webauthn", "demo", "apple-appattest"] as const;
  await changeRow(service.db, clients, "client-passenger", { attestationPolicy, evidenceKinds, flags });
}

beforeAll(async () => {
  cas = await newAttestationCas();
  others = await newAttestationCas();
  service = await startService({ APPLE_APP_ATTEST_ROOTS: cas.rootPem });
  await demand({ apps: [APP] });
});
beforeEach(async () => {
  key = await newPhoneKey();
});

const attest = (changes: AttestationChanges = {}, login: PlatformLogin = {}) =>
  platformLogin(service, (input) => appAttestation(cas, key, input, changes), login);
const assert = (changes: AppAssertionChanges = {}, login: PlatformLogin = {}) =>
  platformLogin(service, (input) => appAssertion(key, input, changes), login);
const stored = () => credentialsNamed(service, toBase64Url(key.id));
const refused = (answer: Awaited<ReturnType<typeof attest>>, reason: string) =>
  expectRefused(service, answer, reason);

describe("an app on an Apple device", () => {
  it("logs in by Apple's attestation, and later by its key, as the same person", async () => {
    expect((await attest()).status).toBe(200);
    const { sub } = await lastSession(service);
    expect(await lastSession(service)).toMatchObject({ evidence: "apple-appattest", method: "attestation" });
    expect((await assert({ counter: 1 })).status).toBe(200);
    expect((await assert({ counter: 5 })).status).toBe(200);
    expect(await lastSession(service)).toMatchObject({ sub, evidence: "apple-appattest" });
    expect(await stored()).toMatchObject([{ format: "apple-appattest", counter: 5, sub, transports: [] }]);
  });

  it("is another person with another key, whatever the e-mail", async () => {
    await attest();
    const { sub } = await lastSession(service);
    key = await newPhoneKey();
    await attest();
    expect((await lastSession(service)).sub).not.toBe(sub);
  });

  it("may send the root along", async () => {
    expect((await attest({ x5c: (chain) => [...chain, cas.root] })).status).toBe(200);
  });

  it.each([false, true])("uses one counter once, however many try (each with a proof: %s)", async (dpop) => {
    await attest();
    const answers = await Promise.all(Array.from({ length: 6 }, () => assert({ counter: 2 }, { dpop })));
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
  });
});

const leaf = (members: NonNullable<AttestationChanges["leaf"]>) => () => ({ leaf: members });
/** A certificate whose nonce stands in `head`, of `length` bytes from its end. */
const nonceBehind = (head: string, length = 32, tail = "") =>
  leaf({ nonceExtension: (nonce) => concat(fromHex(head), nonce.slice(-length), fromHex(tail)) });
const object = (change: (object: Bytes) => Bytes) => () => ({ object: change });

describe("an attestation is refused", () => {
  it.each<[string, string, () => AttestationChanges | Promise<AttestationChanges>]>([
    ["whose nonce is under another OID", "appattest_nonce", leaf({ nonceOid: "1.2.840.113635.100.8.3" })],
    ["whose nonce is tagged otherwise", "appattest_nonce", nonceBehind("3024a2220420")],
    ["with bytes behind the nonce", "appattest_nonce", nonceBehind("3026a1220420", 32, "0500")],
    ["of another credential", "appattest_credential_id", () => ({ credentialId: new Uint8Array(32) })],
    ["of another public key", "appattest_public_key", async () => ({ cose: (await newPhoneKey()).cose })],
    ["of a key that was used before", "appattest_counter", () => ({ counter: 1 })],
    ["of no environment there is", "appattest_environment", () => ({ environment: "appattesting" })],
    [
      "under another root",
      "appattest_chain",
      () => ({
        leaf: { signingKey: others.signingKey },
        x5c: ([leaf]) => [leaf as Bytes, others.intermediate],
      }),
    ],
    ["whose certificate may not sign", "appattest_chain", leaf({ keyUsage: KeyUsageFlags.keyEncipherment })],
    [
      "whose certificate was made for servers",
      "appattest_chain_usage",
      leaf({ extensions: [madeFor("1.3.6.1.5.5.7.3.1")] }),
    ],
    [
      "whose certificate is over",
      "appattest_chain_expired",
      leaf({ notBefore: new Date(Date.now() - 9 * DAY), notAfter: new Date(Date.now() - DAY) }),
    ],
    ["of another format", "appattest_object", () => ({ fmt: "packed" })],
    ["with bytes behind it", "appattest_object", object((it) => concat(it, new Uint8Array(1)))],
    [
      "with a member too many",
      "appattest_object",
      object((it) => concat(Uint8Array.of(0xa4), cbor("a"), cbor(0), it.slice(1))),
    ],
    ["without a receipt", "appattest_statement", () => ({ attStmt: () => cborMap({ x5c: [] }) })],
    ["without a credential", "appattest_authenticator_data", () => ({ flags: 0 })],
    ["under no key id", "appattest_shape", () => ({ keyId: "AAAA" })],
    ["with an assertion beside it", "appattest_shape", () => ({ json: { assertion: "AAAA" } })],
  ])("%s: %s", async (_, reason, changes) => {
    await refused(await attest(await changes()), reason);
    expect(await stored()).toEqual([]);
  });

  it("with a key of P-384", async () => {
    key = await newPhoneKey({ name: "ECDSA", namedCurve: "P-384" });
    await refused(await attest(), "appattest_chain");
  });

  it("under other CAs where only Apple's own root is configured", async () => {
    const there = await startService();
    await demand({ apps: [APP] });
    const answer = await platformLogin(there, (input) => appAttestation(cas, key, input));
    await expectRefused(there, answer, "appattest_chain");
  });

  it("of a key that is registered already", async () => {
    await attest();
    await refused(await attest(), "appattest_already_registered");
  });
});

describe("an app's assertion is refused", () => {
  beforeEach(async () => {
    await attest();
    await assert({ counter: 5 });
  });

  it.each<[string, string, () => AppAssertionChanges | Promise<AppAssertionChanges>]>([
    ["by another key", "appattest_signature", async () => ({ signer: (await newPhoneKey()).privateKey })],
    [
      "with bytes behind the signature",
      "appattest_signature",
      () => ({ signature: (der) => concat(der, new Uint8Array(1)) }),
    ],
    ["with the count of the last use", "appattest_counter", () => ({ counter: 5 })],
    ["whose count was raised after signing", "appattest_signature", () => ({ counter: 5, sentCounter: 7 })],
    ["for another app", "appattest_app", () => ({ appId: `${APP.teamId}.example.other` })],
    ["with bytes behind the counter", "appattest_authenticator_data", () => ({ surplus: new Uint8Array(1) })],
    ["with bytes behind it", "appattest_object", object((it) => concat(it, new Uint8Array(1)))],
    [
      "with one member twice",
      "appattest_object",
      object(() => concat(Uint8Array.of(0xa2), ...["signature", "", "signature", ""].map(cbor))),
    ],
    ["for a key whose id is no hash", "appattest_shape", () => ({ json: { keyId: "not base64" } })],
  ])("%s: %s", async (_, reason, changes) => {
    await refused(await assert({ counter: 6, ...(await changes()) }), reason);
    expect(await stored()).toMatchObject([{ counter: 5 }]);
  });

  it("of a key Apple never attested", async () => {
    key = await newPhoneKey();
    await refused(await assert(), "appattest_unknown_key");
  });

  it("at another client", async () => {
    const kinds = { loginMethods: ["attestation"], evidenceKinds: ["apple-appattest"] } as const;
    const row = { ...kinds, attestationPolicy: { "apple-appattest": { apps: [APP] } } };
    await changeRow(service.db, clients, "client-partner", row);
    await refused(await assert({ counter: 6 }, { clientKey: PARTNER_KEY }), "appattest_unknown_key");
  });
});

describe("the client's policy", () => {
  it("must name an app", async () => {
    await demand(undefined);
    await refused(await attest(), "policy_missing");
    await demand({ apps: [APP] });
  });

  it("may admit developers' builds and several apps", async () => {
    const second = { teamId: APP.teamId, bundleId: "example.airline.crew" };
    await demand({ apps: [APP, second], environments: ["development"] });
    const appId = `${second.teamId}.${second.bundleId}`;
    expect((await attest({ appId, environment: "appattestdevelop" })).status).toBe(200);
    key = await newPhoneKey();
    await refused(await attest({ appId }), "appattest_environment");
    await demand({ apps: [APP] });
  });

  it("takes the e-mail for the person only where it is trusted, over devices and spellings", async () => {
    await demand({ apps: [APP] }, { emailTrusted: true });
    const subs: string[] = [];
    for (const email of ["zo\u00eb@example.org", "Zoe\u0308@Example.org", "eve@example.org"]) {
      key = await newPhoneKey();
      expect((await attest({}, { email })).status).toBe(200);
      subs.push((await lastSession(service)).sub);
    }
    // Of the e-mail as it is folded, release after release.
    const { pepperKey } = service.settings;
    expect(subs[0]).toBe(
      await hmacText(pepperKey, "sub", "client-passenger", "email", "zo\u00eb@example.org"),
    );
    expect(subs[1]).toBe(subs[0]);
    expect(subs[2]).not.toBe(subs[0]);
    // A guest is never an e-mail.
    await assert({ counter: 1 }, { endpoint: "guestSession", email: "eve@example.org" });
    expect((await lastSession(service)).sub).not.toBe(subs[2]);
    await demand({ apps: [APP] });
    await assert({ counter: 2 }, { email: "eve@example.org" });
    expect(subs).not.toContain((await lastSession(service)).sub);
  });
});

// What a real phone sent, under Apple's real root.

const roots = fromPem(APPLE_APP_ATTEST_ROOT);
const { teamId, bundleId } = sample;
const policy = { apps: [{ teamId, bundleId }], environments: ["development" as const] };
const check: AttestationCheck = {
  keyId: fromBase64(sample.keyId),
  clientDataHash: fromBase64(sample.clientDataHash),
  policy,
  roots,
  at: new Date(sample.at),
};
const attestation = fromBase64(sample.attestation);
const refusedFor = (reason: string) => ({ code: "invalid_attestation", detail: { reason } });

it("Apple's root is the one Apple publishes, and signed itself", async () => {
  expect(roots.map(toBase64)).toEqual([sample.root]);
  const [root = new Uint8Array()] = roots;
  expect(await new X509Certificate(root).isSelfSigned()).toBe(true);
  const changed = root.with(-1, (root.at(-1) as number) ^ 1);
  expect(await new X509Certificate(changed).isSelfSigned()).toBe(false);
});

describe("a real phone's", () => {
  it("attestation is believed while its certificate lasts, and its key then checks the phone's assertion", async () => {
    const spki = await verifyAppAttestation(attestation, check);
    const clientDataHash = fromBase64(sample.assertionClientDataHash);
    const asserted = await verifyAppAssertion(fromBase64(sample.assertion), {
      clientDataHash,
      policy,
      spki,
      previousCounter: 0,
    });
    expect(asserted).toEqual({ counter: sample.assertionCounter });
    const again = verifyAppAssertion(fromBase64(sample.assertion), {
      clientDataHash,
      policy,
      spki,
      previousCounter: 1,
    });
    await expect(again).rejects.toMatchObject(refusedFor("appattest_counter"));
  });

  it("attestation fits into a login", async () => {
    const app = await newAppInstance();
    const evidence = { fmt: "apple-appattest", keyId: sample.keyId, attestation: sample.attestation };
    const claims = {
      nonce: "A".repeat(22),
      now: Date.now(),
      email: `${"a".repeat(242)}@example.org`,
      evidence,
    };
    const body = { nonce: claims.nonce, attestationObject: await attestationObject(app, claims) };
    expect(parseBody(AttestationLoginRequest, body)).toMatchObject({ ok: true });
    expect(JSON.stringify(body).length).toBeLessThan(limits.bodyBytes);
  });

  it.each<[string, string, Partial<AttestationCheck>]>([
    ["later", "appattest_chain_expired", { at: new Date("2021-02-23") }],
    ["about other client data", "appattest_nonce", { clientDataHash: new Uint8Array(32) }],
    [
      "for another app",
      "appattest_app",
      { policy: { ...policy, apps: [{ teamId, bundleId: "another.app" }] } },
    ],
    ["in production", "appattest_environment", { policy: { ...policy, environments: ["production"] } }],
    ["for another key", "appattest_key_id", { keyId: new Uint8Array(32) }],
    ["without roots", "appattest_no_roots", { roots: [] }],
  ])("attestation is refused %s: %s", async (_, reason, change) => {
    await expect(verifyAppAttestation(attestation, { ...check, ...change })).rejects.toMatchObject(
      refusedFor(reason),
    );
  });

  it("attestation is refused with any one byte of what was attested changed", async () => {
    // The receipt is for Apple's own servers and not covered by the nonce; everything else is.
    const text = new TextDecoder("latin1").decode(attestation);
    const receiptAt = text.indexOf("receipt");
    const authDataAt = text.lastIndexOf("authData");
    const covered = (at: number) => at < receiptAt + 10 || at >= authDataAt;
    for (let at = 0; at < attestation.length; at += 7) {
      if (!covered(at)) continue;
      const changed = attestation.with(
        at,
        (attestation[at] as number) ^ (1 << (at % 8)),
      ) as typeof attestation;
      await expect(verifyAppAttestation(changed, check), `byte ${at}`).rejects.toMatchObject({
        code: "invalid_attestation",
      });
    }
  });
});
