import * as v from "valibot";

/**
 * What one client key demands of identified attestations (rules §3), one member per evidence format. A format
 * without a member has its defaults (webauthn) or is refused (the platforms: without an app there is nothing
 * to compare with). Unknown members are refused: a misspelt rule must not become no rule.
 */

const host = v.pipe(v.string(), v.regex(/^(?=.{1,253}$)[a-z0-9]([a-z0-9.-]*[a-z0-9])?$/));
const base64UrlOf32Bytes = v.pipe(v.string(), v.regex(/^[\w-]{43}$/));
const names = <const T extends readonly string[]>(...defaults: T) =>
  v.optional(v.pipe(v.array(v.pipe(v.string(), v.nonEmpty())), v.nonEmpty()), [...defaults]);

const webauthn = v.strictObject({
  /** RP ID; default: the host of the origin the page was on. */
  rpId: v.optional(host),
  /** Whether the authenticator must have verified the user (PIN, finger, face). */
  userVerification: v.optional(v.picklist(["required", "preferred"]), "required"),
});

const appleApp = v.strictObject({
  /** Ten characters, as in the developer account. */
  teamId: v.pipe(v.string(), v.regex(/^[A-Z0-9]{10}$/)),
  bundleId: v.pipe(v.string(), v.regex(/^[A-Za-z0-9.-]{1,155}$/)),
});

const appleAppAttest = v.strictObject({
  apps: v.pipe(v.array(appleApp), v.nonEmpty()),
  /** `development` admits builds that run under a developer's certificate. */
  environments: v.optional(v.pipe(v.array(v.picklist(["production", "development"])), v.nonEmpty()), [
    "production",
  ]),
});

const playIntegrity = v.strictObject({
  packageName: v.pipe(v.string(), v.regex(/^[A-Za-z][\w.]{1,254}$/)),
  /** The Play Console's decryption key (32 bytes, base64), sealed (worker/secrets/sealed.ts, field `play-integrity-key`, id = client). */
  decryptionKeySealed: v.pipe(v.string(), v.regex(/^[\w-]+$/)),
  /** The Play Console's verification key: SubjectPublicKeyInfo of a P-256 key, base64. */
  verificationKey: v.pipe(v.string(), v.base64()),
  /** SHA-256 of the certificates the app may be signed with, base64url. */
  certificateSha256Digests: v.pipe(v.array(base64UrlOf32Bytes), v.nonEmpty()),
  minVersionCode: v.optional(v.pipe(v.number(), v.integer(), v.minValue(0)), 0),
  /** Any of these will do. */
  appVerdicts: names("PLAY_RECOGNIZED"),
  /** All of these must be there. */
  deviceVerdicts: names("MEETS_DEVICE_INTEGRITY"),
  /** Any of these will do; absent: licensing is not looked at. */
  licensingVerdicts: v.optional(v.pipe(v.array(v.string()), v.nonEmpty())),
  /** Oldest acceptable request, seconds. */
  maxAgeSeconds: v.optional(v.pipe(v.number(), v.integer(), v.minValue(1), v.maxValue(3_600)), 300),
});

const attestationPolicy = v.strictObject({
  webauthn: v.optional(webauthn, {}),
  "apple-appattest": v.optional(appleAppAttest),
  "play-integrity": v.optional(playIntegrity),
});

/** As operators write it: defaults may be left out. */
export type AttestationPolicyInput = v.InferInput<typeof attestationPolicy>;
/** As verifiers read it. */
export type AttestationPolicy = v.InferOutput<typeof attestationPolicy>;
export type WebAuthnPolicy = AttestationPolicy["webauthn"];
export type AppleAppAttestPolicy = v.InferOutput<typeof appleAppAttest>;
export type PlayIntegrityPolicy = v.InferOutput<typeof playIntegrity>;

/** Parses the policy in a client's row, and fills in defaults; undefined where it is not valid. */
export function parseAttestationPolicy(stored: unknown): AttestationPolicy | undefined {
  const parsed = v.safeParse(attestationPolicy, stored);
  return parsed.success ? parsed.output : undefined;
}
