import { type Bytes, concat, fromBase64Url, utf8 } from "../../../core/encoding/bytes.ts";
import type { CredentialFormat } from "../../../db/schema.ts";
import type { LoginContext } from "../../context.ts";
import type { AttestationPolicy } from "./policy.ts";
import type { Statement } from "./statement.ts";

/** The interface of the verifier of one evidence format. Verifiers read no database. */

/** A key registered by an earlier login, as stored. */
export interface StoredCredential {
  readonly id: string;
  /** base64url; its meaning depends on the format. */
  readonly publicKey: string;
  readonly counter: number;
  readonly sub: string;
}

/** One appraisal of evidence (RFC 9334 §3): the input of the verifier. */
export interface Appraisal {
  readonly ctx: LoginContext;
  readonly statement: Statement;
  readonly policy: AttestationPolicy;
  /** {@link challengeOf} the statement. */
  readonly challenge: Bytes;
  /** The client's stored credential that the evidence names, if there is one. */
  readonly stored: StoredCredential | undefined;
}

/** The result of verified evidence. */
export type Verified =
  /** The key that signed the statement, and nothing that lasts beyond this login. */
  | { readonly kind: "key" }
  /** A credential not seen before, to be stored with the session it opens. */
  | {
      readonly kind: "registered";
      readonly format: CredentialFormat;
      readonly id: string;
      readonly publicKey: string;
      readonly counter: number;
      readonly transports: readonly string[];
    }
  /** A stored credential, used; its counter is raised together with the session that it opens. */
  | {
      readonly kind: "used";
      readonly format: CredentialFormat;
      readonly credential: StoredCredential;
      readonly counter: number;
    };

/** Throws `invalid_attestation`, or an error of jose, if the evidence does not hold. */
export type Verifier = (appraisal: Appraisal) => Promise<Verified>;

/** What platforms sign: SHA-256 of the nonce's UTF-8 and the raw thumbprint of the app's key (rules §3). */
export async function challengeOf({ nonce, jkt }: Pick<Statement, "nonce" | "jkt">): Promise<Bytes> {
  return sha256(concat(utf8(nonce), fromBase64Url(jkt)));
}

export async function sha256(bytes: Bytes): Promise<Bytes> {
  return new Uint8Array(await crypto.subtle.digest("SHA-256", bytes));
}
