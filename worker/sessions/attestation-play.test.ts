import { CompactEncrypt, CompactSign } from "jose";
import { beforeAll, describe, expect, it } from "vitest";
import { type Bytes, copyBytes, toBase64, toBase64Url, utf8 } from "../../core/encoding/bytes.ts";
import vector from "../../core/vectors/play-integrity.json" with { type: "json" };
import { clients } from "../../db/schema.ts";
import { seal } from "../secrets/sealed.ts";
import { newAppInstance } from "../test-support/app-instance.ts";
import {
  type EvidenceInput,
  expectRefused,
  type PlatformLogin,
  platformLogin,
} from "../test-support/logins.ts";
import { changeRow, lastSession } from "../test-support/rows.ts";
import { startService, type TestService } from "../test-support/service.ts";
import { checkVerdict, type VerdictCheck } from "./attestation/play-integrity.ts";
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

it("an app on an Android device logs in by Google's verdict, and is the key that asked for it", async () => {
  const app = await newAppInstance();
  expect((await logIn({}, { app })).status).toBe(200);
  const { sub } = await lastSession(service);
  expect(await lastSession(service)).toMatchObject({ evidence: "play-integrity", method: "attestation" });
  expect((await logIn({}, { app, email: "eve@example.org" })).status).toBe(200);
  expect((await lastSession(service)).sub).toBe(sub);
  await logIn();
  expect((await lastSession(service)).sub).not.toBe(sub);
});

const swapped = (jws: string, part: number, replacement: string) =>
  jws.split(".").with(part, replacement).join(".");
const encoded = (value: unknown) => toBase64Url(utf8(JSON.stringify(value)));

describe("a verdict is refused", () => {
  it.each<[string, string, () => TokenChanges | Promise<TokenChanges>]>([
    ["that is not JSON", "play_verdict_malformed", () => ({ text: "fine by us" })],
    [
      "signed with another key",
      "play-integrity: ERR_JWS_SIGNATURE_VERIFICATION_FAILED",
      async () => ({ signing: (await newPlayConsole()).signing }),
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
      "encrypted to another key",
      "play-integrity: ERR_JWE_DECRYPTION_FAILED",
      () => ({ encryption: new Uint8Array(32).fill(9) }),
    ],
    [
      "encrypted with another cipher",
      "play_encryption",
      () => ({ encryptionHeader: { alg: "A256KW", enc: "A256CBC-HS512" } }),
    ],
    [
      "that says it is compressed",
      "play_encryption",
      () => ({ outer: (jwe) => swapped(jwe, 0, encoded({ alg: "A256KW", enc: "A256GCM", zip: "DEF" })) }),
    ],
  ])("%s: %s", async (_, reason, changes) => {
    await expectRefused(service, await logIn(await changes()), reason);
  });

  it("with company", async () => {
    const json = { token: "a.b.c.d.e", verdict: "PLAY_RECOGNIZED" };
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

type Changes = Partial<VerdictCheck["policy"]>;

/** The policy of the app that `verdict` is about, a second after Google's answer. */
function checkOf(verdict: typeof vector.recorded | typeof vector.documented, changes: Changes = {}) {
  const { requestDetails: request, appIntegrity: app } = verdict;
  const check: VerdictCheck = {
    policy: {
      packageName: app.packageName,
      decryptionKeySealed: "",
      verificationKey: "",
      certificateSha256Digests: app.certificateSha256Digest,
      minVersionCode: Number(app.versionCode),
      appVerdicts: [app.appRecognitionVerdict],
      deviceVerdicts: ["MEETS_DEVICE_INTEGRITY"],
      licensingVerdicts: undefined,
      maxAgeSeconds: 300,
      ...changes,
    },
    challenge: "nonce" in request ? request.nonce : request.requestHash,
    now: Number(request.timestampMillis) + 1_000,
  };
  return check;
}

const refusalOf = (reason: string) =>
  expect.objectContaining({ code: "invalid_attestation", detail: expect.objectContaining({ reason }) });

it.each(["recorded", "documented"] as const)("a %s verdict of Google is accepted for its request", (name) => {
  checkVerdict(vector[name], checkOf(vector[name]));
});

const { recorded } = vector;
const { requestDetails, appIntegrity, deviceIntegrity } = recorded;
const ASKED_AT = Number(requestDetails.timestampMillis);
/** The recorded verdict with other members in these parts. */
const request = (members: object) => ({ ...recorded, requestDetails: { ...requestDetails, ...members } });
const app = (members: object) => ({ ...recorded, appIntegrity: { ...appIntegrity, ...members } });
const device = (...deviceRecognitionVerdict: string[]) => ({
  ...recorded,
  deviceIntegrity: { ...deviceIntegrity, deviceRecognitionVerdict },
});

it.each<[string, unknown]>([
  ["whose nonce is padded", request({ nonce: `${requestDetails.nonce}=` })],
  ["of a version that is a number", app({ versionCode: 4 })],
  ["of a newer version, with a member of later days", app({ versionCode: "5", futureVerdict: "X" })],
])("a verdict %s is accepted", (_, verdict) => {
  checkVerdict(verdict, checkOf(recorded));
});

it.each<[string, string, unknown]>([
  ["about no request", "play_binding", request({ nonce: undefined })],
  ["about two requests", "play_binding", request({ requestHash: requestDetails.nonce })],
  ["asked for long ago", "play_stale", request({ timestampMillis: ASKED_AT - 300_000 })],
  ["asked for tomorrow", "play_from_the_future", request({ timestampMillis: ASKED_AT + 62_000 })],
  ["asked for at no time", "play_verdict_malformed", request({ timestampMillis: "soon" })],
  ["asked for by another app", "play_package", request({ requestPackageName: "example.evil" })],
  ["about another app", "play_package", app({ packageName: "example.evil" })],
  ["about an app that was evaluated otherwise", "play_app_verdict", app({ appRecognitionVerdict: "OTHER" })],
  [
    "of another certificate, too",
    "play_certificate",
    app({ certificateSha256Digest: [...appIntegrity.certificateSha256Digest, "B".repeat(43)] }),
  ],
  ["of an app without a certificate", "play_certificate", app({ certificateSha256Digest: [] })],
  ["about an old version", "play_version", app({ versionCode: "3" })],
  ["about no version", "play_version", app({ versionCode: undefined })],
  ["with a version of letters", "play_verdict_malformed", app({ versionCode: "4a" })],
  ["about a device that keeps no promise", "play_device_verdict", device()],
  ["of a tester", "play_testing_response", { ...recorded, testingDetails: { isTestingResponse: true } }],
])("a verdict %s is refused", (_, reason, verdict) => {
  expect(() => checkVerdict(verdict, checkOf(recorded))).toThrow(refusalOf(reason));
});

it.each<[string, Changes]>([
  ["play_app_verdict", { appVerdicts: ["PLAY_RECOGNIZED"] }],
  ["play_licensing_verdict", { licensingVerdicts: ["LICENSED"] }],
])("a real phone's verdict is refused as %s by a policy that wants more", (reason, changes) => {
  expect(() => checkVerdict(recorded, checkOf(recorded, changes))).toThrow(refusalOf(reason));
});
