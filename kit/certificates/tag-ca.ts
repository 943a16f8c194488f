/** The CA of a maker of tags (docs/protocol.md, Credentials), as `npm run ops -- maker ca` keeps it in a folder. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { Bytes } from "../../core/encoding/bytes.ts";
import type { Issuer } from "../../core/pki/issue.ts";
import { fromPem } from "../../core/pki/pem.ts";
import { UsageError } from "../command-line.ts";

export interface CaFiles {
  readonly certificate: string;
  readonly key: string;
}

export const TAG_CA = { certificate: "tag-ca.pem", key: "tag-ca.jwk.json" } as const satisfies CaFiles;

/** The CA of `folder`; throws UsageError where it holds no certificate. */
export async function issuerIn(folder: string, files: CaFiles): Promise<Issuer> {
  const text = (name: string) => readFileSync(join(folder, name), "utf8");
  const [certificate] = fromPem(text(files.certificate));
  if (certificate === undefined) throw new UsageError(`no certificate in ${folder}/${files.certificate}`);
  return issuerOf(certificate, JSON.parse(text(files.key)) as JsonWebKey);
}

/** `certificate` (DER) with its P-256 key, of whose members only these concern WebCrypto. */
export async function issuerOf(
  certificate: Bytes,
  { kty = "", crv = "", x = "", y = "", d = "" }: JsonWebKey,
): Promise<Issuer> {
  const algorithm = { name: "ECDSA", namedCurve: "P-256" };
  const privateKey = await crypto.subtle.importKey("jwk", { kty, crv, x, y, d }, algorithm, false, ["sign"]);
  return { certificate, privateKey };
}
