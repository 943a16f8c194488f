import { copyBytes, fromBase64, toBase64, utf8 } from "../../core/encoding/bytes.ts";
import { webhooks } from "../../db/schema.ts";
import { seal } from "../secrets/sealed.ts";
import type { TestService } from "./service.ts";

/** Listeners as a reader of docs/listen.md writes them. */

export const SECRET = `whsec_${toBase64(utf8("a key of thirty-two bytes, or so"))}`;

/** Whether {@link SECRET} signs what was sent, as Standard Webhooks say, written from there. */
export async function isSigned(headers: Headers, body: string): Promise<boolean> {
  const raw = copyBytes(fromBase64(SECRET.slice("whsec_".length)));
  const key = await crypto.subtle.importKey("raw", raw, { name: "HMAC", hash: "SHA-256" }, false, ["sign"]);
  const signed = utf8(`${headers.get("webhook-id")}.${headers.get("webhook-timestamp")}.${body}`);
  const mac = await crypto.subtle.sign("HMAC", key, signed);
  return headers.get("webhook-signature") === `v1,${toBase64(new Uint8Array(mac))}`;
}

/** A webhook of SK at `https://<id>.example.com/hook`, which has had nothing yet. */
export async function addWebhook(
  { db, settings }: TestService,
  id: string,
  row: Partial<typeof webhooks.$inferInsert> = {},
): Promise<void> {
  const secretSealed = await seal(settings.dataKey, { field: "webhook-secret", id }, SECRET);
  const place = { placeId: 0, placeAt: 0, dueAt: 0, createdAt: 0 };
  const url = `https://${id}.example.com/hook`;
  await db.insert(webhooks).values({ id, url, airlines: ["SK"], secretSealed, ...place, ...row });
}

/** A key for push services (`VAPID_KEY`). */
export async function newPushKey(): Promise<string> {
  const algorithm = { name: "ECDSA", namedCurve: "P-256" };
  const pair = (await crypto.subtle.generateKey(algorithm, true, ["sign"])) as CryptoKeyPair;
  return JSON.stringify(await crypto.subtle.exportKey("jwk", pair.privateKey));
}
