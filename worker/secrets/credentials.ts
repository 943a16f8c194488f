import { scrypt } from "node:crypto";
import { type Bytes, copyBytes, equalBytes, toBase64, toBase64Url, utf8 } from "../../core/encoding/bytes.ts";

/**
 * How credentials are stored (rules §3): B2B shared secrets as HMAC, passwords and staff PINs as scrypt PHC strings.
 * `pepper` is the 32 bytes of the var PEPPER.
 */

/** The `clients.b2bSecretHash` of a shared secret: base64url of an HMAC under `pepper`. */
export async function b2bSecretHash(pepper: Bytes, secret: string): Promise<string> {
  return toBase64Url(await hmac(pepper, `b2b-secret\0${secret}`));
}

/**
 * Pseudonym of a staff account, by which its sessions are found:
 * `HMAC(PEPPER, ["sub", client, "b2b", username])`.
 */
export async function staffSubject(pepper: Bytes, clientId: string, username: string): Promise<string> {
  return toBase64Url(await hmac(pepper, JSON.stringify(["sub", clientId, "b2b", username])));
}

/** A staff id as it is stored and compared, independent of case and spaces. */
export const staffIdOf = (typed: string): string =>
  typed.normalize("NFKC").replaceAll(/\s/g, "").toUpperCase();

/** Parameters of scrypt (RFC 7914): N is 2^`ln`, block size `r`, parallelization `p`. */
export interface Cost {
  readonly ln: number;
  readonly r: number;
  readonly p: number;
}

/** 60 ms and 16 MiB in workerd: the budget of a login. */
const COST: Cost = { ln: 14, r: 8, p: 1 };
const KEY_LENGTH = 32;

/** The `b2bAccounts.passwordHash` of a password: a scrypt PHC string; `salt` is 16 random bytes. Only tests set `cost`. */
export async function hashPassword(
  pepper: Bytes,
  password: string,
  salt: Bytes,
  cost: Cost = COST,
): Promise<string> {
  const key = await stretch(pepper, password, salt, cost);
  return `$scrypt$ln=${cost.ln},r=${cost.r},p=${cost.p}$${unpadded(salt)}$${unpadded(key)}`;
}

/** A hash without a password: verified for unknown users, so that they cost the same time. */
export const DUMMY_PASSWORD_HASH = `$scrypt$ln=${COST.ln},r=${COST.r},p=${COST.p}$${"A".repeat(22)}$${"A".repeat(43)}`;

const PHC = /^\$scrypt\$ln=(\d{1,2}),r=(\d{1,2}),p=(\d{1,2})\$([A-Za-z0-9+/]{22})\$([A-Za-z0-9+/]{43})$/;

/** Whether `phc` is the hash of `password`. Throws TypeError where `phc` is not a string of {@link hashPassword}. */
export async function verifyPassword(pepper: Bytes, password: string, phc: string): Promise<boolean> {
  const [, ln, r, p, salt, key] = PHC.exec(phc) ?? [];
  if (salt === undefined || key === undefined) throw new TypeError("not a scrypt PHC string");
  const cost = { ln: Number(ln), r: Number(r), p: Number(p) };
  return equalBytes(await stretch(pepper, password, padded(salt), cost), padded(key));
}

const unpadded = (bytes: Bytes) => toBase64(bytes).replaceAll("=", "");
const padded = (text: string): Bytes => Uint8Array.from(atob(text), (character) => character.charCodeAt(0));

async function stretch(pepper: Bytes, password: string, salt: Bytes, cost: Cost): Promise<Bytes> {
  const peppered = await hmac(pepper, `password\0${password.normalize("NFC")}`);
  return new Promise((resolve, reject) => {
    scrypt(peppered, salt, KEY_LENGTH, { N: 2 ** cost.ln, r: cost.r, p: cost.p }, (error, key) =>
      error ? reject(error) : resolve(copyBytes(key)),
    );
  });
}

async function hmac(key: Bytes, text: string): Promise<Bytes> {
  const imported = await crypto.subtle.importKey("raw", key, { name: "HMAC", hash: "SHA-256" }, false, [
    "sign",
  ]);
  return new Uint8Array(await crypto.subtle.sign("HMAC", imported, utf8(text)));
}
