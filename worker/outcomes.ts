import type { Outcome, OutcomesRequest, OutcomesResponse } from "../core/api/index.ts";
import type { RequestContext } from "./context.ts";

/**
 * Counts how operations on tags end in the field (rules §8). Nothing of the caller is kept, and the database is not asked.
 * The answer is the same where nothing is counted.
 */
export async function countOutcomes(
  { outcomeCounts, settings }: RequestContext,
  { outcomes }: OutcomesRequest,
): Promise<OutcomesResponse> {
  if (settings.outcomes !== undefined)
    for (const outcome of outcomes) outcomeCounts?.writeDataPoint(point(outcome));
  return { received: true };
}

/** The columns of the data set; docs/alarms.md has queries over them. */
function point({ operation, outcome, app, os, milliseconds, ...known }: Outcome) {
  const { phase = "", generation = "", model = "", firmware = "" } = known;
  const blobs = [operation, phase, outcome, generation, model, firmware, app, os];
  return { indexes: [operation], blobs, doubles: [milliseconds] };
}
