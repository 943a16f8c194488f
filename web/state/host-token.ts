/**
 * The claims of a host app's token, for the question "Continue as …?". None of them are believed: only the
 * service can check the signature. By the first name people recognise themselves; the rest is masked, because the
 * person at the screen may not be the one it names.
 */
import { fromBase64Url, fromUtf8 } from "../../core/encoding/bytes.ts";

export interface HostClaims {
  /** Host name of the issuer; the issuer as written if it is not a URL. */
  readonly host: string;
  /** "Ada L•••••" */
  readonly passenger?: string;
  readonly recordLocator?: string;
  /** "SK1234": people know where they are going sooner than a masked locator. */
  readonly flight?: string;
  readonly expired: boolean;
}

const MASK = "•••••";
/** One name and nothing else: anybody can make a token, and what it says is read on our page. */
const NAME = /^\p{L}[\p{L}\p{M}'’-]{0,23}$/u;
/** The carrier's designator, the number, and the letter that an airline may add to it. */
const FLIGHT = /^(?=\d?[A-Z])[A-Z\d]{2}\d{1,4}[A-Z]?$/;

/** Undefined if the text is not a token at all. `now`: milliseconds since 1970. */
export function readHostToken(token: string, now: number): HostClaims | undefined {
  const claims = claimsOf(token);
  if (typeof claims?.iss !== "string") return undefined;
  const [plan] = Array.isArray(claims.travel_plans) ? (claims.travel_plans as Record<string, unknown>[]) : [];
  const given = text(claims.given_name);
  const family = text(claims.family_name) ?? text(plan?.surname);
  const named = given || family ? [given, family] : (text(claims.name)?.split(/\s+/) ?? []);
  const passenger = named
    .map((part, index) => (part && (index > 0 || !NAME.test(part)) ? masked(part) : part))
    .filter((part) => part !== undefined)
    .join(" ");
  const recordLocator = text(plan?.recordLocator);
  const flight = text(plan?.flight);
  return {
    host: hostOf(claims.iss),
    expired: typeof claims.exp === "number" && claims.exp * 1_000 <= now,
    ...(passenger && { passenger }),
    ...(recordLocator && { recordLocator: masked(recordLocator) }),
    ...(flight && FLIGHT.test(flight) && { flight }),
  };
}

function claimsOf(token: string): Record<string, unknown> | undefined {
  const parts = token.split(".");
  if (parts.length !== 3) return undefined;
  try {
    const claims: unknown = JSON.parse(fromUtf8(fromBase64Url(parts[1] ?? "")));
    return typeof claims === "object" && claims !== null ? (claims as Record<string, unknown>) : undefined;
  } catch {
    // Not base64url, not JSON: no token.
    return undefined;
  }
}

const text = (value: unknown) =>
  typeof value === "string" && value.trim() !== "" ? value.trim() : undefined;

const masked = (value: string) => `${[...value][0]?.toUpperCase() ?? ""}${MASK}`;

function hostOf(issuer: string): string {
  try {
    return new URL(issuer).host || issuer;
  } catch {
    return issuer; // An issuer may be any text.
  }
}
