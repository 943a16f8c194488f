import { readFileSync } from "node:fs";
import { join } from "node:path";
import { toBase64 } from "../../core/encoding/bytes.ts";
import { fromPem } from "../../core/pki/pem.ts";
import { generateKeys, privateJwk, secret, signingKeySet, systemRandom } from "../serve/development-keys.ts";
import { FILES } from "./authority.ts";
import type { Command } from "./command.ts";
import { FILE, FOLDER } from "./options.ts";
import { readSecrets, writePrivate } from "./secret-file.ts";

/** `secrets`: all secrets that a deployment needs, fresh. */
export const makeSecrets: Command = {
  name: "secrets",
  summary: "make the secrets of a new deployment, for `wrangler secret bulk FILE`",
  database: "none",
  options: {
    out: { value: "file", required: true, help: "new file, readable by you only" },
    ca: { ...FOLDER, required: true, help: "where `ca root` and `ca intermediate` wrote" },
  },
  async run({ one, print }) {
    const folder = one("ca");
    const secrets = {
      ACCESS_TOKEN_KEYS: await signingKeySet(),
      TRANSACTION_TOKEN_KEYS: await signingKeySet(),
      AUDIT_SEAL_KEYS: await signingKeySet(),
      ...certificatesIn(folder),
      REFRESH_KEY: secret(systemRandom),
      // In use since ever: there is none before it.
      CTI_KEYS: `0.${secret(systemRandom)}`,
      DATA_KEY: secret(systemRandom),
      PEPPER: secret(systemRandom),
    };
    writePrivate(one("out"), `${JSON.stringify(secrets, null, 2)}\n`, { isNew: true });
    print(`${one("out")}: ${Object.keys(secrets).length} secrets. Keep it where the root's key is kept.`);
  },
};

/** `keys intermediate`: the CA's new certificates and key in the place of those in the file. */
export const replaceIntermediate: Command = {
  name: "keys intermediate",
  summary: "put a new intermediate, and the root it is of, into the file of the secrets",
  database: "none",
  options: {
    file: { ...FILE, required: true, help: "the file `secrets` wrote" },
    ca: { ...FOLDER, required: true, help: "where `ca intermediate` wrote the new one" },
  },
  async run({ one, print }) {
    const secrets = { ...readSecrets(one("file")), ...certificatesIn(one("ca")) };
    writePrivate(one("file"), `${JSON.stringify(secrets, null, 2)}\n`, { isNew: false });
    print(`${one("file")}: has the intermediate of ${one("ca")}. Give it to the Worker.`);
  },
};

/** `keys vapid`: signs for Web Push; without it the service sends none. */
export const makePushKey: Command = {
  name: "keys vapid",
  summary: "put a new VAPID_KEY for Web Push into the file of the secrets",
  database: "none",
  options: { file: { ...FILE, required: true, help: "the file `secrets` wrote" } },
  async run({ one, print }) {
    const { privateKey } = await generateKeys();
    const secrets = { ...readSecrets(one("file")), VAPID_KEY: JSON.stringify(await privateJwk(privateKey)) };
    writePrivate(one("file"), `${JSON.stringify(secrets, null, 2)}\n`, { isNew: false });
    print(`${one("file")}: has a new VAPID_KEY. Give it to the Worker; subscribers have to subscribe again.`);
  },
};

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
