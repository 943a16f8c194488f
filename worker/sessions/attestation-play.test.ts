import { CompactEncrypt, CompactSign } from "jose";
import { beforeAll, describe, expect, it } from "vitest";
import { type Bytes, copyBytes, fromBase64, toBase64, toBase64Url, utf8 } from "../../core/encoding/bytes.ts";
import { clients } from "../../db/schema.ts";
import { seal } from "../secrets/sealed.ts";
import { newAppInstance } from "../test-support/app-instance.ts";
import {
  challengeFor,
  type EvidenceInput,
  expectRefused,
  type PlatformLogin,
  platformLogin,
} from "../test-support/platform-login.ts";
import { changeRow, lastSession } from "../test-support/rows.ts";
import { startService, type TestService } from "../test-support/service.ts";
import type { AttestationPolicyInput } from "./attestation/policy.ts";

/** Google Play's side of Play Integrity in software: verdicts, signed and encrypted as Google's servers do. */

interface PlayConsole {
  /** Google's signing key. */
  readonly signing: CryptoKey;
  /** base64 SubjectPublicKeyInfo. */
  readonly verificationKey: string;
  /** The key tokens are encrypted to, 32 bytes. */
  readonly decryptionKey: Bytes;
}

async function newPlayConsole(): Promise<PlayConsole> {
  const algorithm = { name: "ECDSA", namedCurve: "P-256" };
  const keys = (await crypto.subtle.generateKey(algorithm, true, ["sign", "verify"])) as CryptoKeyPair;
  const spki = (await crypto.subtle.exportKey("spki", keys.publicKey)) as ArrayBuffer;
  return {
    signing: keys.privateKey,
    verificationKey: toBase64(copyBytes(spki)),
    decryptionKey: crypto.getRandomValues(new Uint8Array(32)),
  };
}

const PACKAGE = "example.airline.tags";
const CERTIFICATE = toBase64Url(new Uint8Array(32).fill(7));

type PlayPolicy = NonNullable<AttestationPolicyInput["play-integrity"]>;

/** A policy for {@link PACKAGE} under the console's keys, sealed for `clientId`. */
async function playPolicy(
  { settings }: TestService,
  { decryptionKey, verificationKey }: PlayConsole,
  clientId: string,
  changes: Partial<PlayPolicy> = {},
): Promise<PlayPolicy> {
  const place = { field: "play-integrity-key", id: clientId } as const;
  return {
    packageName: PACKAGE,
    decryptionKeySealed: await seal(settings.dataKey, place, toBase64(decryptionKey)),
    verificationKey,
    certificateSha256Digests: [CERTIFICATE],
    minVersionCode: 40,
    ...changes,
  };
}

type Part = Readonly<Record<string, unknown>>;

/** Over the verdict's parts, and around it. */
interface TokenChanges {
  readonly request?: Part;
  readonly app?: Part;
  readonly device?: Part;
  readonly account?: Part;
  /** Instead of the JSON of the verdict. */
  readonly text?: string;
  readonly signing?: CryptoKey | Uint8Array;
  readonly signingHeader?: { readonly alg: string } & Part;
  readonly encryption?: Uint8Array;
  readonly encryptionHeader?: { readonly alg: string; readonly enc: string } & Part;
  /** What becomes of the inner token before it is encrypted, and of the outer one after. */
  readonly inner?: (jws: string) => string;
  readonly outer?: (jwe: string) => string;
}

/** Evidence with a verdict about this login, issued at `now` (milliseconds). */
async function playEvidence(
  console: PlayConsole,
  { challenge }: Pick<EvidenceInput, "challenge">,
  now: number,
  changes: TokenChanges = {},
) {
  const verdict = {
    requestDetails: {
      requestPackageName: PACKAGE,
      timestampMillis: `${now - 2_000}`,
      nonce: toBase64Url(challenge),
      ...changes.request,
    },
    appIntegrity: {
      appRecognitionVerdict: "PLAY_RECOGNIZED",
      packageName: PACKAGE,
      certificateSha256Digest: [CERTIFICATE],
      versionCode: "42",
      ...changes.app,
    },
    deviceIntegrity: { deviceRecognitionVerdict: ["MEETS_DEVICE_INTEGRITY"], ...changes.device },
    accountDetails: { appLicensingVerdict: "LICENSED", ...changes.account },
  };
  const { signing = console.signing, signingHeader = { alg: "ES256" } } = changes;
  const { encryption = console.decryptionKey, encryptionHeader = { alg: "A256KW", enc: "A256GCM" } } =
    changes;
  const jws = await new CompactSign(utf8(changes.text ?? JSON.stringify(verdict)))
    .setProtectedHeader(signingHeader)
    .sign(signing);
  const jwe = await new CompactEncrypt(utf8(changes.inner?.(jws) ?? jws))
    .setProtectedHeader(encryptionHeader)
    .encrypt(encryption);
  return { fmt: "play-integrity", token: changes.outer?.(jwe) ?? jwe };
}

const PASSENGER = "client-passenger";

let service: TestService;
let play: PlayConsole;

async function demand(changes: Partial<PlayPolicy> = {}, flags = {}): Promise<void> {
  const policy = await playPolicy(service, play, PASSENGER, changes);
  const evidenceKinds = ["none", "play-integrity"] as const;
  const row = { attestationPolicy: { "play-integrity": policy }, evidenceKinds, flags };
  await changeRow(service.db, clients, PASSENGER, row);
}

beforeAll(async () => {
  play = await newPlayConsole();
  service = await startService();
  await demand();
});

const logIn = (changes: TokenChanges = {}, login: PlatformLogin = {}) =>
  platformLogin(service, (input) => playEvidence(play, input, service.now(), changes), login);

/** Runs `attempt` under a policy of its own. */
async function under(changes: Partial<PlayPolicy>, attempt: () => Promise<void>): Promise<void> {
  await demand(changes);
  await attempt();
  await demand();
}

describe("an app on an Android device", () => {
  it("logs in by Google's verdict, and is the key that asked for it", async () => {
    const app = await newAppInstance();
    expect((await logIn({}, { app })).status).toBe(200);
    const { sub } = await lastSession(service);
    expect(await lastSession(service)).toMatchObject({ evidence: "play-integrity", method: "attestation" });
    expect((await logIn({}, { app, email: "eve@example.org" })).status).toBe(200);
    expect((await lastSession(service)).sub).toBe(sub);
    await logIn();
    expect((await lastSession(service)).sub).not.toBe(sub);
  });

  it("needs two D1 calls at most: its client, its session", async () => {
    service.log.length = 0;
    await logIn();
    expect(service.log.at(-1)).toMatchObject({ route: "/v2/auth/attestation/sessions", calls: 2 });
  });
});

const swapped = (jws: string, part: number, replacement: string) =>
  jws.split(".").with(part, replacement).join(".");
const encoded = (value: unknown) => toBase64Url(utf8(JSON.stringify(value)));

describe("a verdict is refused", () => {
  it.each<[string, string, () => TokenChanges | Promise<TokenChanges>]>([
    ["about an old version", "play_version", () => ({ app: { versionCode: "39" } })],
    ["that is not JSON", "play_verdict_malformed", () => ({ text: "fine by us" })],
    [
      "signed with another key",
      "play-integrity: ERR_JWS_SIGNATURE_VERIFICATION_FAILED",
      async () => ({ signing: (await newPlayConsole()).signing }),
    ],
    [
      "signed with the public key for a secret",
      "play-integrity: ERR_JOSE_ALG_NOT_ALLOWED",
      () => ({ signing: fromBase64(play.verificationKey), signingHeader: { alg: "HS256" } }),
    ],
    [
      "signed with the key it is encrypted to",
      "play-integrity: ERR_JOSE_ALG_NOT_ALLOWED",
      () => ({ signing: play.decryptionKey, signingHeader: { alg: "HS256" } }),
    ],
    [
      "not signed",
      "play-integrity: ERR_JOSE_ALG_NOT_ALLOWED",
      () => ({ inner: (jws) => swapped(swapped(jws, 0, encoded({ alg: "none" })), 2, "") }),
    ],
    [
      "rewritten after it was signed",
      "play-integrity: ERR_JWS_SIGNATURE_VERIFICATION_FAILED",
      () => ({ inner: (jws) => swapped(jws, 1, encoded({})) }),
    ],
    ["that is no token inside", "play-integrity: ERR_JWS_INVALID", () => ({ inner: () => "hello" })],
    [
      "encrypted to another key",
      "play-integrity: ERR_JWE_DECRYPTION_FAILED",
      () => ({ encryption: new Uint8Array(32).fill(9) }),
    ],
    [
      "encrypted to a key in the open",
      "play_encryption",
      () => ({ encryptionHeader: { alg: "dir", enc: "A256GCM" } }),
    ],
    [
      "encrypted under a password",
      "play_encryption",
      () => ({
        encryption: utf8("password"),
        encryptionHeader: { alg: "PBES2-HS256+A128KW", enc: "A256GCM", p2c: 1_000 },
      }),
    ],
    [
      "encrypted with another cipher",
      "play_encryption",
      () => ({ encryptionHeader: { alg: "A256KW", enc: "A256CBC-HS512" } }),
    ],
    [
      "changed in transit",
      "play-integrity: ERR_JWE_DECRYPTION_FAILED",
      () => ({ outer: (jwe) => swapped(jwe, 4, "A".repeat(22)) }),
    ],
    [
      "signed and not encrypted",
      "play_encryption",
      () => ({ outer: () => `${encoded({ alg: "ES256" })}.e30.AAAA` }),
    ],
    [
      "that says it is compressed",
      "play_encryption",
      () => ({ outer: (jwe) => swapped(jwe, 0, encoded({ alg: "A256KW", enc: "A256GCM", zip: "DEF" })) }),
    ],
    ["that is no token", "play_encryption", () => ({ outer: () => "hello" })],
  ])("%s: %s", async (_, reason, changes) => {
    await expectRefused(service, await logIn(await changes()), reason);
  });

  it("for another nonce, or for another app key", async () => {
    const { jkt } = await newAppInstance();
    const about = (change: { nonce?: string; jkt?: string }) =>
      platformLogin(service, async ({ nonce, app }) => {
        const challenge = await challengeFor(change.nonce ?? nonce, change.jkt ?? app.jkt);
        return playEvidence(play, { challenge }, service.now());
      });
    await expectRefused(service, await about({ nonce: "another" }), "play_binding");
    await expectRefused(service, await about({ jkt }), "play_binding");
  });

  it.each([
    ["that is missing", { token: undefined }],
    ["that is no text", { token: { a: 1 } }],
    ["with company", { token: "a.b.c.d.e", verdict: "PLAY_RECOGNIZED" }],
  ])("%s", async (_, json) => {
    const answer = await platformLogin(service, () => ({ fmt: "play-integrity", ...json }));
    await expectRefused(service, answer, "play_shape");
  });
});

describe("the client's policy", () => {
  it("is asked for more than its defaults, and for less", () => {
    const deviceVerdicts = ["MEETS_DEVICE_INTEGRITY", "MEETS_STRONG_INTEGRITY"];
    const sixMinutesAgo = { request: { timestampMillis: `${service.now() - 360_000}` } };
    return under({ licensingVerdicts: ["LICENSED"], maxAgeSeconds: 600 }, async () => {
      expect((await logIn(sixMinutesAgo)).status).toBe(200);
      const unlicensed = await logIn({ account: { appLicensingVerdict: "UNLICENSED" } });
      await expectRefused(service, unlicensed, "play_licensing_verdict");
      await under({ deviceVerdicts }, async () => {
        await expectRefused(service, await logIn(), "play_device_verdict");
      });
    });
  });

  it("refuses every login with a key sealed for another client, or with an invalid verification key", async () => {
    const { decryptionKeySealed } = await playPolicy(service, play, "client-partner");
    await under({ decryptionKeySealed }, async () => {
      await expectRefused(service, await logIn(), "play_keys");
    });
    await under({ verificationKey: "AAAA" }, async () => {
      await expectRefused(service, await logIn(), "play_keys");
    });
  });

  it("must be there", async () => {
    await changeRow(service.db, clients, PASSENGER, { attestationPolicy: {} });
    await expectRefused(service, await logIn(), "policy_missing");
    await demand();
  });
});
