import * as v from "valibot";
import { advisory, optional } from "./fields.ts";

/** How operations on tags end in the field: counters without an id, an addition to the interface (rules §8). */

/** A name and a whole number: the major version. A minor one would distinguish devices. */
const version = v.pipe(v.string(), v.regex(/^[a-z][a-z0-9 ]{0,19}\/\d{1,3}$/));

/** How one operation ended, and on what. */
export const Outcome = v.object({
  /** What the person did. */
  operation: v.picklist(["pick", "connect", "transfer", "clear", "settle", "release"]),
  /** The step in which it ended; absent where none had begun. */
  phase: optional(v.pipe(v.string(), v.regex(/^[a-z]{1,12}$/))),
  /** `ok`, `pending_retry` or the error's code. */
  outcome: v.pipe(v.string(), v.regex(/^[a-z][a-z0-9_]{0,39}$/)),
  /** The tag's GATT generation, where it was read. */
  generation: optional(v.picklist(["2.0", "2.1"])),
  /** The tag's model. With more than four digits in a row it may be a serial number, and counts as absent. */
  model: advisory(v.pipe(v.string(), v.regex(/^(?!.*\d{5})[A-Za-z][\w .+-]{0,19}$/))),
  /** The tag's firmware: a version of at most four numbers; anything else counts as absent. */
  firmware: advisory(v.pipe(v.string(), v.regex(/^\d{1,3}(\.\d{1,3}){0,3}$/))),
  /** Browser or app, with its major version. */
  app: version,
  /** Operating system, with its major version. */
  os: version,
  /** From its beginning to its end, in milliseconds, rounded to a tenth of a second. */
  milliseconds: v.pipe(v.number(), v.integer(), v.minValue(0), v.maxValue(600_000), v.multipleOf(100)),
});
export type Outcome = v.InferOutput<typeof Outcome>;

/** POST /v2/outcomes. */
export const OutcomesRequest = v.object({
  /** At most 20. */
  outcomes: v.pipe(v.array(Outcome), v.minLength(1), v.maxLength(20)),
});
export type OutcomesRequest = v.InferOutput<typeof OutcomesRequest>;

/** The same whether they are counted or not. */
export const OutcomesResponse = v.object({
  /** Always true. */
  received: v.literal(true),
});
export type OutcomesResponse = v.InferOutput<typeof OutcomesResponse>;
