import type { RequestContext } from "../context.ts";
import { ApiError } from "../errors.ts";

/** A day of 90: who reads it later asks again. */
const LASTS = 90 * 86_400_000;

/**
 * GET /.well-known/security.txt (RFC 9116): whom to tell of a vulnerability. Whoever answers for a deployment says so in its
 * configuration, and a deployment that answers is one whose configuration holds: so it expires anew. Throws `not_found` where
 * nobody is named.
 */
export function securityText({ settings, now }: RequestContext): Response {
  const { securityContacts, publicOrigin } = settings;
  if (securityContacts.length === 0) throw new ApiError("not_found");
  const lines = [
    ...securityContacts.map((contact) => `Contact: ${contact}`),
    // By the day, so that two answers of a day are the same.
    `Expires: ${new Date(now + LASTS).toISOString().slice(0, 10)}T00:00:00Z`,
    "Preferred-Languages: en",
    ...(publicOrigin === undefined ? [] : [`Canonical: ${publicOrigin}/.well-known/security.txt`]),
  ];
  return new Response(`${lines.join("\n")}\n`, { headers: { "Content-Type": "text/plain; charset=utf-8" } });
}
