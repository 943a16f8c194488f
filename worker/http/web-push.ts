import { SignJWT } from "jose";
import type { RequestContext } from "../context.ts";

/** Messages to the push services of browsers (RFC 8030). They have no body: that there is one is all they say, so nothing needs to be encrypted. */

export type Sender = Pick<RequestContext, "settings" | "fetcher" | "now">;

/** The push services of Chrome and others, Firefox, Safari, Edge; one that begins with a dot matches every name below it. */
const PUSH_SERVICES = [
  "fcm.googleapis.com",
  "updates.push.services.mozilla.com",
  ".push.apple.com",
  ".notify.windows.com",
];

/**
 * `text` as an endpoint of a push service; undefined for any other, and for one that is not spelt as browsers spell it: so
 * there is no user and no port. In development a listener on this machine will do.
 */
export function pushService({ settings }: Pick<Sender, "settings">, text: string): URL | undefined {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined || url.href !== text || url.hash !== "") return undefined;
  const { hostname } = url;
  if (settings.environment === "development" && text.startsWith(`http://localhost:${url.port}/`)) return url;
  if (!text.startsWith(`https://${hostname}/`)) return undefined;
  const matches = (place: string) => (place.startsWith(".") ? hostname.endsWith(place) : hostname === place);
  return PUSH_SERVICES.some(matches) ? url : undefined;
}

/** How long a push service stores a message for a device that is off. */
const TTL_SECONDS = 86_400;
/** Seconds that a signature is good for; 24 hours are the most (RFC 8292 §2). */
const SIGNED = 43_200;
const TIMEOUT_MILLISECONDS = 10_000;

/**
 * Notifies `endpoint`; a push service stores the last of several messages (`Topic`, the same for all holders: it links
 * nothing). Redirects are not followed, and only the status of an answer is read. Returns `gone` where the endpoint is no
 * longer in use. Other failures are not retried: the page shows the same.
 */
export async function sendNews(ctx: Sender, endpoint: string): Promise<"gone" | "done"> {
  const { settings, fetcher, now } = ctx;
  const url = pushService(ctx, endpoint);
  if (url === undefined || settings.push === undefined) return "done";
  const { key, publicKey, contact } = settings.push;
  const jwt = await new SignJWT()
    .setProtectedHeader({ alg: "ES256", typ: "JWT" })
    .setAudience(url.origin)
    .setSubject(contact)
    .setExpirationTime(Math.floor(now / 1_000) + SIGNED)
    .sign(key);
  const headers = {
    Authorization: `vapid t=${jwt}, k=${publicKey}`,
    ...{ TTL: `${TTL_SECONDS}`, Urgency: "high", Topic: "news" },
  };
  try {
    const signal = AbortSignal.timeout(TIMEOUT_MILLISECONDS);
    const answer = await fetcher(url.href, { method: "POST", redirect: "manual", headers, signal });
    await answer.body?.cancel();
    return answer.status === 404 || answer.status === 410 ? "gone" : "done";
  } catch {
    // An error's text may hold the address.
    return "done";
  }
}
