import { eq } from "drizzle-orm";
import { SCOPES } from "../../core/api/endpoints.ts";
import {
  type ClientFlags,
  clientOrigins,
  clients,
  type Evidence,
  federatedIssuers,
  type LoginMethod,
} from "../../db/schema.ts";
import { type Option, UsageError, WordsError } from "../../kit/command-line.ts";
import type { Db } from "../../worker/database/connect.ts";
import { b2bSecretHash } from "../../worker/secrets/credentials.ts";
import { clientKeyHash, seal } from "../../worker/secrets/sealed.ts";
import { parseAttestationPolicy } from "../../worker/sessions/attestation/policy.ts";
import { secret } from "../serve/keys.ts";
import { AIRLINE, type Commands, type Context, command, FILE, ORIGIN, oneOf } from "./command.ts";
import { dataKeyIn, pepperIn, readJson } from "./files.ts";
import { columnsOf, listing, rowsOf } from "./rows.ts";

/** `client …`: applications that may call the service, each with a key (rules §3). */

const LOGINS = ["federated", "attestation", "guest", "b2b"] as const satisfies readonly LoginMethod[];
const EVIDENCE = [
  "none",
  "webauthn",
  "apple-appattest",
  "play-integrity",
] as const satisfies readonly Evidence[];
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
const flagsOf = (flags: readonly (keyof ClientFlags)[]): ClientFlags =>
  Object.fromEntries(flags.map((flag) => [flag, true]));

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

const CLIENT = rowsOf("client", clients, ID, ({ id }) => eq(clients.id, id));
/** Throws UsageError where there is no client `id`. */
export const clientOf = (db: Db, id: string) => CLIENT.find(db, { id });

export const clientCommands = {
  "client create": command({
    summary: "make a client key (and a B2B secret, for --login b2b); both are shown once",
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
    async run({ id, login, scope, origin, flag, key = secret(), ...values }, context) {
      const policy = values["attestation-policy"];
      const { db, secrets, print } = context;
      const b2bSecret = login.includes("b2b") ? secret() : undefined;
      const defaultScopes = b2bSecret === undefined ? PASSENGER : KIOSK;
      const row = {
        id,
        keyHash: await clientKeyHash(key),
        name: values.name,
        loginMethods: login,
        evidenceKinds: values.evidence,
        ...(policy !== undefined && { attestationPolicy: await policyIn(policy, id, context) }),
        federatedIssuers: values.issuer,
        airlines: values.airline,
        scopes: scope.length > 0 ? scope : defaultScopes,
        flags: flagsOf(flag),
        b2bSecretHash: b2bSecret === undefined ? null : await b2bSecretHash(pepperIn(secrets()), b2bSecret),
      };
      requireUsable(row);
      await requireIssuers(db, values.issuer);
      const origins = origin.map((each) => db.insert(clientOrigins).values({ origin: each, clientId: id }));
      await db.batch([db.insert(clients).values(row), ...origins]);
      print(`client ${id}`);
      print(`X-Source-App-Key: ${key}`);
      if (b2bSecret !== undefined) print(`X-B2B-Secret: ${b2bSecret}`);
    },
  }),
  "client list": listing("show every client", clients, ["id", "enabled", "loginMethods", "airlines", "name"]),
  "client show": command({
    summary: "show what one client may do; its key and secret are known as hashes alone",
    options: ID,
    async run({ id }, { db, show }) {
      const row = await clientOf(db, id);
      const origins = await db.select().from(clientOrigins).where(eq(clientOrigins.clientId, id));
      show({
        ...columnsOf(row, ["id", "name", "enabled", "loginMethods", "evidenceKinds"]),
        ...columnsOf(row, ["federatedIssuers", "airlines", "scopes"]),
        flags: Object.keys(row.flags),
        origins: origins.map(({ origin }) => origin).toSorted(),
        attestationPolicy: Object.keys(row.attestationPolicy),
        b2bSecret: row.b2bSecretHash === null ? "none" : "set",
      });
    },
  }),
  "client set": command({
    summary:
      "change what a client may do; each list given takes the place of the one it had, at the next call",
    options: { ...ID, ...SETTINGS, "no-origin": { help: "no web page may call with it any more" } },
    async run({ id, name, login, origin, ...values }, context) {
      const { db, print } = context;
      const policy = values["attestation-policy"];
      const given = <T>(list: readonly T[]) => (list.length === 0 ? undefined : list);
      const set = {
        name,
        loginMethods: given(login),
        evidenceKinds: given(values.evidence),
        federatedIssuers: given(values.issuer),
        airlines: given(values.airline),
        scopes: given(values.scope),
        attestationPolicy: policy === undefined ? undefined : await policyIn(policy, id, context),
      };
      const changed = Object.fromEntries(Object.entries(set).filter(([, value]) => value !== undefined));
      if (origin.length > 0 && values["no-origin"]) throw new WordsError("one of --origin and --no-origin");
      const hasOrigins = origin.length > 0 || values["no-origin"];
      if (Object.keys(changed).length === 0 && !hasOrigins)
        throw new WordsError("nothing to change was given");
      const before = await clientOf(db, id);
      // A secret is made with the client, and with it alone.
      if (login.includes("b2b") && before.b2bSecretHash === null)
        throw new UsageError("b2b needs a secret: `client create` makes a client with one");
      if (login.length > 0) requireUsable({ ...before, ...changed });
      await requireIssuers(db, values.issuer);
      await db.batch([
        db
          .update(clients)
          .set({ id, ...changed })
          .where(eq(clients.id, id)),
        ...(hasOrigins ? [db.delete(clientOrigins).where(eq(clientOrigins.clientId, id))] : []),
        ...origin.map((each) => db.insert(clientOrigins).values({ origin: each, clientId: id })),
      ]);
      print(`client ${id}: changed`);
    },
  }),
  "client flags": CLIENT.changing(
    "give a client exactly these flags; without any it has none",
    { flag: FLAG },
    ({ flag }) => ({ flags: flagsOf(flag) }),
  ),
  "client enable": CLIENT.changing("let a client call again", {}, () => ({ enabled: true })),
  "client disable": CLIENT.changing("refuse a client; its sessions end at their next call", {}, () => ({
    enabled: false,
  })),
} satisfies Commands;

/** An unknown host is most likely misspelt, and its tokens would be refused without a reason. */
async function requireIssuers(db: Db, issuers: readonly string[]): Promise<void> {
  if (issuers.length === 0) return;
  const rows = await db.select({ issuer: federatedIssuers.issuer }).from(federatedIssuers);
  const unknown = issuers.find((one) => !rows.some(({ issuer }) => issuer === one));
  if (unknown !== undefined) throw new UsageError(`no issuer ${unknown}: \`issuer add\` comes first`);
}

type Rules = Pick<
  typeof clients.$inferInsert,
  "loginMethods" | "evidenceKinds" | "federatedIssuers" | "airlines"
>;

/** What each login cannot do without: the service would refuse every session of such a client. */
const NEEDS: Readonly<Record<LoginMethod, (rules: Rules) => string | false>> = {
  guest: ({ evidenceKinds: kinds }) => kinds.length === 0 && "--evidence",
  attestation: ({ evidenceKinds: kinds }) => kinds.every((kind) => kind === "none") && "--evidence but none",
  federated: ({ federatedIssuers: issuers }) => issuers.length === 0 && "--issuer",
  b2b: ({ airlines }) => airlines.length === 0 && "--airline",
};

function requireUsable(rules: Rules): void {
  for (const login of rules.loginMethods) {
    const lacking = NEEDS[login](rules);
    if (lacking) throw new WordsError(`--login ${login} needs ${lacking}`);
  }
}

/** The policy in the file at `path` with its one secret sealed. Throws if the service could not read it. */
async function policyIn(path: string, clientId: string, { secrets }: Context): Promise<object> {
  const policy = readJson(path) as Record<string, Record<string, unknown> | undefined>;
  const play = policy["play-integrity"];
  if (typeof play?.decryptionKey === "string") {
    const key = await dataKeyIn(secrets());
    const { decryptionKey, ...rest } = play;
    const decryptionKeySealed = await seal(key, { field: "play-integrity-key", id: clientId }, decryptionKey);
    policy["play-integrity"] = { ...rest, decryptionKeySealed };
  }
  if (parseAttestationPolicy(policy) === undefined) throw new UsageError(`${path} is no attestation policy`);
  return policy;
}
