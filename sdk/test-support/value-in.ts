import { expect } from "vitest";
import type { FlushReport, Result } from "../types.ts";

/** The value of a result; throws its error. */
export function valueIn<T>(result: Result<T>): T {
  if (result.ok) return result.value;
  throw result.error;
}

/** The report of a flush, whatever the ids of what was sent. */
export function reportOf(counts: Partial<Omit<FlushReport, "sentIds">>): FlushReport {
  const { sent = 0 } = counts;
  const sentIds = Array.from({ length: sent }, () => expect.any(String) as string);
  return { ...{ sent, sentIds, dropped: 0, left: 0, asking: 0 }, ...counts };
}
