import { eq } from "drizzle-orm";
import { federatedIssuers, plateRanges } from "../../db/schema.ts";
import { UsageError, WordsError } from "../../kit/command-line.ts";
import {
  AIRLINE,
  type Commands,
  command,
  FILE,
  HTTPS,
  matching,
  oneOf,
  requireOneOf,
  wholeNumber,
} from "./command.ts";
import { readJson } from "./files.ts";
import { listing, putting, rowsOf } from "./rows.ts";

/** `issuer …`: hosts whose tokens open sessions (rules §3). A client trusts them by `client create --issuer`. */

const ALGORITHMS = ["ES256", "ES384", "ES512", "PS256", "PS384", "RS256", "EdDSA"];

function publicKeys(path: string): { keys: Record<string, unknown>[] } {
  const { keys } = readJson(path) as { keys?: Record<string, unknown>[] };
  if (!Array.isArray(keys) || keys.length === 0) throw new UsageError(`${path} holds no keys`);
  if (keys.some((key) => "d" in key || "k" in key)) throw new UsageError(`${path} holds a private key`);
  return { keys };
}

const NAMED = { issuer: { value: "url", required: true, help: "`iss` of its tokens" } } as const;
const ISSUER = rowsOf("issuer", federatedIssuers, NAMED, ({ issuer }) => eq(federatedIssuers.issuer, issuer));

export const issuerCommands = {
  "issuer add": command({
    summary: "trust the tokens of a host, or change what is known of it",
    options: {
      ...NAMED,
      audience: { value: "text", required: true, help: "`aud` of its tokens" },
      "jwks-url": { ...HTTPS, help: "where its keys are" },
      jwks: { ...FILE, help: "or its keys themselves, public ones only" },
      algorithm: { ...oneOf(ALGORITHMS), list: true, help: "default: ES256" },
      "max-age": { ...wholeNumber("seconds", 1, 86_400), help: "oldest acceptable `iat` (default 300)" },
      "travel-plans": { help: "its claim `travel_plans` loads journeys" },
    },
    async run({ issuer, audience, jwks, algorithm, ...values }, { db, print }) {
      requireOneOf({ "jwks-url": values["jwks-url"], jwks });
      const row = {
        issuer,
        audience,
        jwks: jwks === undefined ? null : publicKeys(jwks),
        jwksUrl: values["jwks-url"] ?? null,
        algorithms: algorithm.length === 0 ? ["ES256"] : algorithm,
        maxAgeSeconds: values["max-age"] ?? 300,
        loadsTravelPlans: values["travel-plans"],
        enabled: true,
      };
      await putting(db, federatedIssuers, row);
      print(`issuer ${issuer}: trusted`);
    },
  }),
  "issuer list": listing("show every host whose tokens are known, trusted or not", federatedIssuers, [
    "issuer",
    "enabled",
    "audience",
    "jwksUrl",
    "algorithms",
    "loadsTravelPlans",
  ]),
  "issuer disable": ISSUER.changing("trust a host's tokens no more; sessions that are open stay", {}, () => ({
    enabled: false,
  })),
} satisfies Commands;

const SERIAL = wholeNumber("serial", 0, 999_999);

/** `plates …`: the licence plates the service may give to an airline's bags (rules §4). */
export const plateCommands = {
  "plates set": command({
    summary: "give an airline a range of licence plates, or another one; counting begins at its first",
    options: {
      airline: { ...AIRLINE, required: true, help: "two characters" },
      issuer: {
        ...matching("digits", /^\d{3}$/, "is three digits, such as 117"),
        required: true,
        help: "three-digit numeric code: 117 is SK",
      },
      leading: { ...wholeNumber("digit", 0, 9), help: "first digit of the plate (default 0)" },
      first: { ...SERIAL, required: true, help: "0 to 999999" },
      last: { ...SERIAL, required: true, help: "0 to 999999" },
    },
    async run({ airline, issuer, leading = 0, first, last }, { db, print }) {
      if (first > last) throw new WordsError("--first and --last are serials in order");
      const serials = { firstSerial: first, lastSerial: last, nextSerial: first };
      await putting(db, plateRanges, { airline, leading, issuer, ...serials });
      print(`plates of ${airline}: ${last - first + 1}`);
    },
  }),
  "plates list": listing("show the ranges of licence plates, and where each goes on", plateRanges, [
    "airline",
    "leading",
    "issuer",
    "firstSerial",
    "lastSerial",
    "nextSerial",
  ]),
} satisfies Commands;
