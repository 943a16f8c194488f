import { fromBase64, fromBase64Url, toBase64Url } from "../../core/encoding/bytes.ts";
import { signStatement, type TagStatement } from "../../core/sec/statement.ts";
import { decodeToken } from "../../core/sec/token.ts";
import tags from "../../db/demo/tags.json" with { type: "json" };
import { importSignKey } from "../config/keys.ts";
import type { TestSession } from "./logins.ts";

/** A v2.1 tag of the development data that signs statements, as its firmware would. */

/** The fields of a statement besides the tag's id; by default those of a tag that was never written. */
export type StatementFields = Partial<Omit<TagStatement, "deviceId" | "challenge">> & {
  /** Of endpoint 10, base64url. */
  readonly challenge?: string | undefined;
};

/** The statement of tag `id`, base64url; `by` another tag's key for a forgery. */
export async function signTagStatement(
  id: string,
  { challenge, ...claims }: StatementFields = {},
  by = id,
): Promise<string> {
  const { privateJwk, certificateChain } = tagOf(by);
  const hash = await crypto.subtle.digest("SHA-256", fromBase64(certificateChain?.[0] ?? ""));
  const statement: TagStatement = {
    ...{ deviceId: id, cti: null, mark: null, operation: null, commits: 0 },
    ...claims,
    ...(challenge !== undefined && { challenge: fromBase64Url(challenge) }),
  };
  const key = {
    certificateHash: new Uint8Array(hash).slice(0, 8),
    privateKey: await importSignKey(privateJwk as { x: string; y: string; d: string }),
  };
  return toBase64Url(await signStatement(statement, key));
}

/** The statement after the tag has taken `token` for a write, or a clear. */
export async function signCommit(
  id: string,
  token: string,
  commits: number,
  more: StatementFields = {},
): Promise<string> {
  const { cti } = decodeToken(fromBase64Url(token)).claims;
  return signTagStatement(id, { cti, mark: new Uint8Array(32), operation: "write", commits, ...more });
}

/** A token for the tag. */
export async function tokenFor(session: TestSession, id: string): Promise<string> {
  const answer = await session.call("ebtAuthorization", { uniqueDeviceId: id, nonce: "n" });
  if (answer.status !== 200) throw new Error(`no token: ${answer.text}`);
  return answer.body.transactionToken;
}

/** The `cti` of a token as endpoints 9 and 12 take it, base64url. */
export const ctiOf = (token: string): string => toBase64Url(decodeToken(fromBase64Url(token)).claims.cti);

function tagOf(id: string) {
  const tag = tags.find((one) => one.id === id);
  if (tag?.privateJwk === undefined || tag.privateJwk === null) throw new Error(`${id} does not sign`);
  return tag;
}

/** The certificate (base64 DER) of a v2.1 tag of the development data. */
export function tagCertificateOf(id: string): string {
  const certificate = tags.find((tag) => tag.id === id)?.certificateChain?.[0];
  if (certificate === undefined) throw new Error(`${id} has no certificate`);
  return certificate;
}
