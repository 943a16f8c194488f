import { compactDecrypt, compactVerify, decodeProtectedHeader } from "jose";
import * as v from "valibot";
import { type Bytes, fromBase64, fromUtf8, toBase64Url } from "../../../core/encoding/bytes.ts";
import type { LoginContext } from "../../context.ts";
import { open } from "../../secrets/sealed.ts";
import type { Verifier } from "./evidence.ts";
import { checkVerdict } from "./play-integrity-verdict.ts";
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
