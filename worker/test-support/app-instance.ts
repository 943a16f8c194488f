import { importJWK, type JWTPayload, SignJWT } from "jose";
import { toBase64Url } from "../../core/encoding/bytes.ts";
import { jwkThumbprintText } from "../../core/pki/certificate.ts";
import attester from "../../db/demo/attester.jwk.json" with { type: "json" };
import hostAirline from "../../db/demo/host-airline.jwk.json" with { type: "json" };
import type { PublicKeyJwk } from "../../db/schema.ts";
import { sha256Text } from "../secrets/sealed.ts";
import { BASE } from "./service.ts";

/** One installation of a client app: a P-256 key, and what it signs with it. Written from the RFCs, not from the worker. */
export interface AppInstance {
  readonly jwk: PublicKeyJwk;
  readonly jkt: string;
  readonly privateKey: CryptoKey;
  /** Compact JWS over `claims`, signed by the key, its public half in the header. */
  sign(typ: string, claims: JWTPayload, header?: Record<string, unknown>): Promise<string>;
}

export async function newAppInstance(): Promise<AppInstance> {
  const pair = (await crypto.subtle.generateKey({ name: "ECDSA", namedCurve: "P-256" }, true, [
    "sign",
    "verify",
  ])) as CryptoKeyPair;
  const { x, y } = (await crypto.subtle.exportKey("jwk", pair.publicKey)) as { x: string; y: string };
  const jwk: PublicKeyJwk = { kty: "EC", crv: "P-256", x, y };
  return {
    jwk,
    jkt: await jwkThumbprintText(jwk),
    privateKey: pair.privateKey,
    sign: (typ, claims, header = {}) =>
      new SignJWT(claims).setProtectedHeader({ alg: "ES256", typ, jwk, ...header }).sign(pair.privateKey),
  };
}

const seconds = (now: number) => Math.floor(now / 1_000);
const newId = () => toBase64Url(crypto.getRandomValues(new Uint8Array(12)));

/** What a statement says; every member may be replaced, by undefined too. */
export interface StatementClaims {
  readonly nonce: string;
  readonly now: number;
  readonly email?: string;
  readonly evidence?: unknown;
  readonly aud?: string;
}

/** An `attestationObject` (rules §3). */
export function attestationObject(app: AppInstance, statement: StatementClaims): Promise<string> {
  const { nonce, now, email, aud = "taglatch", evidence = { fmt: "none" } } = statement;
  const claims = { nonce, aud, iat: seconds(now), evidence, ...(email === undefined ? {} : { email }) };
  return app.sign("ebt-attestation+jwt", claims);
}

/** Evidence of the development attester for `app`. */
export async function demoEvidence(
  app: AppInstance,
  claims: { readonly nonce: string; readonly email: string; readonly jkt?: string },
): Promise<{ readonly fmt: "demo"; readonly token: string }> {
  const key = await importJWK(attester, "ES256");
  const token = await new SignJWT({ jkt: app.jkt, ...claims }).setProtectedHeader({ alg: "ES256" }).sign(key);
  return { fmt: "demo", token };
}

/** What a DPoP proof is for; members of the JWT may be replaced by `claims`. */
export interface ProofInput {
  readonly path: string;
  readonly now: number;
  readonly accessToken?: string;
  readonly claims?: JWTPayload;
  readonly typ?: string;
}

/** A DPoP proof (RFC 9449 §4.2). */
export async function dpopProof(app: AppInstance, input: ProofInput): Promise<string> {
  const { path, now, accessToken, claims = {}, typ = "dpop+jwt" } = input;
  return app.sign(typ, {
    jti: newId(),
    htm: "POST",
    htu: BASE + path,
    iat: seconds(now),
    ...(accessToken === undefined ? {} : { ath: await sha256Text(accessToken) }),
    ...claims,
  });
}

/** A token of the development data's host airline; members may be replaced by `claims`. */
export async function hostToken(now: number, claims: JWTPayload = {}): Promise<string> {
  const iat = seconds(now);
  const payload = {
    iss: "https://host-airline.example",
    aud: "taglatch",
    sub: "traveller-7",
    iat,
    exp: iat + 300,
    ...claims,
  };
  const key = await importJWK(hostAirline, "ES256");
  return new SignJWT(payload).setProtectedHeader({ alg: "ES256", kid: hostAirline.kid }).sign(key);
}
