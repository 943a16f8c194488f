import * as v from "valibot";
import type { PlayIntegrityPolicy } from "./policy.ts";
import { attestationRefused, orRefuse } from "./refusal.ts";

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
