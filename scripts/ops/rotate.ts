import { UsageError, WordsError } from "../../kit/command-line.ts";
import { type PrivateJwk, signingKeySet } from "../serve/development-keys.ts";
import type { Command } from "./command.ts";
import { FILE, oneOf } from "./options.ts";
import { readSecrets, secretNamed, writePrivate } from "./secret-file.ts";

const RINGS = ["ACCESS_TOKEN_KEYS", "TRANSACTION_TOKEN_KEYS", "AUDIT_SEAL_KEYS"];

interface Ring {
  readonly keys: readonly PrivateJwk[];
}

/** `keys rotate`: a new key in a ring of signing keys; the first of a ring signs, all of them verify. */
export const rotateKeys: Command = {
  name: "keys rotate",
  summary: "put a new key into a ring of signing keys, or drop an old one",
  database: "none",
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
    const text = JSON.stringify({ ...secrets, [name]: JSON.stringify({ keys: changed }) }, null, 2);
    writePrivate(one("file"), `${text}\n`, { isNew: false });
    print(`${name}: ${changed.map(({ kid }, index) => (index === 0 ? `${kid} (signs)` : kid)).join(", ")}`);
  },
};

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
