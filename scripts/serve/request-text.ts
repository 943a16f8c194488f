/**
 * The service's log for the eyes of a developer: one short line a request. `LOG=json` shows the lines as a deployment
 * writes them (worker/http/request.ts).
 */

interface LogLine {
  readonly method?: string;
  readonly route?: string;
  readonly status?: number;
  readonly milliseconds?: number;
  readonly errorCode?: string;
  readonly reason?: string;
  readonly cause?: string;
  readonly stack?: readonly string[];
}

/** `POST /v2/ebt-unlocks 403 12 ms not_lock_holder`; a line that is not the service's own stays as it is. */
export function requestText(line: string): string {
  const { method, route, status, milliseconds, errorCode, reason, cause, stack } = parsed(line);
  if (route === undefined || status === undefined) return line;
  const head = [method, route, status, `${milliseconds ?? 0} ms`, errorCode, reason && `(${reason})`];
  return [head.filter(Boolean).join(" "), ...(cause === undefined ? [] : [cause, ...(stack ?? [])])].join(
    "\n",
  );
}

function parsed(line: string): LogLine {
  try {
    const value: unknown = JSON.parse(line);
    return typeof value === "object" && value !== null ? value : {};
  } catch {
    // Not a line of the service but plain text from something below it.
    return {};
  }
}
