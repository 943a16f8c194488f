import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type Bytes, toBase64 } from "../../core/encoding/bytes.ts";
import { createIntermediate, createRoot, createTagCa } from "../../core/pki/issue.ts";
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
import { type Option, UsageError, WordsError } from "../../kit/command-line.ts";
import {
  freshSecrets,
  generateKeys,
  type PrivateJwk,
  privateJwk,
  signingKeySet,
  subjectAndValidity,
} from "../serve/keys.ts";
import { type Commands, DAYS, FILE, FOLDER, type Input, oneOf } from "./command.ts";
import { type DeploymentSecrets, readCsv, readSecrets, secretNamed, writePrivate } from "./files.ts";

/** `ca root` and `ca intermediate`: the operator's certificates (rules §7). Needs no network: do it offline. */

/** File names in the folder of the CA. */
const FILES = {
  root: { certificate: "root.pem", key: "root.jwk.json" },
  intermediate: { certificate: "intermediate.pem", key: "intermediate.jwk.json" },
} as const;

const DAY = 86_400_000;

const options = {
  dir: { value: "folder", required: true, help: "where keys and certificates are kept" },
  name: { value: "text", required: true, help: "common name of the certificate" },
  days: { ...DAYS, help: "how long it is valid (default: 20 years a root, 5 an intermediate)" },
} as const satisfies Record<string, Option>;

/** What a new CA's certificate states, by `--name` and `--days`. */
const requestIn = ({ one, number }: Input, valid: number) =>
  subjectAndValidity(one("name"), number("days", valid / DAY) * DAY);

/** Writes key and certificate of a new CA; refuses where there is a key already. */
async function keep(folder: string, files: CaFiles, certificate: Bytes, key: CryptoKey): Promise<void> {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  writePrivate(join(folder, files.key), `${JSON.stringify(await privateJwk(key))}\n`, { isNew: true });
  writeFileSync(join(folder, files.certificate), toPem(certificate));
}

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

const writeSecrets = (path: string, secrets: DeploymentSecrets, { isNew } = { isNew: false }) =>
  writePrivate(path, `${JSON.stringify(secrets, null, 2)}\n`, { isNew });

const RINGS = ["ACCESS_TOKEN_KEYS", "TRANSACTION_TOKEN_KEYS", "AUDIT_SEAL_KEYS"];

interface Ring {
  readonly keys: readonly PrivateJwk[];
}

export const keyCommands = {
  "ca root": {
    summary: "make the operator's root: key and certificate",
    options,
    async run(input) {
      const { one, print } = input;
      const keys = await generateKeys();
      const certificate = await createRoot({ ...requestIn(input, VALIDITY.root), keys });
      await keep(one("dir"), FILES.root, certificate, keys.privateKey);
      print(
        `${one("dir")}: root. Its key never leaves this place; tags are given ${FILES.root.certificate}.`,
      );
    },
  },
  "ca intermediate": {
    summary: "issue the intermediate the service signs client certificates with",
    options,
    async run(input) {
      const folder = input.one("dir");
      const keys = await generateKeys();
      const certificate = await createIntermediate({
        ...requestIn(input, VALIDITY.intermediate),
        issuer: await issuerIn(folder, FILES.root),
        publicKey: keys.publicKey,
      });
      await keep(folder, FILES.intermediate, certificate, keys.privateKey);
      input.print(
        `${folder}: intermediate. Its key goes to the Worker (\`secrets\`, later \`keys intermediate\`).`,
      );
    },
  },
  secrets: {
    summary: "make the secrets of a new deployment, for `wrangler secret bulk FILE`",
    options: {
      out: { value: "file", required: true, help: "new file, readable by you only" },
      ca: { ...FOLDER, required: true, help: "where `ca root` and `ca intermediate` wrote" },
    },
    async run({ one, print }) {
      const secrets = { ...(await freshSecrets()), ...certificatesIn(one("ca")) };
      writeSecrets(one("out"), secrets, { isNew: true });
      print(`${one("out")}: ${Object.keys(secrets).length} secrets. Keep it where the root's key is kept.`);
    },
  },
  /** `keys rotate`: a new key in a ring of signing keys; the first of a ring signs, all of them verify. */
  "keys rotate": {
    summary: "put a new key into a ring of signing keys, or drop an old one",
    options: {
      file: { ...FILE, required: true, help: "the file `secrets` wrote" },
      ring: { ...oneOf(RINGS), required: true, help: "which ring" },
      announce: { help: "put it last: it is published and does not sign yet (transaction token keys)" },
      promote: { value: "kid", help: "make an announced key the one that signs; no new key is made" },
      drop: { value: "kid", help: "take a key out; no new key is made" },
    },
    async run({ one, maybe, has, print }) {
      const name = one("ring");
      const ways = ["announce", "promote", "drop"].filter((way) => has(way) || maybe(way) !== undefined);
      if (ways.length > 1) throw new WordsError(`one of ${ways.map((way) => `--${way}`).join(" and ")}`);
      const secrets = readSecrets(one("file"));
      const { keys } = JSON.parse(secretNamed(secrets, name)) as Ring;
      const changed = await next(keys, {
        promote: maybe("promote"),
        drop: maybe("drop"),
        isLast: has("announce"),
      });
      writeSecrets(one("file"), { ...secrets, [name]: JSON.stringify({ keys: changed }) });
      print(`${name}: ${changed.map(({ kid }, index) => (index === 0 ? `${kid} (signs)` : kid)).join(", ")}`);
    },
  },
  "keys intermediate": {
    summary: "put a new intermediate, and the root it is of, into the file of the secrets",
    options: {
      file: { ...FILE, required: true, help: "the file `secrets` wrote" },
      ca: { ...FOLDER, required: true, help: "where `ca intermediate` wrote the new one" },
    },
    async run({ one, print }) {
      writeSecrets(one("file"), { ...readSecrets(one("file")), ...certificatesIn(one("ca")) });
      print(`${one("file")}: has the intermediate of ${one("ca")}. Give it to the Worker.`);
    },
  },
  /** `keys vapid`: signs for Web Push; without it the service sends none. */
  "keys vapid": {
    summary: "put a new VAPID_KEY for Web Push into the file of the secrets",
    options: { file: { ...FILE, required: true, help: "the file `secrets` wrote" } },
    async run({ one, print }) {
      const { privateKey } = await generateKeys();
      const VAPID_KEY = JSON.stringify(await privateJwk(privateKey));
      writeSecrets(one("file"), { ...readSecrets(one("file")), VAPID_KEY });
      print(
        `${one("file")}: has a new VAPID_KEY. Give it to the Worker; subscribers have to subscribe again.`,
      );
    },
  },
} satisfies Commands;

interface Change {
  readonly promote: string | undefined;
  readonly drop: string | undefined;
  readonly isLast: boolean;
}

async function next(keys: readonly PrivateJwk[], change: Change): Promise<readonly PrivateJwk[]> {
  const kid = change.promote ?? change.drop;
  if (kid === undefined) {
    const { keys: fresh } = JSON.parse(await signingKeySet()) as Ring;
    return change.isLast ? [...keys, ...fresh] : [...fresh, ...keys];
  }
  const named = keys.filter((key) => key.kid === kid);
  const others = keys.filter((key) => key.kid !== kid);
  if (named.length === 0) throw new UsageError(`no key ${kid} in the ring`);
  if (change.promote !== undefined) return [...named, ...others];
  if (others.length === 0) throw new UsageError("the last key of a ring cannot be dropped");
  return others;
}

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
