import { appendFileSync, readFileSync, writeFileSync } from "node:fs";
import { parseEnv } from "node:util";
import { type Bytes, toBase64, toBase64Url } from "../../core/encoding/bytes.ts";
import { jwkThumbprintText } from "../../core/pki/certificate.ts";
import { createIntermediate, createRoot, type Issuer } from "../../core/pki/issue.ts";
import { VALIDITY } from "../../core/pki/profiles.ts";
import { FEDERATED_ISSUER } from "../../db/demo/values.ts";

/**
 * Keys and secrets: those that an operator's commands make for a deployment, and fresh values of everything that the Worker
 * reads from its environment, for `.dev.vars` and for tests.
 */

/** `length` random bytes; a test may give its own source. */
export type Random = (length: number) => Bytes;

export const systemRandom: Random = (length) => crypto.getRandomValues(new Uint8Array(length));

/** A private P-256 JWK with the members by which it is chosen. */
export interface PrivateJwk {
  readonly kid: string;
  readonly alg: "ES256";
  readonly kty: "EC";
  readonly crv: "P-256";
  readonly x: string;
  readonly y: string;
  readonly d: string;
}

export function generateKeys(): Promise<CryptoKeyPair> {
  const algorithm = { name: "ECDSA", namedCurve: "P-256" };
  return crypto.subtle.generateKey(algorithm, true, ["sign", "verify"]) as Promise<CryptoKeyPair>;
}

/** The start of a thumbprint, without a dash before it: operators give a kid as an option's value. */
export const keyId = (thumbprint: string): string => thumbprint.replace(/^-+/, "").slice(0, 8);

/** `key` as JWK; its kid is the start of its thumbprint unless one is given. */
export async function privateJwk(key: CryptoKey, kid?: string): Promise<PrivateJwk> {
  const { x, y, d } = await crypto.subtle.exportKey("jwk", key);
  if (x === undefined || y === undefined || d === undefined) throw new TypeError("not a private EC key");
  const members = { kty: "EC", crv: "P-256", x, y } as const;
  return { kid: kid ?? keyId(await jwkThumbprintText(members)), alg: "ES256", ...members, d };
}

/** A private JWKS of `count` fresh signing keys, as text. */
export async function signingKeySet(count = 1): Promise<string> {
  const pairs = await Promise.all(Array.from({ length: count }, generateKeys));
  return JSON.stringify({ keys: await Promise.all(pairs.map(({ privateKey }) => privateJwk(privateKey))) });
}

/** 32 random bytes as base64url. */
export function secret(random: Random): string {
  return toBase64Url(random(32));
}

/** An operator root and the intermediate below it. The root's private key is forgotten on return. */
export async function clientAuthority(
  random: Random,
  now: Date,
): Promise<{ root: Bytes; intermediate: Issuer }> {
  const keys = await generateKeys();
  const issuing = await generateKeys();
  const root = await createRoot({
    commonName: "Taglatch Dev Root",
    serial: random(16),
    notBefore: new Date(now.getTime() - VALIDITY.backdate),
    notAfter: new Date(now.getTime() + VALIDITY.root),
    keys,
  });
  const certificate = await createIntermediate({
    issuer: { certificate: root, privateKey: keys.privateKey },
    commonName: "Taglatch Dev CA",
    serial: random(16),
    notBefore: new Date(now.getTime() - VALIDITY.backdate),
    notAfter: new Date(now.getTime() + VALIDITY.intermediate),
    publicKey: issuing.publicKey,
  });
  return { root, intermediate: { certificate, privateKey: issuing.privateKey } };
}

/** Names and single-line values, as they stand in `.dev.vars`. A type, so that it is a record of bindings too. */
export type DevelopmentSecrets = {
  readonly ENVIRONMENT: "development";
  /** Private JWKS (JSON text), ES256, each key with a kid. */
  readonly ACCESS_TOKEN_KEYS: string;
  readonly TRANSACTION_TOKEN_KEYS: string;
  readonly AUDIT_SEAL_KEYS: string;
  /** Base64 of the DER. */
  readonly CA_ROOT_CERT: string;
  readonly CA_INTERMEDIATE_CERT: string;
  /** Private JWK (JSON text). */
  readonly CA_INTERMEDIATE_KEY: string;
  /** Base64url, 32 bytes each. */
  readonly REFRESH_KEY: string;
  /** Dated keys (`importDatedKeys` of worker/config/keys.ts). */
  readonly CTI_KEYS: string;
  readonly DATA_KEY: string;
  readonly PEPPER: string;
  readonly DEFAULT_CLIENT_ID: string;
  readonly PAGE_CLIENT_KEY: string;
  readonly KIOSK_CLIENT_KEY: string;
  readonly HANDOVER_ORIGINS: string;
};

/** Fresh secrets. `random(length)` gives the bytes that are not keys of WebCrypto; certificates begin at `now`. */
export async function developmentSecrets(
  random: Random = systemRandom,
  now: Date = new Date(),
): Promise<DevelopmentSecrets> {
  const { root, intermediate } = await clientAuthority(random, now);
  return {
    ENVIRONMENT: "development",
    // One that signs and the one after it, as a deployment between two changes has them.
    ACCESS_TOKEN_KEYS: await signingKeySet(2),
    TRANSACTION_TOKEN_KEYS: await signingKeySet(),
    AUDIT_SEAL_KEYS: await signingKeySet(),
    CA_ROOT_CERT: toBase64(root),
    CA_INTERMEDIATE_CERT: toBase64(intermediate.certificate),
    CA_INTERMEDIATE_KEY: JSON.stringify(await privateJwk(intermediate.privateKey)),
    REFRESH_KEY: secret(random),
    CTI_KEYS: `0.${secret(random)}`,
    DATA_KEY: secret(random),
    PEPPER: secret(random),
    DEFAULT_CLIENT_ID: "client-passenger",
    PAGE_CLIENT_KEY: "demo-passenger-key",
    KIOSK_CLIENT_KEY: "demo-kiosk-key",
    HANDOVER_ORIGINS: FEDERATED_ISSUER.issuer,
  };
}

/** The text of `.dev.vars`: single quotes keep JSON as it is. */
export function devVars(secrets: DevelopmentSecrets): string {
  return [
    "# Made by scripts/serve/keys.ts for this machine. Delete it to get new ones.",
    ...linesOf(secrets),
    "",
  ].join("\n");
}

const linesOf = (secrets: Readonly<Record<string, string>>) =>
  Object.entries(secrets).map(([name, value]) => `${name}='${value}'`);

/**
 * Writes `path` (readable by its owner only), or adds what a later version needs and it has not; says which. What is in it
 * stays, so that sessions, sealed names and certificates survive a restart.
 */
export async function writeDevVars(path: string): Promise<"written" | "completed" | "kept"> {
  const secrets = await developmentSecrets();
  try {
    writeFileSync(path, devVars(secrets), { mode: 0o600, flag: "wx" });
    return "written";
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
  }
  const present = parseEnv(readFileSync(path, "utf8"));
  const missing = Object.entries(secrets).filter(([name]) => !(name in present));
  if (missing.length === 0) return "kept";
  appendFileSync(path, `${linesOf(Object.fromEntries(missing)).join("\n")}\n`);
  return "completed";
}
