import { eq } from "drizzle-orm";
import { SCOPES } from "../../core/api/endpoints.ts";
import { fromBase64Url } from "../../core/encoding/bytes.ts";
import {
  type ClientFlags,
  clientOrigins,
  clients,
  type Evidence,
  federatedIssuers,
  type LoginMethod,
} from "../../db/schema.ts";
import { type Option, UsageError, WordsError } from "../../kit/command-line.ts";
import { b2bSecretHash } from "../../worker/secrets/credentials.ts";
import { clientKeyHash, seal } from "../../worker/secrets/sealed.ts";
import { parseAttestationPolicy } from "../../worker/sessions/attestation/policy.ts";
import { secret } from "../serve/keys.ts";
import {
  AIRLINE,
  type Command,
  type Commands,
  change,
  FILE,
  type Input,
  listing,
  ORIGIN,
  oneOf,
} from "./command.ts";
import { dataKeyIn, readJson, secretNamed } from "./files.ts";
import { type Row, stateOf } from "./show.ts";

/** `client …`: applications that may call the service, each with a key (rules §3). */

const LOGINS: readonly LoginMethod[] = ["federated", "attestation", "guest", "b2b"];
const EVIDENCE: readonly Evidence[] = ["none", "webauthn", "apple-appattest", "play-integrity"];
const FLAGS: readonly (keyof ClientFlags)[] = [
  "requireDpop",
  "emailTrusted",
  "requireLoadedJourney",
  "requireApprovedContent",
  "requireStaffPin",
  "askAirlines",
];
const STAFF = ["journey:write", "tag:release", "audit:read", "bag:trace", "baggage:message"];
const PASSENGER = SCOPES.filter((scope) => !STAFF.includes(scope));
/** What a kiosk does; feeding bookings and reading the log are an airline's systems'. */
const KIOSK = [...PASSENGER, "tag:release", "bag:trace"] as const;

const FLAG = {
  ...oneOf(FLAGS),
  list: true,
  help: "stricter rules, but for emailTrusted and askAirlines; docs/operations.md says what each does",
} as const;
const flagsIn = (input: Input): ClientFlags =>
  Object.fromEntries(chosen(input, "flag", FLAGS).map((flag) => [flag, true]));

/** What a client may do, at its making and later. */
const SETTINGS = {
  name: { value: "text", help: "for people" },
  login: { ...oneOf(LOGINS), list: true, help: "how its sessions may begin" },
  evidence: { ...oneOf(EVIDENCE), list: true, help: "what guests and attested logins may show" },
  "attestation-policy": {
    ...FILE,
    help: "JSON as worker/sessions/attestation/policy.ts has it; `decryptionKey` of Play Integrity in clear, it is sealed here",
  },
  issuer: { value: "url", list: true, help: "hosts it trusts, see `issuer add`" },
  airline: { ...AIRLINE, list: true, help: "airlines it works for" },
  scope: { ...oneOf(SCOPES), value: "scope", list: true, help: "what its sessions may do" },
  origin: { ...ORIGIN, list: true, help: "web pages that may call with it, as https://tags.example.com" },
} as const satisfies Record<string, Option>;

const ID = { id: { value: "id", required: true, help: "the client" } } as const;

/** Changes the client of `--id`. */
const changeClient = ({ db, one }: Input, row: Partial<typeof clients.$inferInsert>) =>
  change(db, clients, eq(clients.id, one("id")), row, `client ${one("id")}`);

const switching = (word: "enable" | "disable", summary: string): Command => ({
  summary,
  database: "any",
  options: ID,
  async run(input) {
    await changeClient(input, { enabled: word === "enable" });
    input.print(`client ${input.one("id")}: ${word}d`);
  },
});

/** Throws UsageError where there is no client `id`: nothing found at it would be taken for an answer. */
export async function clientOf({ db }: Input, id: string): Promise<typeof clients.$inferSelect> {
  const [row] = await db.select().from(clients).where(eq(clients.id, id));
  if (row === undefined) throw new UsageError(`no client ${id}`);
  return row;
}

async function shownClient(input: Input): Promise<Row> {
  const row = await clientOf(input, input.one("id"));
  const origins = await input.db.select().from(clientOrigins).where(eq(clientOrigins.clientId, row.id));
  const { id, name, enabled, loginMethods, evidenceKinds, federatedIssuers, airlines, scopes, flags } = row;
  return {
    id,
    name,
    state: stateOf(enabled),
    loginMethods,
    evidence: evidenceKinds,
    issuers: federatedIssuers,
    airlines,
    scopes,
    flags: Object.keys(flags),
    origins: origins.map(({ origin }) => origin).toSorted(),
    attestationPolicy: Object.keys(row.attestationPolicy),
    b2bSecret: row.b2bSecretHash === null ? "none" : "set",
  };
}

export const clientCommands = {
  "client create": {
    summary: "make a client key (and a B2B secret, for --login b2b); both are shown once",
    database: "any",
    options: {
      id: { value: "id", required: true, help: "yours to choose; stands in tokens and logs" },
      ...SETTINGS,
      name: { ...SETTINGS.name, required: true },
      login: { ...SETTINGS.login, required: true },
      scope: {
        ...SETTINGS.scope,
        help: `default: ${PASSENGER.join(" ")}, with b2b also tag:release bag:trace`,
      },
      flag: FLAG,
      key: { value: "text", help: "a key of your own, such as a page's public one" },
    },
    async run(input) {
      const { one, many, maybe, db, print } = input;
      const id = one("id");
      const logins = chosen(input, "login", LOGINS);
      const key = maybe("key") ?? secret();
      const b2bSecret = logins.includes("b2b") ? secret() : undefined;
      const scopes = chosen(input, "scope", SCOPES);
      const row = {
        id,
        keyHash: await clientKeyHash(key),
        name: one("name"),
        loginMethods: logins,
        evidenceKinds: chosen(input, "evidence", EVIDENCE),
        attestationPolicy: await policyIn(input, id),
        federatedIssuers: await issuersIn(input),
        airlines: many("airline"),
        scopes: scopes.length > 0 ? scopes : b2bSecret === undefined ? PASSENGER : KIOSK,
        flags: flagsIn(input),
        b2bSecretHash: b2bSecret === undefined ? null : await b2bSecretHash(pepperOf(input), b2bSecret),
      };
      requireUsable(row);
      const origins = many("origin").map((origin) =>
        db.insert(clientOrigins).values({ origin, clientId: id }),
      );
      await db.batch([db.insert(clients).values(row), ...origins]);
      print(`client ${id}`);
      print(`X-Source-App-Key: ${key}`);
      if (b2bSecret !== undefined) print(`X-B2B-Secret: ${b2bSecret}`);
    },
  },
  "client list": listing("show every client", clients, [clients.id], (row) => {
    const { id, name, enabled, loginMethods, airlines } = row;
    return { id, state: stateOf(enabled), loginMethods, airlines, name };
  }),
  "client show": {
    summary: "show what one client may do; its key and secret are known as hashes alone",
    database: "any",
    options: ID,
    async run(input) {
      input.showOne(await shownClient(input));
    },
  },
  "client set": {
    summary:
      "change what a client may do; each list given takes the place of the one it had, at the next call",
    database: "any",
    options: { ...ID, ...SETTINGS, "no-origin": { help: "no web page may call with it any more" } },
    async run(input) {
      const { one, maybe, many, has, db, print } = input;
      const id = one("id");
      const origins = [...new Set(many("origin"))];
      if (origins.length > 0 && has("no-origin")) throw new WordsError("one of --origin and --no-origin");
      const hasOrigins = origins.length > 0 || has("no-origin");
      const hasOthers = Object.keys(SETTINGS).some((name) => (maybe(name) ?? many(name)).length > 0);
      if (!hasOthers && !hasOrigins) throw new WordsError("nothing to change was given");
      const before = await clientOf(input, id);
      const given = <T>(list: readonly T[]) => (list.length === 0 ? undefined : list);
      const row = {
        name: maybe("name"),
        loginMethods: given(chosen(input, "login", LOGINS)),
        evidenceKinds: given(chosen(input, "evidence", EVIDENCE)),
        attestationPolicy: maybe("attestation-policy") && (await policyIn(input, id)),
        federatedIssuers: given(await issuersIn(input)),
        airlines: given(many("airline")),
        scopes: given(chosen(input, "scope", SCOPES)),
      };
      const changes = Object.fromEntries(Object.entries(row).filter(([, value]) => value !== undefined));
      // A secret is made with the client, and with it alone.
      if (row.loginMethods?.includes("b2b") && before.b2bSecretHash === null)
        throw new UsageError("b2b needs a secret: `client create` makes a client with one");
      if (row.loginMethods !== undefined) requireUsable({ ...before, ...changes });
      await db.batch([
        db
          .update(clients)
          .set({ id, ...changes })
          .where(eq(clients.id, id)),
        ...(hasOrigins ? [db.delete(clientOrigins).where(eq(clientOrigins.clientId, id))] : []),
        ...origins.map((origin) => db.insert(clientOrigins).values({ origin, clientId: id })),
      ]);
      print(`client ${id}: changed`);
    },
  },
  "client flags": {
    summary: "give a client exactly these flags; without any it has none",
    database: "any",
    options: { ...ID, flag: FLAG },
    async run(input) {
      const flags = flagsIn(input);
      await changeClient(input, { flags });
      input.print([`client ${input.one("id")}:`, ...Object.keys(flags)].join(" "));
    },
  },
  "client enable": switching("enable", "let a client call again"),
  "client disable": switching("disable", "refuse a client; its sessions end at their next call"),
} satisfies Commands;

/** An unknown host is most likely misspelt, and its tokens would be refused without a reason. */
async function issuersIn({ many, db }: Input): Promise<readonly string[]> {
  const issuers = many("issuer");
  if (issuers.length === 0) return issuers;
  const rows = await db.select({ issuer: federatedIssuers.issuer }).from(federatedIssuers);
  const unknown = issuers.find((one) => !rows.some(({ issuer }) => issuer === one));
  if (unknown !== undefined) throw new UsageError(`no issuer ${unknown}: \`issuer add\` comes first`);
  return issuers;
}

/** PEPPER of the deployment, which hashes of secrets are made with. */
export const pepperOf = (input: Input) => fromBase64Url(secretNamed(input.secrets(), "PEPPER"));

/** What was given of `choices`. */
const chosen = <T extends string>({ many }: Input, option: string, choices: readonly T[]): readonly T[] =>
  choices.filter((choice) => many(option).includes(choice));

type Rules = Pick<
  typeof clients.$inferInsert,
  "loginMethods" | "evidenceKinds" | "federatedIssuers" | "airlines"
>;

/** What each login cannot do without: the service would refuse every session of such a client. */
const NEEDS: Readonly<Record<LoginMethod, { readonly fails: (rules: Rules) => boolean; needs: string }>> = {
  guest: {
    fails: ({ evidenceKinds }) => evidenceKinds.length === 0,
    needs: `--evidence: ${EVIDENCE.join(", ")}`,
  },
  attestation: {
    fails: ({ evidenceKinds }) => !evidenceKinds.some((kind) => kind !== "none"),
    needs: `--evidence: ${EVIDENCE.filter((kind) => kind !== "none").join(", ")}`,
  },
  federated: {
    fails: ({ federatedIssuers: issuers }) => issuers.length === 0,
    needs: "--issuer: the host whose tokens it brings (`issuer add`)",
  },
  b2b: { fails: ({ airlines }) => airlines.length === 0, needs: "--airline: the airlines its staff act for" },
};

function requireUsable(rules: Rules): void {
  const unusable = rules.loginMethods.find((login) => NEEDS[login].fails(rules));
  if (unusable !== undefined) throw new WordsError(`--login ${unusable} needs ${NEEDS[unusable].needs}`);
}

type Policy = NonNullable<typeof clients.$inferInsert.attestationPolicy>;

/** The file's policy with its one secret sealed. Throws if the service could not read it. */
async function policyIn(input: Input, clientId: string): Promise<Policy> {
  const path = input.maybe("attestation-policy");
  if (path === undefined) return {};
  const policy = readJson(path) as Record<string, Record<string, unknown> | undefined>;
  const play = policy["play-integrity"];
  if (typeof play?.decryptionKey === "string") {
    const key = await dataKeyIn(input.secrets());
    const { decryptionKey, ...rest } = play;
    const decryptionKeySealed = await seal(key, { field: "play-integrity-key", id: clientId }, decryptionKey);
    policy["play-integrity"] = { ...rest, decryptionKeySealed };
  }
  if (parseAttestationPolicy(policy) === undefined) throw new UsageError(`${path} is no attestation policy`);
  return policy;
}
