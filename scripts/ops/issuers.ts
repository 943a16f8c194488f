import { eq } from "drizzle-orm";
import { federatedIssuers } from "../../db/schema.ts";
import { UsageError } from "../../kit/command-line.ts";
import {
  type Commands,
  FILE,
  HTTPS,
  listing,
  oneOf,
  oneOfTwo,
  requireFound,
  wholeNumber,
} from "./command.ts";
import { readJson } from "./files.ts";
import { stateOf } from "./show.ts";

/** `issuer …`: hosts whose tokens open sessions (rules §3). A client trusts them by `client create --issuer`. */

const ALGORITHMS = ["ES256", "ES384", "ES512", "PS256", "PS384", "RS256", "EdDSA"];

function publicKeys(path: string): { keys: Record<string, unknown>[] } {
  const { keys } = readJson(path) as { keys?: Record<string, unknown>[] };
  if (!Array.isArray(keys) || keys.length === 0) throw new UsageError(`${path} holds no keys`);
  if (keys.some((key) => "d" in key || "k" in key)) throw new UsageError(`${path} holds a private key`);
  return { keys };
}

export const issuerCommands = {
  "issuer add": {
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
    async run(input) {
      const { one, many, has, number, db, print } = input;
      const [jwksUrl, file] = oneOfTwo(input, "jwks-url", "jwks");
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
  },
  "issuer list": listing(
    "show every host whose tokens are known, trusted or not",
    federatedIssuers,
    [federatedIssuers.issuer],
    ({ issuer, enabled, audience, jwksUrl, algorithms, loadsTravelPlans }) => ({
      issuer,
      state: stateOf(enabled),
      audience,
      keys: jwksUrl ?? "given",
      algorithms,
      travelPlans: loadsTravelPlans,
    }),
  ),
  "issuer disable": {
    summary: "trust a host's tokens no more; sessions that are open stay",
    database: "write",
    options: { issuer: { value: "url", required: true, help: "`iss` of its tokens" } },
    async run(input) {
      const issuer = input.one("issuer");
      const changed = await input.db
        .update(federatedIssuers)
        .set({ enabled: false })
        .where(eq(federatedIssuers.issuer, issuer))
        .returning({ issuer: federatedIssuers.issuer });
      requireFound(input, changed, `issuer ${issuer}`);
      input.print(`issuer ${issuer}: disabled`);
    },
  },
} satisfies Commands;
