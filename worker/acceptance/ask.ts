import type * as v from "valibot";
import { type HostMessage, parseAnswer } from "../../core/api/index.ts";
import { EncodingError, fromUtf8, toBase64Url } from "../../core/encoding/bytes.ts";
import type { acceptanceHosts } from "../../db/schema.ts";
import type { RequestContext } from "../context.ts";
import { readCapped } from "../http/capped.ts";
import { open } from "../secrets/sealed.ts";
import { addressFault } from "../webhooks/address.ts";
import { keysAt } from "../webhooks/keys.ts";
import { signedHeaders } from "../webhooks/message.ts";

/** One question to an airline's own host (docs/acceptance.md): signed as webhooks are, and sent where they may be. */

export type Host = typeof acceptanceHosts.$inferSelect;

/** What the host answered, or how it failed, in our words. */
export type Answered<T> =
  | { readonly ok: true; readonly value: T }
  | { readonly ok: false; readonly fault: string };

interface Asking<S> {
  readonly schema: S;
  /** How often it is asked at most, each time for the whole time limit, under one `webhook-id`. */
  readonly tries: number;
  /** Of the caller, for sentences (RFC 9110 §12.5.4). */
  readonly language?: string | undefined;
}

/** Asks until an answer is a record of `schema`; never rejects for what the host does. */
export async function askHost<const S extends v.GenericSchema<unknown, unknown>>(
  ctx: RequestContext,
  host: Host,
  message: HostMessage,
  { schema, tries, language }: Asking<S>,
): Promise<Answered<v.InferOutput<S>>> {
  const { settings, now, random } = ctx;
  const place = { field: "acceptance-secret", id: host.airline } as const;
  const keys = keysAt(await open(settings.dataKey, place, host.secretSealed), now);
  const posted = { id: `msg_${toBase64Url(random(16))}`, body: JSON.stringify(message) };
  const headers = {
    ...(await signedHeaders(keys, posted, now)),
    Accept: "application/json",
    ...(language && { "Accept-Language": language }),
  };
  for (let left = tries; ; left--) {
    const answer = await post(ctx, host.url, { headers, body: posted.body });
    const parsed = answer.ok ? parseAnswer(schema, answer.value) : answer;
    if (parsed.ok) return parsed;
    const fault = "fault" in parsed ? parsed.fault : "not an answer";
    if (left <= 1) return { ok: false, fault };
  }
}

/** Redirects are not followed: they would let the answering server choose another host. */
async function post(
  { fetcher, settings }: RequestContext,
  url: string,
  posted: Pick<RequestInit, "headers" | "body">,
): Promise<Answered<unknown>> {
  const { limits, environment } = settings;
  // Checked when it was set, and again: an attacker who can write the database must not reach further.
  if (addressFault(url, { isDevelopment: environment === "development" }) !== undefined)
    return { ok: false, fault: "address" };
  try {
    // Of the body, too: it may come as slowly as it likes.
    const signal = AbortSignal.timeout(limits.acceptanceTimeoutMilliseconds);
    const answer = await fetcher(url, { method: "POST", redirect: "manual", ...posted, signal });
    if (answer.status !== 200) {
      await answer.body?.cancel();
      return { ok: false, fault: `status ${answer.status}` };
    }
    const body = await readCapped(answer, limits.acceptanceBytes);
    if (body === undefined) return { ok: false, fault: "too large" };
    return { ok: true, value: JSON.parse(fromUtf8(body)) };
  } catch (error) {
    return { ok: false, fault: faultOf(error) };
  }
}

function faultOf(error: unknown): string {
  if (error instanceof SyntaxError || error instanceof EncodingError) return "not JSON";
  return error instanceof Error && error.name === "TimeoutError" ? "timeout" : "no connection";
}
