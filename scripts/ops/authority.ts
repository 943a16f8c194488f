import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Bytes } from "../../core/encoding/bytes.ts";
import { createIntermediate, createRoot } from "../../core/pki/issue.ts";
import { fromPem, toPem } from "../../core/pki/pem.ts";
import { VALIDITY } from "../../core/pki/profiles.ts";
import { generateKeys, type PrivateJwk, privateJwk, systemRandom } from "../serve/development-keys.ts";
import type { Command, Option } from "./command.ts";
import { writePrivate } from "./secret-file.ts";
import { UsageError } from "./usage-error.ts";

/** `ca root` and `ca intermediate`: the operator's certificates (rules §7). Needs no network: do it offline. */

/** File names in the folder of the CA. */
export const FILES = {
  root: { certificate: "root.pem", key: "root.jwk.json" },
  intermediate: { certificate: "intermediate.pem", key: "intermediate.jwk.json" },
} as const;

const DAY = 86_400_000;

const options = {
  dir: { value: "folder", required: true, help: "where keys and certificates are kept" },
  name: { value: "text", required: true, help: "common name of the certificate" },
  days: { value: "number", help: "how long it is valid" },
} as const satisfies Record<string, Option>;

export const createRootCa: Command = {
  name: "ca root",
  summary: "make the operator's root: key and certificate",
  database: "none",
  options,
  async run({ one, number, print }) {
    const keys = await generateKeys();
    const certificate = await createRoot({
      ...requestOf(one("name"), number("days", days(VALIDITY.root))),
      keys,
    });
    await keep(one("dir"), "root", certificate, keys.privateKey);
    print(`${one("dir")}: root. Its key never leaves this place; tags are given ${FILES.root.certificate}.`);
  },
};

export const createIntermediateCa: Command = {
  name: "ca intermediate",
  summary: "issue the intermediate the service signs client certificates with",
  database: "none",
  options,
  async run({ one, number, print }) {
    const folder = one("dir");
    const [root] = fromPem(readFileSync(join(folder, FILES.root.certificate), "utf8"));
    if (root === undefined) throw new UsageError(`no root in ${folder}`);
    const keys = await generateKeys();
    const certificate = await createIntermediate({
      ...requestOf(one("name"), number("days", days(VALIDITY.intermediate))),
      issuer: { certificate: root, privateKey: await rootKey(folder) },
      publicKey: keys.publicKey,
    });
    await keep(folder, "intermediate", certificate, keys.privateKey);
    print(`${folder}: intermediate. Its key goes to the Worker (\`secrets\`).`);
  },
};

const days = (milliseconds: number) => milliseconds / DAY;

function requestOf(commonName: string, validDays: number) {
  const now = Date.now();
  return {
    commonName,
    serial: systemRandom(16),
    notBefore: new Date(now),
    notAfter: new Date(now + validDays * DAY),
  };
}

async function rootKey(folder: string): Promise<CryptoKey> {
  const { kty, crv, x, y, d } = JSON.parse(readFileSync(join(folder, FILES.root.key), "utf8")) as PrivateJwk;
  const algorithm = { name: "ECDSA", namedCurve: "P-256" };
  return crypto.subtle.importKey("jwk", { kty, crv, x, y, d }, algorithm, false, ["sign"]);
}

async function keep(
  folder: string,
  who: keyof typeof FILES,
  certificate: Bytes,
  key: CryptoKey,
): Promise<void> {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const files = FILES[who];
  writePrivate(join(folder, files.key), `${JSON.stringify(await privateJwk(key))}\n`, { isNew: true });
  writeFileSync(join(folder, files.certificate), toPem(certificate));
}
