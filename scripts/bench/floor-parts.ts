/** The floor's statements, its keys, and one operation for each signature. */
import type { D1Database } from "@cloudflare/workers-types";
import { compactVerify, EmbeddedJWK, importJWK, type JWTHeaderParameters } from "jose";
import { importPepper } from "../../core/bag/surname.ts";
import { type Bytes, fromBase64, fromBase64Url, fromUtf8 } from "../../core/encoding/bytes.ts";
import { readCertificate } from "../../core/pki/certificate.ts";
import { importDataKey } from "../../worker/secrets/sealed.ts";

const ES256 = { name: "ECDSA", namedCurve: "P-256", hash: "SHA-256" };
/** As long as a transaction token's. */
const TO_SIGN = new Uint8Array(220);

/** As the service has them: private JWKS (JSON), twice 32 bytes (base64url), the tag CA (PEM). */
export type Bindings = { readonly DB: D1Database } & Readonly<
  Record<"ACCESS_TOKEN_KEYS" | "TRANSACTION_TOKEN_KEYS" | "PEPPER" | "DATA_KEY" | "TAG_ROOTS", string>
>;
export type Row = Readonly<Record<string, unknown>>;

/** A statement or a part of one, with its values. */
export interface Sql {
  readonly query: string;
  readonly values: readonly unknown[];
}

export function sql(texts: TemplateStringsArray, ...values: readonly unknown[]): Sql {
  const parts = values.map((value) =>
    value instanceof Object && "query" in value ? (value as Sql) : { query: "?", values: [value] },
  );
  const query = texts.map((text, n) => text + (parts[n]?.query ?? "")).join("");
  return { query, values: parts.flatMap((part) => part.values) };
}

export const raw = (query: string): Sql => ({ query, values: [] });

export const joined = (parts: readonly Sql[], between: Sql): Sql =>
  parts.reduce((all, part) => sql`${all}${between}${part}`);

export const runAll = ({ DB }: Bindings, statements: readonly Sql[]) =>
  DB.batch<Row>(statements.map(({ query, values }) => DB.prepare(query).bind(...values)));

export function must(condition: boolean): asserts condition {
  if (!condition) throw new Error("refused");
}

export async function importKeys(env: Bindings) {
  const [{ key_ops: _, ...signingAccess }] = JSON.parse(env.ACCESS_TOKEN_KEYS).keys;
  const { d: __, ...access } = signingAccess;
  const [{ key_ops: ___, ...signing }] = JSON.parse(env.TRANSACTION_TOKEN_KEYS).keys;
  return {
    access: (await importJWK(access, "ES256")) as CryptoKey,
    signingAccess: (await importJWK(signingAccess, "ES256")) as CryptoKey,
    signing: await crypto.subtle.importKey("jwk", signing, ES256, false, ["sign"]),
    tags: await keyIn(fromBase64(env.TAG_ROOTS.replace(/-----.*-----|\n/g, ""))),
    pepper: await importPepper(fromBase64Url(env.PEPPER)),
    data: await importDataKey(fromBase64Url(env.DATA_KEY)),
  };
}
export type Keys = Awaited<ReturnType<typeof importKeys>>;

const keyIn = (certificate: Bytes): Promise<CryptoKey> =>
  crypto.subtle.importKey("spki", readCertificate(certificate).spki, ES256, false, ["verify"]);

/** The claims of a compact JWS, verified under `key` or the one in its header. */
export async function verifyJws(jws: string, key?: CryptoKey) {
  const keyOf = (header: JWTHeaderParameters) => key ?? EmbeddedJWK(header);
  const { payload } = await compactVerify(jws, keyOf as typeof EmbeddedJWK);
  return JSON.parse(fromUtf8(payload));
}

/** One verification of what came from the tag: its statement, or the certificate alone; the outcome counts for nothing. */
export async function verifyTag({ tags }: Keys, { tagCertificate, tagStatement }: Row): Promise<void> {
  if (typeof tagCertificate !== "string") return;
  const certificate = fromBase64(tagCertificate);
  const content = typeof tagStatement === "string" ? fromBase64Url(tagStatement) : certificate;
  const key = content === certificate ? tags : await keyIn(certificate);
  await crypto.subtle.verify(ES256, key, content.slice(-64), content);
}

export const signed = async ({ signing }: Keys) =>
  String.fromCharCode(...TO_SIGN, ...new Uint8Array(await crypto.subtle.sign(ES256, signing, TO_SIGN)));
