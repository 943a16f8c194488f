import "reflect-metadata/lite";
import { X509Certificate } from "@peculiar/x509";
import { describe, expect, it } from "vitest";
import { AttestationLoginRequest, limits, parseBody } from "../../../core/api/index.ts";
import { fromBase64, toBase64 } from "../../../core/encoding/bytes.ts";
import { verifyAttestationChain } from "../../../core/pki/attestation-chain.ts";
import { fromPem } from "../../../core/pki/pem.ts";
import sample from "../../../core/vectors/app-attest.json" with { type: "json" };
import { APPLE_APP_ATTEST_ROOT } from "../../config/apple-root.ts";
import { attestationObject, newAppInstance } from "../../test-support/app-instance.ts";
import { verifyAppAssertion } from "./apple-appattest-assertion.ts";
import { type AttestationCheck, verifyAppAttestation } from "./apple-appattest-attestation.ts";

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

describe("Apple's root", () => {
  it("is the one Apple publishes, and signed itself", async () => {
    expect(roots.map(toBase64)).toEqual([sample.root]);
    const [root = new Uint8Array()] = roots;
    expect(await new X509Certificate(root).isSelfSigned()).toBe(true);
    const changed = root.with(-1, (root.at(-1) as number) ^ 1);
    expect(await new X509Certificate(changed).isSelfSigned()).toBe(false);
  });

  it("is a CA and no leaf", async () => {
    await expect(verifyAttestationChain(roots, roots, new Date(sample.at))).rejects.toMatchObject({
      code: "CHAIN",
    });
  });
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
    ["earlier", "appattest_chain_expired", { at: new Date("2021-01-20") }],
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
