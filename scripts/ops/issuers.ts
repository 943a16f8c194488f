import { asc, eq } from "drizzle-orm";
import { federatedIssuers } from "../../db/schema.ts";
import { UsageError, WordsError } from "../../kit/command-line.ts";
import { type Command, FILE, HTTPS, oneOf, wholeNumber } from "./command.ts";
import { readJson } from "./files.ts";
import { stateOf } from "./show.ts";

/** `issuer …`: hosts whose tokens open sessions (rules §3). A client trusts them by `client create --issuer`. */

const ALGORITHMS = ["ES256", "ES384", "ES512", "PS256", "PS384", "RS256", "EdDSA"];

export const addIssuer: Command = {
  name: "issuer add",
  summary: "trust the tokens of a host, or change what is known of it",
  database: "write",
  options: {
    issuer: { value: "url", required: true, help: "`iss` of its tokens" },
    audience: { value: "text", required: true, help: "`aud` of its tokens" },
    "jwks-url": { ...HTTPS, help: "where its keys are" },
    jwks: { ...FILE, help: "or its keys themselves, public ones only" },
    algorithm: { ...oneOf(ALGORITHMS), list: true, help: "default: ES256" },
    "max-age": { ...wholeNumber("seconds", 1, 86_400), help: "oldest acceptable `iat` (default 300)" },
    "travel-plans": { help: "its claim `travel_plans` loads journeys" },
  },
  async run({ one, maybe, many, has, number, db, print }) {
    const [jwksUrl, file] = [maybe("jwks-url"), maybe("jwks")];
    if ((jwksUrl === undefined) === (file === undefined))
      throw new WordsError("one of --jwks-url and --jwks");
    const algorithms = many("algorithm").length === 0 ? ["ES256"] : many("algorithm");
    const row = {
      audience: one("audience"),
      jwks: file === undefined ? null : publicKeys(file),
      jwksUrl: jwksUrl ?? null,
      algorithms,
      maxAgeSeconds: number("max-age", 300),
      loadsTravelPlans: has("travel-plans"),
      enabled: true,
    };
    await db
      .insert(federatedIssuers)
      .values({ issuer: one("issuer"), ...row })
      .onConflictDoUpdate({ target: federatedIssuers.issuer, set: row });
    print(`issuer ${one("issuer")}: trusted`);
  },
};

export const disableIssuer: Command = {
  name: "issuer disable",
  summary: "trust a host's tokens no more; sessions that are open stay",
  database: "write",
  options: { issuer: { value: "url", required: true, help: "`iss` of its tokens" } },
  async run({ one, db, isPrinted, print }) {
    const changed = await db
      .update(federatedIssuers)
      .set({ enabled: false })
      .where(eq(federatedIssuers.issuer, one("issuer")))
      .returning({ issuer: federatedIssuers.issuer });
    if (changed.length === 0 && !isPrinted) throw new UsageError(`no issuer ${one("issuer")}`);
    print(`issuer ${one("issuer")}: disabled`);
  },
};

function publicKeys(path: string): { keys: Record<string, unknown>[] } {
  const { keys } = readJson(path) as { keys?: Record<string, unknown>[] };
  if (!Array.isArray(keys) || keys.length === 0) throw new UsageError(`${path} holds no keys`);
  if (keys.some((key) => "d" in key || "k" in key)) throw new UsageError(`${path} holds a private key`);
  return { keys };
}

export const listIssuers: Command = {
  name: "issuer list",
  summary: "show every host whose tokens are known, trusted or not",
  database: "read",
  options: {},
  async run({ db, show }) {
    const rows = await db.select().from(federatedIssuers).orderBy(asc(federatedIssuers.issuer));
    show(
      rows.map(({ issuer, enabled, audience, jwksUrl, algorithms, loadsTravelPlans }) => ({
        ...{ issuer, state: stateOf(enabled), audience, keys: jwksUrl ?? "given", algorithms },
        travelPlans: loadsTravelPlans,
      })),
    );
  },
};
