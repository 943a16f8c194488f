import { readFileSync } from "node:fs";
import { asc, eq } from "drizzle-orm";
import { SCOPES } from "../../core/api/endpoints.ts";
import { fromBase64Url } from "../../core/encoding/bytes.ts";
import { parseAttestationPolicy } from "../../db/attestation-policy.ts";
import { b2bSecretHash } from "../../db/credentials.ts";
import { clientKeyHash } from "../../db/lookup-keys.ts";
import {
  type ClientFlags,
  clientOrigins,
  clients,
  type Evidence,
  type LoginMethod,
} from "../../db/schema.ts";
import { importDataKey, seal } from "../../db/sealed.ts";
import { secret, systemRandom } from "../serve/development-keys.ts";
import type { Command, Input } from "./command.ts";
import { secretNamed } from "./secret-file.ts";
import { UsageError } from "./usage-error.ts";

/** `client …`: applications that may call the service, each with a key (rules §3). */

const LOGINS: readonly LoginMethod[] = ["federated", "attestation", "guest", "b2b"];
const EVIDENCE: readonly Evidence[] = ["none", "webauthn", "apple-appattest", "play-integrity"];
const FLAGS: readonly (keyof ClientFlags)[] = [
  "requireDpop",
  "emailTrusted",
  "requireLoadedJourney",
  "requireApprovedContent",
  "requireStaffPin",
];
const STAFF = ["journey:write", "tag:release", "audit:read"];
const PASSENGER = SCOPES.filter((scope) => !STAFF.includes(scope));

const FLAG = {
  value: FLAGS.join("|"),
  list: true,
  help: "stricter rules, but for emailTrusted; docs/operations.md says what each closes",
} as const;
const flagsIn = (input: Input): ClientFlags =>
  Object.fromEntries(listed(input, "flag", FLAGS).map((flag) => [flag, true]));

export const createClient: Command = {
  name: "client create",
  summary: "make a client key (and a B2B secret, for --login b2b); both are shown once",
  database: "write",
  options: {
    id: { value: "id", required: true, help: "yours to choose; stands in tokens and logs" },
    name: { value: "text", required: true, help: "for people" },
    login: { value: LOGINS.join("|"), list: true, required: true, help: "how its sessions may begin" },
    evidence: { value: EVIDENCE.join("|"), list: true, help: "attestations it accepts" },
    "attestation-policy": {
      value: "file",
      help: "JSON as db/attestation-policy.ts has it; `decryptionKey` of Play Integrity in clear, it is sealed here",
    },
    issuer: { value: "url", list: true, help: "hosts it trusts, see `issuer add`" },
    airline: { value: "code", list: true, help: "airlines it works for" },
    scope: { value: "scope", list: true, help: `default: ${PASSENGER.join(" ")}, with b2b all` },
    origin: { value: "origin", list: true, help: "web pages that may call with it" },
    flag: FLAG,
    key: { value: "text", help: "a key of your own, such as a page's public one" },
  },
  async run(input) {
    const { one, many, maybe, db, print } = input;
    const id = one("id");
    const logins = listed(input, "login", LOGINS);
    const key = maybe("key") ?? secret(systemRandom);
    const b2bSecret = logins.includes("b2b") ? secret(systemRandom) : undefined;
    const scopes = listed(input, "scope", SCOPES);
    const row = {
      id,
      keyHash: await clientKeyHash(key),
      name: one("name"),
      loginMethods: logins,
      evidenceKinds: listed(input, "evidence", EVIDENCE),
      attestationPolicy: await policyIn(input, id),
      federatedIssuers: many("issuer"),
      airlines: many("airline"),
      scopes: scopes.length > 0 ? scopes : b2bSecret === undefined ? PASSENGER : SCOPES,
      flags: flagsIn(input),
      b2bSecretHash: b2bSecret === undefined ? null : await b2bSecretHash(pepperOf(input), b2bSecret),
    };
    const origins = many("origin").map((origin) => db.insert(clientOrigins).values({ origin, clientId: id }));
    await db.batch([db.insert(clients).values(row), ...origins]);
    print(`client ${id}`);
    print(`X-Source-App-Key: ${key}`);
    if (b2bSecret !== undefined) print(`X-B2B-Secret: ${b2bSecret}`);
  },
};

export const listClients: Command = {
  name: "client list",
  summary: "show every client",
  database: "read",
  options: {},
  async run({ db, print }) {
    for (const { id, name, enabled, loginMethods, airlines } of await db
      .select()
      .from(clients)
      .orderBy(asc(clients.id))) {
      const state = enabled ? "enabled" : "disabled";
      print([id, state, loginMethods.join(","), airlines.join(","), name].join("\t"));
    }
  },
};

const ID = { id: { value: "id", required: true, help: "the client" } } as const;

export const setFlags: Command = {
  name: "client flags",
  summary: "give a client exactly these flags; without any it has none",
  database: "write",
  options: { ...ID, flag: FLAG },
  async run(input) {
    const { one, db, isPrinted, print } = input;
    const flags = flagsIn(input);
    const changed = await db
      .update(clients)
      .set({ flags })
      .where(eq(clients.id, one("id")))
      .returning({ id: clients.id });
    if (changed.length === 0 && !isPrinted) throw new UsageError(`no client ${one("id")}`);
    print([`client ${one("id")}:`, ...Object.keys(flags)].join(" "));
  },
};

const switching = (word: "enable" | "disable", summary: string): Command => ({
  name: `client ${word}`,
  summary,
  database: "write",
  options: ID,
  async run({ one, db, isPrinted, print }) {
    const changed = await db
      .update(clients)
      .set({ enabled: word === "enable" })
      .where(eq(clients.id, one("id")))
      .returning({ id: clients.id });
    if (changed.length === 0 && !isPrinted) throw new UsageError(`no client ${one("id")}`);
    print(`client ${one("id")}: ${word}d`);
  },
});

export const enableClient = switching("enable", "let a client call again");
export const disableClient = switching("disable", "refuse a client; its sessions end at their next call");

/** PEPPER of the deployment, which hashes of secrets are made with. */
export const pepperOf = (input: Input) => fromBase64Url(secretNamed(input.secrets(), "PEPPER"));

function listed<T extends string>({ many }: Input, option: string, choices: readonly T[]): readonly T[] {
  return many(option).map((value) => {
    const choice = choices.find((candidate) => candidate === value);
    if (choice === undefined) throw new UsageError(`--${option} is one of ${choices.join(", ")}`);
    return choice;
  });
}

type Policy = NonNullable<typeof clients.$inferInsert.attestationPolicy>;

/** The file's policy with its one secret sealed. Throws if the service could not read it. */
async function policyIn(input: Input, clientId: string): Promise<Policy> {
  const path = input.maybe("attestation-policy");
  if (path === undefined) return {};
  const policy = JSON.parse(readFileSync(path, "utf8"));
  const play = policy["play-integrity"];
  if (typeof play?.decryptionKey === "string") {
    const key = await importDataKey(fromBase64Url(secretNamed(input.secrets(), "DATA_KEY")));
    const { decryptionKey, ...rest } = play;
    const decryptionKeySealed = await seal(key, { field: "play-integrity-key", id: clientId }, decryptionKey);
    policy["play-integrity"] = { ...rest, decryptionKeySealed };
  }
  if (parseAttestationPolicy(policy) === undefined) throw new UsageError(`${path} is no attestation policy`);
  return policy;
}
