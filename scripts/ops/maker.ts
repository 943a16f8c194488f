import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type Bytes, fromBase64, toBase64, toHex, utf8 } from "../../core/encoding/bytes.ts";
import { createTagCa, type Issuer, issueTagLeaf } from "../../core/pki/issue.ts";
import { toPem } from "../../core/pki/pem.ts";
import { VALIDITY } from "../../core/pki/profiles.ts";
import { foldDeviceId } from "../../core/pki/tag-roots.ts";
import {
  CertificateRequestError,
  readCertificateRequest,
} from "../../kit/certificates/certificate-request.ts";
import { type Option, UsageError, WordsError } from "../command-line.ts";
import { generateKeys, systemRandom } from "../serve/development-keys.ts";
import { days, FILES, issuerIn, keep, requestOf } from "./authority.ts";
import type { Command } from "./command.ts";
import { readCsv } from "./csv.ts";
import { DAYS, FILE, FOLDER } from "./options.ts";
import { writePrivate } from "./secret-file.ts";

/**
 * `maker …`: what a maker of tags does (protocol.md, Credentials): a tag CA of its own, and a certificate for the key of
 * each tag. Needs no network and no database.
 */

const P256 = { name: "ECDSA", namedCurve: "P-256" } as const;

const dir = { value: "folder", required: true, help: "where the tag CA is kept" } as const satisfies Option;

export const makeTagCa: Command = {
  name: "maker ca",
  summary: "make the CA of a maker of tags: key and certificate",
  database: "none",
  options: {
    dir,
    name: { value: "text", required: true, help: "common name of the certificate" },
    days: { ...DAYS, help: "how long it is valid" },
  },
  async run({ one, number, print }) {
    const keys = await generateKeys();
    const certificate = await createTagCa({
      ...requestOf(one("name"), number("days", days(VALIDITY.root))),
      keys,
    });
    await keep(one("dir"), "tagCa", certificate, keys.privateKey);
    const pinned = FILES.tagCa.certificate;
    print(`${one("dir")}: tag CA. Its key never leaves this place; services pin ${pinned} (TAG_ROOTS).`);
  },
};

export const makeTag: Command = {
  name: "maker tag",
  summary: "issue the certificate of one tag, for its own key or for one made here",
  database: "none",
  options: {
    dir: { ...dir, ...FOLDER },
    id: { value: "device id", fault: faultOfId, required: true, help: "as the tag will show it" },
    out: { value: "folder", required: true, help: "where the certificate goes, and a key that is made here" },
    csr: { ...FILE, help: "the tag's request (PKCS#10, PEM)" },
    key: { ...FILE, help: "the tag's public key (SubjectPublicKeyInfo, PEM)" },
  },
  async run({ one, maybe, print }) {
    const [id, out, csr, key] = [one("id"), one("out"), maybe("csr"), maybe("key")];
    if (csr !== undefined && key !== undefined) throw new WordsError("--csr and --key: one of them");
    const issuer = await issuerIn(one("dir"), "tagCa");
    const name = join(out, encodeURIComponent(id));
    mkdirSync(out, { recursive: true, mode: 0o700 });
    const made = csr === undefined && key === undefined ? await generateKeys() : undefined;
    const publicKey =
      made?.publicKey ??
      (csr === undefined
        ? await publicKeyOf(pemBody(key as string, "PUBLIC KEY"))
        : await requestedKey(pemBody(csr, "(?:NEW )?CERTIFICATE REQUEST"), id));
    const leaf = await leafOf(issuer, id, publicKey);
    if (made) {
      const pkcs8 = new Uint8Array(await crypto.subtle.exportKey("pkcs8", made.privateKey));
      writePrivate(`${name}.key.pem`, pem("PRIVATE KEY", pkcs8), { isNew: true });
    }
    writeFileSync(`${name}.pem`, toPem(leaf));
    print(`${name}.pem: certificate of ${id}${made ? `; ${name}.key.pem: its key` : ""}`);
  },
};

export const makeBatch: Command = {
  name: "maker batch",
  summary: "issue the certificates of many tags, as a list for `devices import`",
  database: "none",
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
    const issuer = await issuerIn(one("dir"), "tagCa");
    const tags: Tag[] = [];
    for (const { line, row } of readCsv(readFileSync(one("file"), "utf8"), HEADER)) {
      tags.push(await orAt(`line ${line}`, () => tagIn(row)));
    }
    requireDistinct(tags);
    const lines = await Promise.all(
      tags.map(async ({ id, publicKey }) => `${id},${toBase64(await leafOf(issuer, id, publicKey))}\n`),
    );
    writePrivate(one("out"), `id,certificate\n${lines.join("")}`, { isNew: true });
    print(`${one("out")}: certificates of ${tags.length} tags`);
  },
};

const HEADER = [
  ["id", "csr"],
  ["id", "publicKey"],
  ["id", "csr", "publicKey"],
];

interface Tag {
  readonly id: string;
  readonly publicKey: CryptoKey;
  /** Of the SubjectPublicKeyInfo, hex. */
  readonly spki: string;
}

async function tagIn(row: Readonly<Record<string, string>>): Promise<Tag> {
  const { csr, publicKey: given } = row;
  const id = deviceId(row.id ?? "");
  if (!csr === !given) throw new UsageError("csr or publicKey: one of them");
  const publicKey = csr ? await requestedKey(base64(csr), id) : await publicKeyOf(base64(given ?? ""));
  return { id, publicKey, spki: toHex(new Uint8Array(await crypto.subtle.exportKey("spki", publicKey))) };
}

/** Two tags of one id are one to everybody else; two of one key could be taken for each other. */
function requireDistinct(tags: readonly Tag[]): void {
  for (const [what, of] of [
    ["id", ({ id }: Tag) => foldDeviceId(id)],
    ["key", ({ spki }: Tag) => spki],
  ] as const) {
    const twice = [...Map.groupBy(tags, of).values()].find(({ length }) => length > 1);
    if (twice) throw new UsageError(`${twice.map(({ id }) => id).join(", ")}: the same ${what}`);
  }
}

/** A device id that ID can carry (protocol.md, Service and characteristics) and that a list can hold. */
function faultOfId(text: string): string | undefined {
  const { length } = utf8(text);
  const isRight = text.trim() === text && !/[",\p{Cc}]/u.test(text) && length >= 1 && length <= 64;
  return isRight ? undefined : "has 1 to 64 bytes, without quotes, commas or spaces around it";
}

function deviceId(text: string): string {
  const fault = faultOfId(text);
  if (fault !== undefined) throw new UsageError(`a device id ${fault}`);
  return text;
}

const leafOf = (issuer: Issuer, id: string, publicKey: CryptoKey): Promise<Bytes> =>
  issueTagLeaf({
    issuer,
    deviceId: id,
    publicKey,
    serial: systemRandom(16),
    notBefore: new Date(Date.now() - VALIDITY.backdate),
  });

async function requestedKey(der: Bytes, id: string): Promise<CryptoKey> {
  try {
    const { publicKey, serialNumber } = await readCertificateRequest(der);
    if (serialNumber === undefined || serialNumber === id) return publicKey;
    throw new UsageError(`the request is of ${JSON.stringify(serialNumber)}, not of ${JSON.stringify(id)}`);
  } catch (error) {
    if (error instanceof CertificateRequestError) throw new UsageError(error.message);
    throw error;
  }
}

async function publicKeyOf(spki: Bytes): Promise<CryptoKey> {
  try {
    return await crypto.subtle.importKey("spki", spki, P256, true, ["verify"]);
  } catch {
    throw new UsageError("not a public key on P-256 (SubjectPublicKeyInfo)");
  }
}

function pemBody(path: string, label: string): Bytes {
  const block = new RegExp(`-----BEGIN ${label}-----([A-Za-z0-9+/=\\s]+)-----END`);
  const [, body] = block.exec(readFileSync(path, "utf8")) ?? [];
  if (body === undefined) throw new UsageError(`${path} does not hold what is asked for (PEM)`);
  return base64(body.replaceAll(/\s/g, ""));
}

function base64(text: string): Bytes {
  try {
    return fromBase64(text);
  } catch {
    throw new UsageError("not base64");
  }
}

const pem = (label: string, der: Bytes): string =>
  `-----BEGIN ${label}-----\n${toBase64(der).replaceAll(/.{64}/g, "$&\n").trimEnd()}\n-----END ${label}-----\n`;

/** Says where in a list the fault is. */
async function orAt<T>(place: string, read: () => Promise<T>): Promise<T> {
  try {
    return await read();
  } catch (error) {
    if (error instanceof UsageError) throw new UsageError(`${place}: ${error.message}`);
    throw error;
  }
}
