import type { BatchItem } from "drizzle-orm/batch";
import type { BearerContext } from "../context.ts";

/** Runs `statements`, however many, as one batch: all of them take effect or none. Answers in their order. */
export async function runAll(
  { db }: BearerContext,
  [first, ...rest]: readonly BatchItem<"sqlite">[],
): Promise<readonly unknown[]> {
  return first === undefined ? [] : db.batch([first, ...rest]);
}
