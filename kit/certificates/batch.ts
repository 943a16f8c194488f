/** The tags of a list, whose certificates are issued all or none. */
import { type Bytes, toHex } from "../../core/encoding/bytes.ts";
import type { Issuer } from "../../core/pki/issue.ts";
import { foldDeviceId } from "../../core/pki/tag-roots.ts";
import { UsageError } from "../command-line.ts";
import {
  deviceIdFault,
  fromBase64Text,
  issueTagCertificate,
  publicKeyOf,
  requestedKey,
} from "./tag-certificate.ts";

/** The headers that a list may have. */
export const BATCH_HEADERS = [
  ["id", "csr"],
  ["id", "publicKey"],
  ["id", "csr", "publicKey"],
];

/** A row of the list, by its header, and its line in the file. */
interface Row {
  readonly line: number;
  readonly row: Readonly<Record<string, string>>;
}

interface Tag {
  readonly id: string;
  readonly publicKey: CryptoKey;
  /** Of the SubjectPublicKeyInfo, hex. */
  readonly spki: string;
}

/** The certificates (DER) of all tags of a list. Throws UsageError, with the line, where one cannot be issued. */
export async function issueBatch(
  issuer: Issuer,
  rows: readonly Row[],
): Promise<readonly { readonly id: string; readonly certificate: Bytes }[]> {
  const tags: Tag[] = [];
  for (const row of rows) tags.push(await tagAt(row));
  requireDistinct(tags);
  return Promise.all(
    tags.map(async ({ id, publicKey }) => ({
      id,
      certificate: await issueTagCertificate(issuer, id, publicKey),
    })),
  );
}

async function tagAt({ line, row }: Row): Promise<Tag> {
  try {
    return await tagIn(row);
  } catch (error) {
    if (error instanceof UsageError) throw new UsageError(`line ${line}: ${error.message}`);
    throw error;
  }
}

async function tagIn({ id = "", csr, publicKey: given }: Row["row"]): Promise<Tag> {
  const fault = deviceIdFault(id);
  if (fault !== undefined) throw new UsageError(`a device id ${fault}`);
  if (!csr === !given) throw new UsageError("csr or publicKey: one of them");
  const publicKey = csr
    ? await requestedKey(fromBase64Text(csr), id)
    : await publicKeyOf(fromBase64Text(given ?? ""));
  return { id, publicKey, spki: toHex(new Uint8Array(await crypto.subtle.exportKey("spki", publicKey))) };
}

/** Services and pages take two tags of one id for one tag; a tag could impersonate another with its key. */
function requireDistinct(tags: readonly Tag[]): void {
  for (const [what, of] of [
    ["id", ({ id }: Tag) => foldDeviceId(id)],
    ["key", ({ spki }: Tag) => spki],
  ] as const) {
    const twice = [...Map.groupBy(tags, of).values()].find(({ length }) => length > 1);
    if (twice) throw new UsageError(`${twice.map(({ id }) => id).join(", ")}: the same ${what}`);
  }
}
