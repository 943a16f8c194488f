import * as v from "valibot";
import {
  type Bytes,
  concat,
  equalBytes,
  fromBase64Url,
  fromUtf8,
  toBase64Url,
  utf8,
} from "../../../core/encoding/bytes.ts";
import { listsOrigin } from "../../auth/origins.ts";
import {
  type AttestationObject,
  type AuthenticatorData,
  FLAG,
  readAttestationObject,
  readAttestedCredential,
  readAuthenticatorData,
  readExtensions,
  readMembers,
} from "./authenticator-data.ts";
import { importCoseKey, isSignedBy } from "./cose-key.ts";
import { type Appraisal, sha256, type Verified, type Verifier } from "./evidence.ts";
import type { WebAuthnPolicy } from "./policy.ts";
import { attestationRefused, orRefuse } from "./refusal.ts";
import type { Evidence } from "./statement.ts";

/**
 * The browser's account of a WebAuthn ceremony (WebAuthn Level 3 §5.8.1), and where that ceremony may take
 * place.
 */

const clientData = v.object({
  type: v.string(),
  challenge: v.string(),
  origin: v.string(),
  crossOrigin: v.optional(v.boolean(), false),
  topOrigin: v.optional(v.string()),
});

/** Verifies `clientDataJSON` of the ceremony that is required; returns its RP ID. Throws `invalid_attestation`. */
function verifyClientData(
  { ctx, policy, challenge }: Appraisal,
  type: "webauthn.create" | "webauthn.get",
  json: string,
): string {
  const data = orRefuse("webauthn_client_data", () =>
    v.parse(clientData, JSON.parse(fromUtf8(fromBase64Url(json)))),
  );
  if (data.type !== type) throw attestationRefused("webauthn_ceremony");
  if (data.challenge !== toBase64Url(challenge)) throw attestationRefused("webauthn_challenge");
  const host = hostOf(data.origin);
  if (host === undefined || !listsOrigin(ctx.client, data.origin))
    throw attestationRefused("webauthn_origin");
  const { rpId = host } = policy.webauthn;
  if (host !== rpId && !host.endsWith(`.${rpId}`)) throw attestationRefused("webauthn_origin");
  // Pages of others never frame ours.
  if (data.crossOrigin || data.topOrigin !== undefined) throw attestationRefused("webauthn_cross_origin");
  return rpId;
}

/**
 * Host of an origin on which a browser would offer WebAuthn: https on any named host, http only on this
 * machine, and spelt as browsers spell it. So a listed `http://localhost:*` matches any port there,
 * written out or left out, and for nothing else; `http://127.0.0.1:*` for nothing, as an address is no RP ID.
 */
function hostOf(origin: string): string | undefined {
  const url = URL.parse(origin);
  if (url === null || url.origin !== origin) return undefined;
  const isLocal = url.hostname === "localhost" || url.hostname.endsWith(".localhost");
  if (url.protocol !== "https:" && !(url.protocol === "http:" && isLocal)) return undefined;
  return /^[\d.]+$|^\[/.test(url.hostname) ? undefined : url.hostname;
}

/**
 * Evidence `webauthn` (rules §3): a passkey, registered by one login and asserted by later ones (WebAuthn
 * Level 3 §7.1, §7.2). Each rule has a reason of its own.
 */

const base64Url = v.pipe(v.string(), v.maxLength(8_192), v.regex(/^[\w-]+$/));
/** At most 1,023 bytes (§4, "Credential ID"). */
const credentialId = v.pipe(base64Url, v.maxLength(1_364));
const head = { id: credentialId, rawId: credentialId, type: v.literal("public-key") };

/** RegistrationResponseJSON (WebAuthn Level 3 §5.1), only the members we look at. */
const registrationShape = v.object({
  ...head,
  response: v.object({
    clientDataJSON: base64Url,
    attestationObject: base64Url,
    transports: v.optional(v.pipe(v.array(v.pipe(v.string(), v.maxLength(32))), v.maxLength(8)), []),
  }),
});

/**
 * AuthenticationResponseJSON (§5.1). The credential identifies the user, so `userHandle` is not looked at.
 */
const assertionShape = v.object({
  ...head,
  response: v.object({ clientDataJSON: base64Url, authenticatorData: base64Url, signature: base64Url }),
});

/** Exactly one of the two. */
const evidenceShape = v.union([
  v.strictObject({ fmt: v.string(), registration: registrationShape }),
  v.strictObject({ fmt: v.string(), assertion: assertionShape }),
]);

type Registration = v.InferOutput<typeof registrationShape>;
type Assertion = v.InferOutput<typeof assertionShape>;

export const verifyWebAuthn: Verifier = async (appraisal) => {
  const evidence = orRefuse("webauthn_shape", () => v.parse(evidenceShape, appraisal.statement.evidence));
  return "registration" in evidence
    ? register(appraisal, evidence.registration)
    : assert(appraisal, evidence.assertion);
};

export function webAuthnCredentialId(evidence: Evidence): string | undefined {
  const parsed = v.safeParse(evidenceShape, evidence);
  if (!parsed.success) return undefined;
  return "registration" in parsed.output ? parsed.output.registration.id : parsed.output.assertion.id;
}

async function register(appraisal: Appraisal, registration: Registration): Promise<Verified> {
  const { response, id } = registration;
  const rpId = verifyClientData(appraisal, "webauthn.create", response.clientDataJSON);
  const object = orRefuse("webauthn_attestation_object", () =>
    readAttestationObject(fromBase64Url(response.attestationObject)),
  );
  const data = orRefuse("webauthn_authenticator_data", () => readAuthenticatorData(object.authData));
  const credential = orRefuse("webauthn_authenticator_data", () => readAttestedCredential(data));
  const signature = signatureOf(object, credential.algorithm);
  await verifyAuthenticator(data, rpId, appraisal.policy.webauthn);
  if (id !== registration.rawId || id !== toBase64Url(credential.id))
    throw attestationRefused("webauthn_credential_id");
  // Otherwise an attacker who names another person's credential would become that person.
  if (appraisal.stored !== undefined) throw attestationRefused("webauthn_already_registered");
  const isProven =
    signature === undefined
      ? await importCoseKey(credential.publicKey).then(() => true, unverified)
      : await isSignedBy(
          credential.publicKey,
          signature,
          await signedData(object.authData, response.clientDataJSON),
        ).catch(unverified);
  if (!isProven) throw attestationRefused("webauthn_unverified");
  const publicKey = toBase64Url(credential.publicKey);
  const { counter } = data;
  return { kind: "registered", format: "webauthn", id, publicKey, counter, transports: response.transports };
}

async function assert(appraisal: Appraisal, assertion: Assertion): Promise<Verified> {
  const { response, id } = assertion;
  const rpId = verifyClientData(appraisal, "webauthn.get", response.clientDataJSON);
  const { signed, data } = orRefuse("webauthn_authenticator_data", () => assertedData(response));
  await verifyAuthenticator(data, rpId, appraisal.policy.webauthn);
  if (id !== assertion.rawId) throw attestationRefused("webauthn_credential_id");
  const { stored: credential } = appraisal;
  if (credential === undefined) throw attestationRefused("webauthn_unknown_credential");
  const { counter } = data;
  // Authenticators that do not count always send 0; a counter that is in use always rises (§6.1.1).
  if ((counter > 0 || credential.counter > 0) && counter <= credential.counter)
    throw attestationRefused("webauthn_counter");
  const verified = await isSignedBy(
    fromBase64Url(credential.publicKey),
    orRefuse("webauthn_signature", () => fromBase64Url(response.signature)),
    await signedData(signed, response.clientDataJSON),
  ).catch(unverified);
  if (!verified) throw attestationRefused("webauthn_signature");
  return { kind: "used", format: "webauthn", credential, counter };
}

/** Authenticator data of an assertion. Throws CursorError, CborError, TypeError. */
function assertedData({ authenticatorData }: Assertion["response"]): {
  signed: Bytes;
  data: AuthenticatorData;
} {
  const signed = fromBase64Url(authenticatorData);
  const data = readAuthenticatorData(signed);
  // Never a credential: nothing but extensions follows the counter.
  if ((data.flags & FLAG.AT) !== 0) throw new TypeError("a credential");
  readExtensions(data);
  return { signed, data };
}

/** What an authenticator signs (§6.3.3): its data and the hash of the client's. */
const signedData = async (authenticatorData: Bytes, clientDataJson: string): Promise<Bytes> =>
  concat(authenticatorData, await sha256(fromBase64Url(clientDataJson)));

function unverified(cause: unknown): never {
  throw attestationRefused("webauthn_unverified", cause);
}

/**
 * The signature of a statement that the credential's own key has signed with its own algorithm (§8.2); undefined
 * where there is no statement. No authority vouches for authenticators here, so formats that bring certificates are
 * refused unread.
 */
function signatureOf({ fmt, attStmt }: AttestationObject, algorithm: number): Bytes | undefined {
  if (fmt === "none" && equalBytes(attStmt, EMPTY_MAP)) return undefined;
  if (fmt !== "packed") throw attestationRefused("webauthn_statement_format");
  const { alg, sig } = orRefuse("webauthn_statement_format", () =>
    readMembers(attStmt, { alg: (cbor) => cbor.int(), sig: (cbor) => cbor.bstr() }),
  );
  if (alg !== algorithm) throw attestationRefused("webauthn_statement_format");
  return sig;
}

const EMPTY_MAP = Uint8Array.of(0xa0);

async function verifyAuthenticator(
  { rpIdHash, flags }: AuthenticatorData,
  rpId: string,
  { userVerification }: WebAuthnPolicy,
): Promise<void> {
  if (!equalBytes(rpIdHash, await sha256(utf8(rpId)))) throw attestationRefused("webauthn_rp_id");
  if ((flags & FLAG.UP) === 0) throw attestationRefused("webauthn_user_presence");
  if (userVerification === "required" && (flags & FLAG.UV) === 0)
    throw attestationRefused("webauthn_user_verification");
  if ((flags & FLAG.BS) !== 0 && (flags & FLAG.BE) === 0) throw attestationRefused("webauthn_backup_flags");
}
