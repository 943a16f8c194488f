import { compactDecrypt, compactVerify, decodeProtectedHeader } from "jose";
import * as v from "valibot";
import { type Bytes, fromBase64, fromUtf8, toBase64Url } from "../../../core/encoding/bytes.ts";
import type { LoginContext } from "../../context.ts";
import { open } from "../../secrets/sealed.ts";
import type { Verifier } from "./evidence.ts";
import type { PlayIntegrityPolicy } from "./policy.ts";
import { attestationRefused, orRefuse } from "./refusal.ts";

/**
 * Evidence `play-integrity` (rules §3): a verdict that Google signed (JWS, ES256) and encrypted to the
 * client's operator (JWE, A256KW and A256GCM). The keys of the Play Console open it. The algorithms are
 * fixed; a token that names others is refused before a key is touched.
 */

const evidenceShape = v.strictObject({ fmt: v.string(), token: v.pipe(v.string(), v.maxLength(12_288)) });
const header = v.object({
  alg: v.literal("A256KW"),
  enc: v.literal("A256GCM"),
  zip: v.optional(v.undefined()),
});

export const verifyPlayIntegrity: Verifier = async ({
  ctx,
  statement,
  policy: { "play-integrity": policy },
  challenge,
}) => {
  if (policy === undefined) throw attestationRefused("policy_missing");
  const { token } = orRefuse("play_shape", () => v.parse(evidenceShape, statement.evidence));
  orRefuse("play_encryption", () => v.parse(header, decodeProtectedHeader(token)));
  const keys = await keysOf(ctx, policy);
  const { plaintext } = await compactDecrypt(token, keys.decryption, {
    keyManagementAlgorithms: ["A256KW"],
    contentEncryptionAlgorithms: ["A256GCM"],
  });
  const { payload } = await compactVerify(plaintext, keys.verification, { algorithms: ["ES256"] });
  const verdict = orRefuse("play_verdict_malformed", () => JSON.parse(fromUtf8(payload)) as unknown);
  checkVerdict(verdict, { policy, challenge: toBase64Url(challenge), now: ctx.now });
  return { kind: "key" };
};

interface PlayKeys {
  readonly decryption: Bytes;
  readonly verification: CryptoKey;
}

/** The client's keys; unusable keys of the policy refuse every login. */
async function keysOf({ client, settings }: LoginContext, policy: PlayIntegrityPolicy): Promise<PlayKeys> {
  try {
    const place = { field: "play-integrity-key", id: client.id } as const;
    const decryption = fromBase64(await open(settings.dataKey, place, policy.decryptionKeySealed));
    const algorithm = { name: "ECDSA", namedCurve: "P-256" };
    const spki = fromBase64(policy.verificationKey);
    return {
      decryption,
      verification: await crypto.subtle.importKey("spki", spki, algorithm, false, ["verify"]),
    };
  } catch (cause) {
    throw attestationRefused("play_keys", cause);
  }
}

/** Google Play's verdict on a request, an app and a device (Play Integrity API, "Integrity verdicts"). */

/**
 * 64-bit numbers are text in Google's JSON, and may be numbers. Unknown members are ignored, because verdicts
 * grow.
 */
const count = v.union([
  v.pipe(v.string(), v.regex(/^\d{1,15}$/), v.transform(Number)),
  v.pipe(v.number(), v.safeInteger(), v.minValue(0)),
]);
const names = v.optional(v.array(v.string()), []);

const verdictShape = v.object({
  requestDetails: v.object({
    requestPackageName: v.string(),
    timestampMillis: count,
    nonce: v.optional(v.string()),
    requestHash: v.optional(v.string()),
  }),
  appIntegrity: v.object({
    appRecognitionVerdict: v.string(),
    packageName: v.optional(v.string()),
    certificateSha256Digest: names,
    versionCode: v.optional(count),
  }),
  deviceIntegrity: v.object({ deviceRecognitionVerdict: names }),
  accountDetails: v.optional(v.object({ appLicensingVerdict: v.string() })),
  testingDetails: v.optional(v.object({ isTestingResponse: v.optional(v.boolean()) })),
});

type Verdict = v.InferOutput<typeof verdictShape>;

export interface VerdictCheck {
  readonly policy: PlayIntegrityPolicy;
  /** base64url of the challenge. */
  readonly challenge: string;
  /** Milliseconds since 1970. */
  readonly now: number;
}

/** Google's clock may be this far ahead of ours, milliseconds. */
const AHEAD = 60_000;

/** Checks the payload that Google signed. Throws `invalid_attestation`. */
export function checkVerdict(payload: unknown, { policy, challenge, now }: VerdictCheck): void {
  const verdict = orRefuse("play_verdict_malformed", () => v.parse(verdictShape, payload));
  // The Play Console lets an app's own developers choose a tester's verdict, whatever the device is.
  if (verdict.testingDetails?.isTestingResponse === true) throw attestationRefused("play_testing_response");
  checkRequest(verdict.requestDetails, { policy, challenge, now });
  checkApp(verdict.appIntegrity, policy);
  const device = verdict.deviceIntegrity.deviceRecognitionVerdict;
  if (!policy.deviceVerdicts.every((wanted) => device.includes(wanted)))
    throw attestationRefused("play_device_verdict");
  const licence = verdict.accountDetails?.appLicensingVerdict ?? "";
  if (policy.licensingVerdicts !== undefined && !policy.licensingVerdicts.includes(licence))
    throw attestationRefused("play_licensing_verdict");
}

function checkRequest(request: Verdict["requestDetails"], { policy, challenge, now }: VerdictCheck): void {
  // A classic request carries a nonce, which Android may pad; a standard request the hash. Never both.
  const { nonce, requestHash } = request;
  const bound = nonce === undefined ? requestHash : nonce.replace(/=$/, "");
  if (bound !== challenge || (nonce !== undefined && requestHash !== undefined))
    throw attestationRefused("play_binding");
  if (request.requestPackageName !== policy.packageName) throw attestationRefused("play_package");
  if (now - request.timestampMillis > policy.maxAgeSeconds * 1_000) throw attestationRefused("play_stale");
  if (request.timestampMillis - now > AHEAD) throw attestationRefused("play_from_the_future");
}

function checkApp(app: Verdict["appIntegrity"], policy: PlayIntegrityPolicy): void {
  if (!policy.appVerdicts.includes(app.appRecognitionVerdict)) throw attestationRefused("play_app_verdict");
  if (app.packageName !== policy.packageName) throw attestationRefused("play_package");
  const signedBy = app.certificateSha256Digest;
  if (signedBy.length === 0 || !signedBy.every((digest) => policy.certificateSha256Digests.includes(digest)))
    throw attestationRefused("play_certificate");
  if (app.versionCode === undefined || app.versionCode < policy.minVersionCode)
    throw attestationRefused("play_version");
}
