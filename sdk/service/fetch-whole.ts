/** One way to fetch: headers and body within one time limit. */
import { within } from "../abort.ts";

/** Milliseconds. */
const TIMEOUT = 10_000;

export interface WholeAnswer {
  readonly answer: Response;
  readonly text: string;
}

/**
 * Rejects with what `late` makes when headers and body together take too long, with `cancelled`, and as fetch does when the
 * connection breaks, in the body too. The request ends with this call: a fetch that ignores its signal blocks no caller.
 */
export async function fetchWhole(
  send: typeof fetch,
  request: RequestInit & { readonly url: string },
  signal: AbortSignal,
  late: () => Error,
): Promise<WholeAnswer> {
  const attempt = new AbortController();
  const whole = async () => {
    const { url, ...init } = request;
    const answer = await send(url, { ...init, signal: attempt.signal });
    return { answer, text: await answer.text() };
  };
  try {
    return await within(TIMEOUT, signal, whole(), late);
  } finally {
    attempt.abort();
  }
}
