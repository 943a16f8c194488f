import { CompactEncrypt, CompactSign } from "jose";
import { type Bytes, copyBytes, toBase64, toBase64Url, utf8 } from "../../core/encoding/bytes.ts";
import { seal } from "../secrets/sealed.ts";
import type { AttestationPolicyInput } from "../sessions/attestation/policy.ts";
import type { EvidenceInput } from "./platform-login.ts";
import type { TestService } from "./service.ts";

/** Google Play's side of Play Integrity in software: verdicts, signed and encrypted as Google's servers do. */

export interface PlayConsole {
  /** Google's signing key. */
  readonly signing: CryptoKey;
  /** base64 SubjectPublicKeyInfo. */
  readonly verificationKey: string;
  /** The key tokens are encrypted to, 32 bytes. */
  readonly decryptionKey: Bytes;
}

export async function newPlayConsole(): Promise<PlayConsole> {
  const algorithm = { name: "ECDSA", namedCurve: "P-256" };
  const keys = (await crypto.subtle.generateKey(algorithm, true, ["sign", "verify"])) as CryptoKeyPair;
  const spki = (await crypto.subtle.exportKey("spki", keys.publicKey)) as ArrayBuffer;
  return {
    signing: keys.privateKey,
    verificationKey: toBase64(copyBytes(spki)),
    decryptionKey: crypto.getRandomValues(new Uint8Array(32)),
  };
}

export const PACKAGE = "example.airline.tags";
export const CERTIFICATE = toBase64Url(new Uint8Array(32).fill(7));

type PlayPolicy = NonNullable<AttestationPolicyInput["play-integrity"]>;

/** A policy for {@link PACKAGE} under the console's keys, sealed for `clientId`. */
export async function playPolicy(
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
export interface TokenChanges {
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
export async function playEvidence(
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
