import { type Bytes, equalBytes, fromBase64, fromBase64Url, utf8 } from "../encoding/bytes.ts";
import { SHA_256 } from "./primitives.ts";
import {
  certificateHash,
  decodeStatement,
  type TagStatement,
  verifyStatementSignature,
} from "./statement.ts";

/** What JSON can hold. */
export type Json = null | boolean | number | string | readonly Json[] | { readonly [name: string]: Json };

/**
 * The one text of a JSON value (RFC 8785): no spaces, names of an object in the order of their UTF-16 code units, numbers
 * and strings as ECMAScript writes them. For digests over values that have been read and written in between.
 */
export function canonicalJson(value: Json): string {
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(",")}]`;
  if (value === null || typeof value !== "object") return JSON.stringify(value);
  const members = Object.entries(value as { readonly [name: string]: Json }).sort(([a], [b]) =>
    a < b ? -1 : 1,
  );
  return `{${members.map(([name, member]) => `${JSON.stringify(name)}:${canonicalJson(member)}`).join(",")}}`;
}

/**
 * A report that a tag has signed (protocol.md, Signed reports): any JSON object, and beside it the tag's statement over
 * a challenge that is the report's own digest.
 */

/** A report as a file holds it. */
export interface Report {
  readonly [name: string]: Json;
}

/** The tag's statement beside its report. */
export interface ReportWord {
  /** DER, base64. */
  readonly certificate: string;
  /** COSE_Sign1, base64url. */
  readonly statement: string;
}

/** Why a word does not vouch for a report. */
export type WordFault = "malformed" | "other_certificate" | "bad_signature" | "other_report" | "other_tag";

/** Of the conformance desk's reports. */
export const REPORT_FORMAT = "taglatch-conformance/2";
const CHALLENGE = 16;

/** The text of a report's file, and the only one: a reader refuses any other, where a name could come twice. */
export const reportText = (report: Report): string => `${JSON.stringify(report, undefined, 2)}\n`;

/** The 16 bytes that the tag is asked to sign: the first of SHA-256 over the canonical JSON of all but `word`. */
export async function reportChallenge({ word: _word, ...report }: Report): Promise<Bytes> {
  return (await SHA_256.digest(utf8(canonicalJson(report)))).slice(0, CHALLENGE);
}

/** The certificate (DER) that a word is under. Throws EncodingError. */
export const certificateOf = ({ certificate }: ReportWord): Bytes => fromBase64(certificate);

/**
 * Looks for a fault in the word beside `report`; `tag` is what a verified certificate says of itself. Undefined where there is
 * none: then this tag was asked about this very report, and signed it.
 */
export async function faultOfWord(
  report: Report,
  word: ReportWord,
  tag: { readonly publicKey: CryptoKey; readonly deviceId: string },
): Promise<WordFault | undefined> {
  try {
    const decoded = decodeStatement(fromBase64Url(word.statement));
    const hash = await certificateHash(certificateOf(word));
    if (!equalBytes(decoded.certificateHash, hash)) return "other_certificate";
    if (!(await verifyStatementSignature(decoded, tag.publicKey))) return "bad_signature";
    if (decoded.statement.deviceId !== tag.deviceId) return "other_tag";
    return (await isOver(decoded.statement, report)) ? undefined : "other_report";
  } catch {
    return "malformed";
  }
}

async function isOver({ challenge }: TagStatement, report: Report): Promise<boolean> {
  return challenge !== undefined && equalBytes(challenge, await reportChallenge(report));
}
