import { KeyObject } from "node:crypto";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type Bytes, toBase64 } from "../../core/encoding/bytes.ts";
import { type CaRequest, createIntermediate, createRoot, createTagCa } from "../../core/pki/issue.ts";
import { fromPem, toPem } from "../../core/pki/pem.ts";
import { VALIDITY } from "../../core/pki/profiles.ts";
import { BATCH_HEADERS, issueBatch } from "../../kit/certificates/batch.ts";
import {
  type CaFiles,
  deviceIdFault,
  fromBase64Text,
  issuerIn,
  issueTagCertificate,
  newTagKeys,
  publicKeyOf,
  requestedKey,
  TAG_CA,
} from "../../kit/certificates/tag-certificate.ts";
import { UsageError, WordsError } from "../../kit/command-line.ts";
import {
  freshSecrets,
  generateKeys,
  type PrivateJwk,
  privateJwk,
  signingKeySet,
  subjectAndValidity,
} from "../serve/keys.ts";
import { type Commands, command, DAYS, FILE, FOLDER, oneOf } from "./command.ts";
import { type DeploymentSecrets, readCsv, readSecrets, secretNamed, writePrivate } from "./files.ts";

/** `ca root` and `ca intermediate`: the operator's certificates (rules §7). Needs no network: do it offline. */

/** File names in the folder of the CA. */
const FILES = {
  root: { certificate: "root.pem", key: "root.jwk.json" },
  intermediate: { certificate: "intermediate.pem", key: "intermediate.jwk.json" },
} as const;

const DAY = 86_400_000;

/** Makes key and certificate (DER) of a CA, `valid` milliseconds; refuses where there is a key already. */
const authority = (
  summary: string,
  files: CaFiles,
  valid: number,
  certify: (request: CaRequest & { readonly keys: CryptoKeyPair }, folder: string) => Promise<Bytes>,
  made: string,
) =>
  command({
    summary,
    database: "none",
    options: {
      dir: { value: "folder", required: true, help: "where key and certificate are kept" },
      name: { value: "text", required: true, help: "common name of the certificate" },
      days: { ...DAYS, help: `how long it is valid (default: ${Math.round(valid / DAY / 365)} years)` },
    },
    async run({ dir, name, days = valid / DAY }, { print }) {
      const keys = await generateKeys();
      const certificate = await certify({ ...subjectAndValidity(name, days * DAY), keys }, dir);
      mkdirSync(dir, { recursive: true, mode: 0o700 });
      const key = JSON.stringify(await privateJwk(keys.privateKey));
      writePrivate(join(dir, files.key), `${key}\n`, { isNew: true });
      writeFileSync(join(dir, files.certificate), toPem(certificate));
      print(`${dir}: ${made}`);
    },
  });

/** What the Worker needs of the CA in `folder`. */
function certificatesIn(folder: string) {
  const certificate = (file: string) => {
    const [der] = fromPem(readFileSync(join(folder, file), "utf8"));
    if (der === undefined) throw new TypeError(`${file} holds no certificate`);
    return toBase64(der);
  };
  return {
    CA_ROOT_CERT: certificate(FILES.root.certificate),
    CA_INTERMEDIATE_CERT: certificate(FILES.intermediate.certificate),
    CA_INTERMEDIATE_KEY: readFileSync(join(folder, FILES.intermediate.key), "utf8").trim(),
  };
}

const writeSecrets = (path: string, secrets: DeploymentSecrets, { isNew }: { readonly isNew: boolean }) =>
  writePrivate(path, `${JSON.stringify(secrets, null, 2)}\n`, { isNew });

const changeSecrets = (path: string, changes: DeploymentSecrets) =>
  writeSecrets(path, { ...readSecrets(path), ...changes }, { isNew: false });

const SECRETS = { ...FILE, required: true, help: "the file `secrets` wrote" } as const;

interface Ring {
  readonly keys: readonly PrivateJwk[];
}

export const keyCommands = {
  "ca root": authority(
    "make the operator's root: key and certificate",
    FILES.root,
    VALIDITY.root,
    createRoot,
    `root. Its key never leaves this place; tags are given ${FILES.root.certificate}.`,
  ),
  "ca intermediate": authority(
    "issue the intermediate the service signs client certificates with",
    FILES.intermediate,
    VALIDITY.intermediate,
    async ({ keys: { publicKey }, ...request }, folder) =>
      createIntermediate({ ...request, publicKey, issuer: await issuerIn(folder, FILES.root) }),
    "intermediate. Its key goes to the Worker (`secrets`, later `keys intermediate`).",
  ),
  secrets: command({
    summary: "make the secrets of a new deployment, for `wrangler secret bulk FILE`",
    database: "none",
    options: {
      out: { value: "file", required: true, help: "new file, readable by you only" },
      ca: { ...FOLDER, required: true, help: "where `ca root` and `ca intermediate` wrote" },
    },
    async run({ out, ca }, { print }) {
      const secrets = { ...(await freshSecrets()), ...certificatesIn(ca) };
      writeSecrets(out, secrets, { isNew: true });
      print(`${out}: ${Object.keys(secrets).length} secrets. Keep it where the root's key is kept.`);
    },
  }),
  /** `keys rotate`: a new key in a ring of signing keys; the first of a ring signs, all of them verify. */
  "keys rotate": command({
    summary: "put a new key into a ring of signing keys, or drop an old one",
    database: "none",
    options: {
      file: SECRETS,
      ring: {
        ...oneOf(["ACCESS_TOKEN_KEYS", "TRANSACTION_TOKEN_KEYS", "AUDIT_SEAL_KEYS"]),
        required: true,
        help: "which ring",
      },
      announce: { help: "put it last: it is published and does not sign yet (transaction token keys)" },
      promote: { value: "kid", help: "make an announced key the one that signs; no new key is made" },
      drop: { value: "kid", help: "take a key out; no new key is made" },
    },
    async run({ file, ring, announce, promote, drop }, { print }) {
      if ([announce, promote, drop].filter(Boolean).length > 1)
        throw new WordsError("one of --announce, --promote and --drop");
      const { keys } = JSON.parse(secretNamed(readSecrets(file), ring)) as Ring;
      const changed = await next(keys, { promote, drop }, announce);
      changeSecrets(file, { [ring]: JSON.stringify({ keys: changed }) });
      print(`${ring}: ${changed.map(({ kid }, index) => (index === 0 ? `${kid} (signs)` : kid)).join(", ")}`);
    },
  }),
  "keys intermediate": command({
    summary: "put a new intermediate, and the root it is of, into the file of the secrets",
    database: "none",
    options: {
      file: SECRETS,
      ca: { ...FOLDER, required: true, help: "where `ca intermediate` wrote the new one" },
    },
    async run({ file, ca }, { print }) {
      changeSecrets(file, certificatesIn(ca));
      print(`${file}: has the intermediate of ${ca}. Give it to the Worker.`);
    },
  }),
  /** `keys vapid`: signs for Web Push; without it the service sends none. */
  "keys vapid": command({
    summary: "put a new VAPID_KEY for Web Push into the file of the secrets",
    database: "none",
    options: { file: SECRETS },
    async run({ file }, { print }) {
      const { privateKey } = await generateKeys();
      changeSecrets(file, { VAPID_KEY: JSON.stringify(await privateJwk(privateKey)) });
      print(`${file}: has a new VAPID_KEY. Give it to the Worker; subscribers have to subscribe again.`);
    },
  }),
} satisfies Commands;

/** With the key `promote` first, without the key `drop`, or with a new one, which signs unless it is only announced. */
async function next(
  keys: readonly PrivateJwk[],
  { promote, drop }: Readonly<Record<"promote" | "drop", string | undefined>>,
  isAnnounced: boolean,
): Promise<readonly PrivateJwk[]> {
  const kid = promote ?? drop;
  if (kid === undefined) {
    const { keys: fresh } = JSON.parse(await signingKeySet()) as Ring;
    return isAnnounced ? [...keys, ...fresh] : [...fresh, ...keys];
  }
  const named = keys.filter((key) => key.kid === kid);
  const others = keys.filter((key) => key.kid !== kid);
  if (named.length === 0) throw new UsageError(`no key ${kid} in the ring`);
  if (promote !== undefined) return [...named, ...others];
  if (others.length === 0) throw new UsageError("the last key of a ring cannot be dropped");
  return others;
}

/**
 * `maker …`: what a maker of tags does (docs/protocol.md, Credentials): a tag CA of its own, and a certificate for the key
 * of each tag. Needs no network and no database. How it is done is in kit/certificates.
 */

const CA = { ...FOLDER, required: true, help: "where the tag CA is kept" } as const;

export const makerCommands = {
  "maker ca": authority(
    "make the CA of a maker of tags: key and certificate",
    TAG_CA,
    VALIDITY.root,
    createTagCa,
    `tag CA. Its key never leaves this place; services pin ${TAG_CA.certificate} (TAG_ROOTS).`,
  ),
  "maker tag": command({
    summary: "issue the certificate of one tag, for its own key or for one made here",
    database: "none",
    options: {
      dir: CA,
      id: { value: "device id", fault: deviceIdFault, required: true, help: "as the tag will show it" },
      out: {
        value: "folder",
        required: true,
        help: "where the certificate goes, and a key that is made here",
      },
      csr: { ...FILE, help: "the tag's request (PKCS#10, PEM)" },
      key: { ...FILE, help: "the tag's public key (SubjectPublicKeyInfo, PEM)" },
    },
    async run({ dir, id, out, csr, key }, { print }) {
      const { publicKey, privateKey } = await keysOf(id, csr, key);
      const leaf = await issueTagCertificate(await issuerIn(dir, TAG_CA), id, publicKey);
      const name = join(out, encodeURIComponent(id));
      mkdirSync(out, { recursive: true, mode: 0o700 });
      if (privateKey !== undefined) {
        const pem = KeyObject.from(privateKey).export({ type: "pkcs8", format: "pem" });
        writePrivate(`${name}.key.pem`, String(pem), { isNew: true });
      }
      writeFileSync(`${name}.pem`, toPem(leaf));
      print(`${name}.pem: certificate of ${id}${privateKey ? `; ${name}.key.pem: its key` : ""}`);
    },
  }),
  "maker batch": command({
    summary: "issue the certificates of many tags, as a list for `devices import`",
    database: "none",
    options: {
      dir: CA,
      file: {
        ...FILE,
        required: true,
        help: "CSV with a header: id, and csr or publicKey (DER, base64)",
      },
      out: { value: "file", required: true, help: "CSV: id,certificate" },
    },
    async run({ dir, file, out }, { print }) {
      const issued = await issueBatch(await issuerIn(dir, TAG_CA), readCsv(file, BATCH_HEADERS));
      const lines = issued.map(({ id, certificate }) => `${id},${toBase64(certificate)}\n`);
      writePrivate(out, `id,certificate\n${lines.join("")}`, { isNew: true });
      print(`${out}: certificates of ${issued.length} tags`);
    },
  }),
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
