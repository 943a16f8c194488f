import type { RequestContext } from "../context.ts";
import { ApiError } from "../errors.ts";

/** 90 days: a reader fetches it again after that. */
const LIFE_MILLISECONDS = 90 * 86_400_000;

/**
 * GET /.well-known/security.txt (RFC 9116): where to report a vulnerability, from the configuration. It is current as long
 * as the deployment answers, so each answer has a new expiry. Throws `not_found` where no contact is configured.
 */
export function securityText({ settings, now }: RequestContext): Response {
  const { securityContacts, publicOrigin } = settings;
  if (securityContacts.length === 0) throw new ApiError("not_found");
  const lines = [
    ...securityContacts.map((contact) => `Contact: ${contact}`),
    // By the day, so that two answers of a day are the same.
    `Expires: ${new Date(now + LIFE_MILLISECONDS).toISOString().slice(0, 10)}T00:00:00Z`,
    "Preferred-Languages: en",
    ...(publicOrigin === undefined ? [] : [`Canonical: ${publicOrigin}/.well-known/security.txt`]),
  ];
  return new Response(`${lines.join("\n")}\n`, { headers: { "Content-Type": "text/plain; charset=utf-8" } });
}
