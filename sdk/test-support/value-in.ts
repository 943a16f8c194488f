import type { Result } from "../types.ts";

/** The value of a result; throws its error. */
export function valueIn<T>(result: Result<T>): T {
  if (result.ok) return result.value;
  throw result.error;
}
