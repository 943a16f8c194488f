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

/** `length` random bytes. */
export const systemRandom = (length: number): Bytes => crypto.getRandomValues(new Uint8Array(length));

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

/** `key` as JWK; its kid is the start of its thumbprint. */
export async function privateJwk(key: CryptoKey): Promise<PrivateJwk> {
  const { x, y, d } = await crypto.subtle.exportKey("jwk", key);
  if (x === undefined || y === undefined || d === undefined) throw new TypeError("not a private EC key");
  const members = { kty: "EC", crv: "P-256", x, y } as const;
  return { kid: keyId(await jwkThumbprintText(members)), alg: "ES256", ...members, d };
}

/** A private JWKS of `count` fresh signing keys, as text. */
export async function signingKeySet(count = 1): Promise<string> {
  const pairs = await Promise.all(Array.from({ length: count }, generateKeys));
  return JSON.stringify({ keys: await Promise.all(pairs.map(({ privateKey }) => privateJwk(privateKey))) });
}

/** 32 random bytes as base64url. */
export const secret = (): string => toBase64Url(systemRandom(32));

/** What every certificate states that we issue, valid from now on for so many milliseconds. */
export const subjectAndValidity = (commonName: string, valid: number) => ({
  commonName,
  serial: systemRandom(16),
  notBefore: new Date(Date.now() - VALIDITY.backdate),
  notAfter: new Date(Date.now() + valid),
});

/** An operator root and the intermediate below it. The root's private key is forgotten on return. */
export async function clientAuthority(): Promise<{ root: Bytes; intermediate: Issuer }> {
  const [keys, issuing] = [await generateKeys(), await generateKeys()];
  const root = await createRoot({ ...subjectAndValidity("Taglatch Dev Root", VALIDITY.root), keys });
  const certificate = await createIntermediate({
    ...subjectAndValidity("Taglatch Dev CA", VALIDITY.intermediate),
    issuer: { certificate: root, privateKey: keys.privateKey },
    publicKey: issuing.publicKey,
  });
  return { root, intermediate: { certificate, privateKey: issuing.privateKey } };
}

/** What each deployment has of its own beside its certificates. */
export const freshSecrets = async () => ({
  ACCESS_TOKEN_KEYS: await signingKeySet(),
  TRANSACTION_TOKEN_KEYS: await signingKeySet(),
  AUDIT_SEAL_KEYS: await signingKeySet(),
  REFRESH_KEY: secret(),
  // In use since ever: there is none before it (`importDatedKeys` of worker/config/keys.ts).
  CTI_KEYS: `0.${secret()}`,
  DATA_KEY: secret(),
  PEPPER: secret(),
});

export type DevelopmentSecrets = Awaited<ReturnType<typeof developmentSecrets>>;

/** Names and single-line values, as they stand in `.dev.vars`. */
export async function developmentSecrets() {
  const { root, intermediate } = await clientAuthority();
  return {
    ENVIRONMENT: "development" as const,
    ...(await freshSecrets()),
    // One that signs and the one after it, as a deployment between two changes has them.
    ACCESS_TOKEN_KEYS: await signingKeySet(2),
    CA_ROOT_CERT: toBase64(root),
    CA_INTERMEDIATE_CERT: toBase64(intermediate.certificate),
    CA_INTERMEDIATE_KEY: JSON.stringify(await privateJwk(intermediate.privateKey)),
    DEFAULT_CLIENT_ID: "client-passenger",
    PAGE_CLIENT_KEY: "demo-passenger-key",
    KIOSK_CLIENT_KEY: "demo-kiosk-key",
    HANDOVER_ORIGINS: FEDERATED_ISSUER.issuer,
  };
}

/** The text of `.dev.vars`: single quotes keep JSON as it is. */
export const devVars = (secrets: DevelopmentSecrets): string =>
  `# Made by scripts/serve/keys.ts for this machine. Delete it to get new ones.\n${linesOf(Object.entries(secrets))}`;

const linesOf = (secrets: readonly (readonly [string, string])[]) =>
  secrets.map(([name, value]) => `${name}='${value}'\n`).join("");

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
  appendFileSync(path, linesOf(missing));
  return "completed";
}
