import type * as v from "valibot";
import { type HostMessage, parseAnswer } from "../../core/api/index.ts";
import { fromUtf8, toBase64Url } from "../../core/encoding/bytes.ts";
import type { acceptanceHosts } from "../../db/schema.ts";
import type { RequestContext } from "../context.ts";
import { readCapped } from "../http/request.ts";
import { open } from "../secrets/sealed.ts";
import { keysAt } from "../webhooks/keys.ts";
import { type Answered, post, signedHeaders } from "../webhooks/message.ts";

/** One question to an airline's own host (docs/acceptance.md): signed as webhooks are, and sent where they may be. */

export type Host = typeof acceptanceHosts.$inferSelect;

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
  const { settings, now, random, fetcher } = ctx;
  const place = { field: "acceptance-secret", id: host.airline } as const;
  const keys = keysAt(await open(settings.dataKey, place, host.secretSealed), now);
  const posted = { id: `msg_${toBase64Url(random(16))}`, body: JSON.stringify(message) };
  const headers = {
    ...(await signedHeaders(keys, posted, now)),
    Accept: "application/json",
    ...(language && { "Accept-Language": language }),
  };
  const sending = {
    fetcher,
    isDevelopment: settings.environment === "development",
    timeoutMilliseconds: settings.limits.acceptanceTimeoutMilliseconds,
  };
  const read = (answer: Response) => readJson(answer, settings.limits.acceptanceBytes);
  for (let left = tries; ; left--) {
    const answer = await post(sending, host.url, { headers, body: posted.body }, read);
    const parsed = answer.ok ? parseAnswer(schema, answer.value) : answer;
    if (parsed.ok) return parsed;
    const fault = "fault" in parsed ? parsed.fault : "not an answer";
    if (left <= 1) return { ok: false, fault };
  }
}

async function readJson(answer: Response, limit: number): Promise<Answered<unknown>> {
  const isRight = answer.status === 200;
  const body = isRight ? await readCapped(answer, limit) : await answer.body?.cancel();
  if (body === undefined) return { ok: false, fault: isRight ? "too large" : `status ${answer.status}` };
  try {
    return { ok: true, value: JSON.parse(fromUtf8(body)) };
  } catch {
    return { ok: false, fault: "not JSON" };
  }
}
