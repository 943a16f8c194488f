import { and, desc, eq, inArray } from "drizzle-orm";
import type {
  DeviceClientCertificateRequest,
  DeviceClientCertificateResponse,
} from "../../core/api/index.ts";
import { toBase64, toBase64Url, toHex } from "../../core/encoding/bytes.ts";
import { publicKeyThumbprint } from "../../core/pki/certificate.ts";
import { certificates } from "../../db/schema.ts";
import { certificateChain, issueLeaf, newSerial } from "../config/ca.ts";
import { importVerifyKey } from "../config/keys.ts";
import type { BearerContext } from "../context.ts";
import { inBatch } from "../database/batch.ts";
import { certifiedKey } from "./brought-key.ts";

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
  const leaf = await issueLeaf(settings, { publicKey, serial, now, pseudonym: principal.sub });
  const row = {
    serial: toHex(serial),
    sessionId: principal.sessionId,
    // Nothing reads whose it was; the session's row has it while there is one.
    ...{ sub: "", clientId: "" },
    spkiHash: toBase64Url(await publicKeyThumbprint(publicKey)),
    issuedAt: now,
    expiresAt: now + settings.limits.certificateSeconds * 1_000,
  };
  await inBatch(ctx.db, { row: ctx.db.insert(certificates).values(row), older: dropOldest(ctx) });
  return { certificateChain: toBase64(certificateChain(settings, leaf)) };
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
