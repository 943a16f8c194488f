import type { BearerContext } from "../context.ts";
import { ApiError } from "../errors.ts";
import { open, seal } from "../secrets/sealed.ts";

/** Cursors of the audit log: a row's id and time, sealed, because ids would show an airline how much happens at others. */

/** A row of the log. */
export interface LogPlace {
  readonly id: number;
  readonly at: number;
}

/** Which way the log is read: a cursor of one leads nowhere in the other. */
type Reading = "events" | "audit-events";
const placeOf = (reading: Reading) => ({ field: "cursor", id: reading }) as const;

export const sealCursor = ({ settings }: BearerContext, reading: Reading, { id, at }: LogPlace) =>
  seal(settings.dataKey, placeOf(reading), `${id} ${at}`);

/** Throws `invalid_request` for a cursor that the service did not issue. */
export async function openCursor(
  { settings }: BearerContext,
  reading: Reading,
  cursor: string,
): Promise<LogPlace> {
  try {
    const [id, at] = (await open(settings.dataKey, placeOf(reading), cursor)).split(" ").map(Number);
    return { id: id as number, at: at as number };
  } catch {
    throw new ApiError("invalid_request", {
      message: "The request is malformed: cursor.",
      errors: ["cursor must be one that this service has given, not long ago"],
    });
  }
}
