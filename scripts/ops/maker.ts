import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type Bytes, toBase64 } from "../../core/encoding/bytes.ts";
import { createTagCa } from "../../core/pki/issue.ts";
import { toPem } from "../../core/pki/pem.ts";
import { VALIDITY } from "../../core/pki/profiles.ts";
import { BATCH_HEADERS, issueBatch } from "../../kit/certificates/batch.ts";
import {
  deviceIdFault,
  fromBase64Text,
  issuerIn,
  issueTagCertificate,
  newTagKeys,
  publicKeyOf,
  requestedKey,
  TAG_CA,
} from "../../kit/certificates/tag-certificate.ts";
import { type Option, UsageError, WordsError } from "../../kit/command-line.ts";
import { type Commands, DAYS, FILE, FOLDER } from "./command.ts";
import { readCsv, writePrivate } from "./files.ts";
import { keep, requestIn } from "./keys.ts";

/**
 * `maker …`: what a maker of tags does (docs/protocol.md, Credentials): a tag CA of its own, and a certificate for the key
 * of each tag. Needs no network and no database. How it is done is in kit/certificates.
 */

const dir = { value: "folder", required: true, help: "where the tag CA is kept" } as const satisfies Option;

export const makerCommands = {
  "maker ca": {
    summary: "make the CA of a maker of tags: key and certificate",
    options: {
      dir,
      name: { value: "text", required: true, help: "common name of the certificate" },
      days: { ...DAYS, help: "how long it is valid" },
    },
    async run(input) {
      const { one, print } = input;
      const keys = await newTagKeys();
      const certificate = await createTagCa({ ...requestIn(input, VALIDITY.root), keys });
      await keep(one("dir"), TAG_CA, certificate, keys.privateKey);
      print(
        `${one("dir")}: tag CA. Its key never leaves this place; services pin ${TAG_CA.certificate} (TAG_ROOTS).`,
      );
    },
  },
  "maker tag": {
    summary: "issue the certificate of one tag, for its own key or for one made here",
    options: {
      dir: { ...dir, ...FOLDER },
      id: { value: "device id", fault: deviceIdFault, required: true, help: "as the tag will show it" },
      out: {
        value: "folder",
        required: true,
        help: "where the certificate goes, and a key that is made here",
      },
      csr: { ...FILE, help: "the tag's request (PKCS#10, PEM)" },
      key: { ...FILE, help: "the tag's public key (SubjectPublicKeyInfo, PEM)" },
    },
    async run({ one, maybe, print }) {
      const [id, out] = [one("id"), one("out")];
      const { publicKey, privateKey } = await keysOf(id, maybe("csr"), maybe("key"));
      const leaf = await issueTagCertificate(await issuerIn(one("dir"), TAG_CA), id, publicKey);
      const name = join(out, encodeURIComponent(id));
      mkdirSync(out, { recursive: true, mode: 0o700 });
      if (privateKey !== undefined) {
        const pkcs8 = new Uint8Array(await crypto.subtle.exportKey("pkcs8", privateKey));
        writePrivate(`${name}.key.pem`, pem("PRIVATE KEY", pkcs8), { isNew: true });
      }
      writeFileSync(`${name}.pem`, toPem(leaf));
      print(`${name}.pem: certificate of ${id}${privateKey ? `; ${name}.key.pem: its key` : ""}`);
    },
  },
  "maker batch": {
    summary: "issue the certificates of many tags, as a list for `devices import`",
    options: {
      dir: { ...dir, ...FOLDER },
      file: {
        ...FILE,
        required: true,
        help: "CSV with a header: id, and csr or publicKey (DER, base64)",
      },
      out: { value: "file", required: true, help: "CSV: id,certificate" },
    },
    async run({ one, print }) {
      const issuer = await issuerIn(one("dir"), TAG_CA);
      const issued = await issueBatch(issuer, readCsv(one("file"), BATCH_HEADERS));
      const lines = issued.map(({ id, certificate }) => `${id},${toBase64(certificate)}\n`);
      writePrivate(one("out"), `id,certificate\n${lines.join("")}`, { isNew: true });
      print(`${one("out")}: certificates of ${issued.length} tags`);
    },
  },
} satisfies Commands;

/** The key of tag `id` from its request or its file; without either, new ones. */
async function keysOf(
  id: string,
  csr: string | undefined,
  key: string | undefined,
): Promise<{ readonly publicKey: CryptoKey; readonly privateKey?: CryptoKey }> {
  if (csr !== undefined && key !== undefined) throw new WordsError("--csr and --key: one of them");
  if (csr !== undefined)
    return { publicKey: await requestedKey(pemBody(csr, "(?:NEW )?CERTIFICATE REQUEST"), id) };
  return key === undefined ? newTagKeys() : { publicKey: await publicKeyOf(pemBody(key, "PUBLIC KEY")) };
}

function pemBody(path: string, label: string): Bytes {
  const block = new RegExp(`-----BEGIN ${label}-----([A-Za-z0-9+/=\\s]+)-----END`);
  const [, body] = block.exec(readFileSync(path, "utf8")) ?? [];
  if (body === undefined) throw new UsageError(`${path} does not hold what is asked for (PEM)`);
  return fromBase64Text(body.replaceAll(/\s/g, ""));
}

const pem = (label: string, der: Bytes): string =>
  `-----BEGIN ${label}-----\n${toBase64(der).replaceAll(/.{64}/g, "$&\n").trimEnd()}\n-----END ${label}-----\n`;
