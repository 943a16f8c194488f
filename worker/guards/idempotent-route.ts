import { type EndpointName, HEADER } from "../../core/api/index.ts";
import type { Http } from "../http/route.ts";
import { keyedRequest } from "./idempotency.ts";

/** What routes that take an Idempotency-Key have in common. */

export const keyed = (endpoint: EndpointName, { headers, body }: Http, subject?: string) =>
  keyedRequest(endpoint, headers.get(HEADER.idempotencyKey), body, subject);

/** Passes an answer on, and says so where it is an earlier one again. */
export function said<T>(
  { answer, isReplay }: { readonly answer: T; readonly isReplay: boolean },
  http: Http,
): T {
  if (isReplay) http.setHeader("Idempotent-Replayed", "true");
  return answer;
}
