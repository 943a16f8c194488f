import { isTaglatchError } from "../../sdk/index.ts";
import { RadioError } from "../radio/radio-error.ts";
import { helpFor } from "../tag/help.ts";
import type { PhoneOptions } from "./options.ts";

/** No service answers at this address. */
export class NoService extends Error {
  override readonly name = "NoService";
}

/** What went wrong and what to do next, in words; undefined for a fault of ours. */
export function explainFailure(error: unknown, options: PhoneOptions): string | undefined {
  if (error instanceof NoService)
    return `No service answers at ${error.message}. Run \`npm start\`, or name another: npm run phone -- --service URL`;
  if (error instanceof RadioError && (error.code === "no_bluetooth" || error.code === "no_adapter"))
    return `There is no adapter ${options.radio}. Leave out --radio to do without one.`;
  if (!isTaglatchError(error)) return helpFor(error, options.radio ?? "");
  const next = NEXT[error.code]?.(options);
  return `${error.code}: ${error.message.replace(/\.$/, "")}.${next === undefined ? "" : ` ${next}`}`;
}

/** The next step by the code of what failed. */
const NEXT: Readonly<Record<string, (options: PhoneOptions) => string>> = {
  journey_not_found: ({ booking, surname }) =>
    `No booking ${booking} for ${surname}: npm run phone -- --booking LOCATOR --surname NAME`,
  custody_proof_required: () =>
    "Clear it with the booking that wrote it: npm run phone -- clear --booking LOCATOR --surname NAME",
  outcome_unknown: () => "Start the tag again, and run the same command: it asks the tag what it shows.",
  out_of_reach: () => "Start the tag again, and run the same command.",
  link_lost: () => "Start the tag again, and run the same command.",
  tag_busy: () => "The tag takes so many sessions a minute. Wait some seconds.",
};
