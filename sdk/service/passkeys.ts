/**
 * The platform's passkeys, as far as a login needs them; the only file that names `navigator.credentials`.
 */
import { type Bytes, copyBytes, fromBase64Url, toBase64Url } from "../../core/encoding/bytes.ts";
import { cancelled, orCancelled } from "../abort.ts";
import { type OperationError, PasskeyError } from "../errors.ts";

/** The relying party: the page's own site unless said otherwise. */
export interface RelyingParty {
  /** RP ID; default: the page's host. */
  readonly id?: string;
  /** The name that the person sees; default: Taglatch. */
  readonly name?: string;
}

export interface NewPasskey {
  readonly challenge: Bytes;
  /**
   * Says to the authenticator which of the site's users this is: a second passkey for the same user replaces
   * the first.
   */
  readonly userId: Bytes;
  /** The name that the person sees; it stays on the device. */
  readonly userName: string;
  readonly relyingParty: RelyingParty;
}

export interface KnownPasskey {
  readonly challenge: Bytes;
  /** base64url; absent: the person chooses one. */
  readonly id: string | undefined;
  readonly relyingParty: RelyingParty;
}

/** RegistrationResponseJSON or AuthenticationResponseJSON (WebAuthn Level 3 §5.1), as far as the service reads them. */
export interface PasskeyAnswer {
  /** base64url. */
  readonly id: string;
  readonly rawId: string;
  readonly type: "public-key";
  readonly response: Readonly<Record<string, string | readonly string[]>>;
}

/** Both throw PasskeyError and `cancelled`. */
export interface Passkeys {
  create(passkey: NewPasskey, signal: AbortSignal): Promise<PasskeyAnswer>;
  use(passkey: KnownPasskey, signal: AbortSignal): Promise<PasskeyAnswer>;
}

/** The lifetime of the service's nonce, less a little for the transmission (milliseconds). */
const PATIENCE = 240_000;
/** ES256, EdDSA, RS256: platforms offer them and the service accepts them. */
const ALGORITHMS = [-7, -8, -257];

/** The browser's own passkeys; `credentials` is called each time they are needed. */
export function platformPasskeys(
  credentials: () => CredentialsContainer | undefined = () => globalThis.navigator?.credentials,
): Passkeys {
  return {
    create: ({ challenge, userId, userName, relyingParty: { id, name = "Taglatch" } }, signal) =>
      ask(credentials(), signal, (container) =>
        container.create({
          signal,
          publicKey: {
            challenge,
            rp: { name, ...(id !== undefined && { id }) },
            user: { id: userId, name: userName, displayName: userName },
            pubKeyCredParams: ALGORITHMS.map((alg) => ({ type: "public-key", alg })),
            authenticatorSelection: { residentKey: "preferred", userVerification: "required" },
            attestation: "none",
            timeout: PATIENCE,
          },
        }),
      ),
    use: ({ challenge, id, relyingParty }, signal) =>
      ask(credentials(), signal, (container) =>
        container.get({
          signal,
          publicKey: {
            challenge,
            ...(relyingParty.id !== undefined && { rpId: relyingParty.id }),
            ...(id !== undefined && { allowCredentials: [{ type: "public-key", id: fromBase64Url(id) }] }),
            userVerification: "required",
            timeout: PATIENCE,
          },
        }),
      ),
  };
}

async function ask(
  container: CredentialsContainer | undefined,
  signal: AbortSignal,
  question: (container: CredentialsContainer) => Promise<Credential | null>,
): Promise<PasskeyAnswer> {
  if (container === undefined) throw new PasskeyError("passkeys_unsupported", "no credentials here");
  try {
    return answerOf(await orCancelled(signal, question(container)));
  } catch (cause) {
    throw cause instanceof PasskeyError || signal.aborted ? cause : passkeyError(cause);
  }
}

/** Classifies by the exception's name (WebAuthn Level 3 §5.1.3, §5.1.4). */
function passkeyError(cause: unknown): PasskeyError | OperationError {
  const name = cause instanceof Error ? cause.name : "";
  // The same name covers a closed dialog, a dialog left open too long and a passkey that is not on this
  // device.
  if (name === "NotAllowedError" || name === "AbortError") return cancelled(cause);
  const code =
    name === "NotSupportedError" || name === "TypeError" ? "passkeys_unsupported" : "passkey_refused";
  return new PasskeyError(code, `the passkey was not given: ${name}`, { cause });
}

function answerOf(credential: Credential | null): PasskeyAnswer {
  if (credential === null || !("rawId" in credential) || !("response" in credential))
    throw new PasskeyError("passkey_refused", "not a passkey");
  const { rawId, response } = credential as PublicKeyCredential;
  const id = toBase64Url(copyBytes(rawId));
  return { id, rawId: id, type: "public-key", response: responseOf(response) };
}

function responseOf(response: AuthenticatorResponse): PasskeyAnswer["response"] {
  const text = (bytes: ArrayBuffer) => toBase64Url(copyBytes(bytes));
  const clientDataJSON = text(response.clientDataJSON);
  if ("attestationObject" in response) {
    const { attestationObject, getTransports } = response as AuthenticatorAttestationResponse;
    // Passkeys kept by extensions may not know their transports.
    const transports = getTransports?.call(response) ?? [];
    return { clientDataJSON, attestationObject: text(attestationObject), transports };
  }
  const { authenticatorData, signature } = response as AuthenticatorAssertionResponse;
  return { clientDataJSON, authenticatorData: text(authenticatorData), signature: text(signature) };
}
