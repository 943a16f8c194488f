import { and, desc, eq, inArray, isNull } from "drizzle-orm";
import { errors, importJWK, jwtVerify } from "jose";
import type {
  DeviceClientCertificateRequest,
  DeviceClientCertificateResponse,
} from "../../core/api/index.ts";
import { type Bytes, concat, toBase64, toBase64Url, toHex } from "../../core/encoding/bytes.ts";
import { p256Thumbprint, publicKeyThumbprint } from "../../core/pki/certificate.ts";
import { issueClientLeaf } from "../../core/pki/issue.ts";
import { certificates, type PublicKeyJwk, sessions } from "../../db/schema.ts";
import { refused } from "../auth/dpop.ts";
import { publicKeyOf, sameKey } from "../auth/public-key.ts";
import { importVerifyKey } from "../config/keys.ts";
import type { BearerContext } from "../context.ts";
import { inBatch } from "../database/batch.ts";
import { ApiError } from "../errors.ts";
import { sha256Text } from "../secrets/sealed.ts";

/**
 * The certificate that a client presents to tags (endpoint 7, rules §7), for the key that the session proved
 * or proves now. A session that proved none gets one for a discarded key: it can be presented, but
 * never passes a handshake. Throws `invalid_dpop_proof`.
 */
export async function issueClientCertificate(
  ctx: BearerContext,
  request: DeviceClientCertificateRequest,
  accessToken: string,
): Promise<DeviceClientCertificateResponse> {
  const { principal, settings, now } = ctx;
  const key = await certifiedKey(ctx, request, accessToken);
  const publicKey = key === null ? await discardedKey() : await importVerifyKey(key);
  const serial = newSerial(ctx.random);
  const { ca, limits } = settings;
  const leaf = await issueClientLeaf({
    issuer: { certificate: ca.intermediate, privateKey: ca.privateKey },
    commonName: principal.sub,
    publicKey,
    serial,
    now: new Date(now),
    validity: {
      backdate: limits.certificateBackdateSeconds * 1_000,
      lifetime: limits.certificateSeconds * 1_000,
    },
  });
  const row = {
    serial: toHex(serial),
    sessionId: principal.sessionId,
    // Nothing reads whose it was; the session's row has it while there is one.
    sub: "",
    clientId: "",
    spkiHash: toBase64Url(await publicKeyThumbprint(publicKey)),
    issuedAt: now,
    expiresAt: now + limits.certificateSeconds * 1_000,
  };
  await inBatch(ctx.db, { row: ctx.db.insert(certificates).values(row), older: dropOldest(ctx) });
  return { certificateChain: toBase64(concat(ca.intermediate, leaf)) };
}

/**
 * Deletes the session's oldest certificates beyond its cap, so that no caller fills the table. Revoking its key
 * still finds a newer row.
 */
function dropOldest({ db, principal, settings }: BearerContext) {
  const { serial, sessionId, issuedAt } = certificates;
  const isOwn = eq(sessionId, principal.sessionId);
  const older = db
    .select({ serial })
    .from(certificates)
    .where(isOwn)
    .orderBy(desc(issuedAt))
    .limit(settings.limits.sweepRowsPerStatement)
    .offset(settings.limits.liveCertificatesPerSession);
  return db.delete(certificates).where(and(isOwn, inArray(serial, older)));
}

async function discardedKey(): Promise<CryptoKey> {
  const pair = await crypto.subtle.generateKey({ name: "ECDSA", namedCurve: "P-256" }, false, ["sign"]);
  return (pair as CryptoKeyPair).publicKey;
}

/**
 * A key that a session brings after its login (endpoint 7, rules §3), for hosts that cannot send a DPoP proof
 * with it. A session brings one key, once; the same one may be sent again.
 */

/** The key that endpoint 7 certifies, or null. Throws `invalid_dpop_proof`; at most one D1 call. */
async function certifiedKey(
  ctx: BearerContext,
  { jwk, proof }: DeviceClientCertificateRequest,
  accessToken: string,
): Promise<PublicKeyJwk | null> {
  const bound = ctx.principal.key;
  if (jwk === undefined || proof === undefined) return bound;
  const key = await provenKey(ctx, jwk, proof, accessToken);
  const stored = bound ?? (await bind(ctx, key));
  if (!sameKey(stored, key)) throw refused("another key is bound");
  return stored;
}

/** The key in `jwk`, if `proof` proves possession of its private half, now, for this access token. */
async function provenKey(
  ctx: BearerContext,
  jwk: object,
  proof: string,
  accessToken: string,
): Promise<PublicKeyJwk> {
  try {
    const key = publicKeyOf(jwk);
    const { payload } = await jwtVerify(proof, await importJWK({ ...key }, "ES256"), {
      algorithms: ["ES256"],
      requiredClaims: ["jti", "iat"],
      currentDate: new Date(ctx.now),
    });
    if (payload.ath !== (await sha256Text(accessToken))) throw refused("ath");
    const age = Math.abs(ctx.now / 1_000 - Number(payload.iat));
    if (!(age <= ctx.settings.limits.dpopProofSeconds)) throw refused("iat");
    return key;
  } catch (cause) {
    if (cause instanceof ApiError) throw cause;
    throw refused(cause instanceof errors.JOSEError ? cause.code : "malformed");
  }
}

/** Binds `key` unless another request was faster; returns the key that the session then has. */
async function bind({ db, principal }: BearerContext, key: PublicKeyJwk): Promise<PublicKeyJwk> {
  const own = eq(sessions.id, principal.sessionId);
  const {
    stored: [row],
  } = await inBatch(db, {
    bound: db
      .update(sessions)
      .set({ keyJwk: key, keySpkiHash: toBase64Url(await p256Thumbprint(key)) })
      .where(and(own, isNull(sessions.keyJwk))),
    stored: db.select({ key: sessions.keyJwk }).from(sessions).where(own),
  });
  if (row?.key === undefined || row.key === null) throw new TypeError("a session without a row");
  return row.key;
}

/**
 * A random 128-bit serial number, positive and of full length, as the certificate and the database show it.
 */
function newSerial(random: (length: number) => Bytes): Bytes {
  const serial = random(16);
  serial[0] = ((serial[0] ?? 0) & 0x7f) | 0x40;
  return serial;
}
