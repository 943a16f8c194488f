import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Bytes } from "../../core/encoding/bytes.ts";
import { createIntermediate, createRoot } from "../../core/pki/issue.ts";
import { toPem } from "../../core/pki/pem.ts";
import { VALIDITY } from "../../core/pki/profiles.ts";
import { type CaFiles, issuerIn } from "../../kit/certificates/tag-ca.ts";
import type { Option } from "../../kit/command-line.ts";
import { generateKeys, privateJwk, systemRandom } from "../serve/development-keys.ts";
import type { Command } from "./command.ts";
import { DAYS } from "./options.ts";
import { writePrivate } from "./secret-file.ts";

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
  days: { ...DAYS, help: "how long it is valid (default: 20 years a root, 5 an intermediate)" },
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
    await keep(one("dir"), FILES.root, certificate, keys.privateKey);
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
    const keys = await generateKeys();
    const certificate = await createIntermediate({
      ...requestOf(one("name"), number("days", days(VALIDITY.intermediate))),
      issuer: await issuerIn(folder, FILES.root),
      publicKey: keys.publicKey,
    });
    await keep(folder, FILES.intermediate, certificate, keys.privateKey);
    print(`${folder}: intermediate. Its key goes to the Worker (\`secrets\`, later \`keys intermediate\`).`);
  },
};

export const days = (milliseconds: number) => milliseconds / DAY;

export function requestOf(commonName: string, validDays: number) {
  const now = Date.now();
  return {
    commonName,
    serial: systemRandom(16),
    notBefore: new Date(now - VALIDITY.backdate),
    notAfter: new Date(now + validDays * DAY),
  };
}

/** Writes key and certificate of a new CA; refuses where there is a key already. */
export async function keep(
  folder: string,
  files: CaFiles,
  certificate: Bytes,
  key: CryptoKey,
): Promise<void> {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  writePrivate(join(folder, files.key), `${JSON.stringify(await privateJwk(key))}\n`, { isNew: true });
  writeFileSync(join(folder, files.certificate), toPem(certificate));
}
