import type { BagEvent, BagEventsMessage } from "../../core/api/index.ts";
import { type Bytes, copyBytes, fromBase64, toBase64, utf8 } from "../../core/encoding/bytes.ts";
import type { Place } from "../audit/event-feed.ts";
import { hmac, hmacText } from "../secrets/sealed.ts";
import { addressFault } from "./address.ts";

/** One message of a webhook, signed as Standard Webhooks says (standardwebhooks.com), and the result of sending it. */

export interface Message {
  readonly id: string;
  readonly body: string;
}

/**
 * The same events for the same webhook make a message of the same id; a `baggageMessage` in it may be made again. One without events reports only that some were
 * missed up to `place`.
 */
export async function messageOf(
  pepperKey: CryptoKey,
  webhook: string,
  events: readonly BagEvent[],
  { place, isMissed }: { readonly place: Place; readonly isMissed: boolean },
): Promise<Message> {
  const named = events.length > 0 ? events.map(({ id }) => id) : [String(place.id), String(place.at)];
  const id = await hmacText(pepperKey, "webhook", webhook, ...named);
  const timestamp = events.at(-1)?.at ?? new Date(place.at).toISOString();
  const data = { events: [...events], ...(isMissed && { missed: true as const }) };
  const message: BagEventsMessage = { type: "bag.events", timestamp, data };
  return { id: `msg_${id.slice(0, 22)}`, body: JSON.stringify(message) };
}

/** A signature for each of `secrets`, which are `whsec_` and base64; `at` in milliseconds since 1970. */
export async function signedHeaders(secrets: readonly string[], { id, body }: Message, at: number) {
  const timestamp = String(Math.floor(at / 1_000));
  const signed = utf8(`${id}.${timestamp}.${body}`);
  const signatures = await Promise.all(secrets.map((secret) => signature(secret, signed)));
  return {
    "Content-Type": "application/json",
    "webhook-id": id,
    "webhook-timestamp": timestamp,
    "webhook-signature": signatures.join(" "),
  };
}

async function signature(secret: string, signed: Bytes): Promise<string> {
  const key = await crypto.subtle.importKey(
    "raw",
    copyBytes(fromBase64(secret.replace(/^whsec_/, ""))),
    { name: "HMAC", hash: "SHA-256" },
    false,
    ["sign"],
  );
  return `v1,${toBase64(await hmac(key, signed))}`;
}

/** Undefined where the listener accepted it; else the error, and whether the listener is gone for good (410). */
export type Failure = { readonly error: string; readonly isGone: boolean } | undefined;

export interface Sending {
  readonly fetcher: typeof fetch;
  readonly isDevelopment: boolean;
  readonly timeoutMilliseconds: number;
}

/** Only the status of an answer is read. */
export async function send(sending: Sending, url: string, posted: Posted): Promise<Failure> {
  const answer = await post(sending, url, posted, async ({ ok, status, body }) => {
    await body?.cancel();
    return { ok: true, value: { ok, status } };
  });
  if (!answer.ok) return { error: answer.fault, isGone: false };
  const { ok, status } = answer.value;
  return ok ? undefined : { error: `status ${status}`, isGone: status === 410 };
}

interface Posted {
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** What was answered, or how it failed, in our words. */
export type Answered<T> =
  | { readonly ok: true; readonly value: T }
  | { readonly ok: false; readonly fault: string };

/**
 * Posts to an address that an operator has set. Redirects are not followed: they would let the answering server choose another
 * host. Never rejects for what that server does.
 */
export async function post<T>(
  { fetcher, isDevelopment, timeoutMilliseconds }: Sending,
  url: string,
  posted: Posted,
  read: (answer: Response) => Promise<Answered<T>>,
): Promise<Answered<T>> {
  // Checked when it was set, and again: an attacker who can write the database must not reach further.
  if (addressFault(url, { isDevelopment }) !== undefined) return { ok: false, fault: "address" };
  try {
    // Of the body, too: it may come as slowly as it likes.
    const signal = AbortSignal.timeout(timeoutMilliseconds);
    return await read(await fetcher(url, { method: "POST", redirect: "manual", ...posted, signal }));
  } catch (error) {
    const isLate = error instanceof Error && error.name === "TimeoutError";
    return { ok: false, fault: isLate ? "timeout" : "no connection" };
  }
}
