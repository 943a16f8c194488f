import {
  type BagAcceptance,
  BagAcceptanceAnswer,
  type BagAllowance,
  type BagRefusal,
  refusalNamed,
} from "../../core/api/index.ts";
import type { AcceptanceFallback } from "../../db/schema.ts";
import type { RequestContext } from "../context.ts";
import { ApiError } from "../errors.ts";
import type { Answered } from "../webhooks/message.ts";
import { askHost, type Host } from "./ask.ts";

/** Whether the airline accepts one more bag, as its host says or, where that does not answer, by its fallback. */

/** A way to add the bag that the airline allows. */
export interface Grant {
  /** Absent: staff's own, or one of the airline's range. */
  readonly plate?: { readonly licencePlate: string; readonly readable?: string };
  readonly allowed?: BagAllowance;
}

/** An attempt, and one more: a host that restarts must not stop a queue. */
const TRIES = 2;

/** Asks; the answer is what to try, one after the other. Throws as {@link decideBag} does. */
export async function askForBag(
  ctx: RequestContext,
  host: Host,
  data: BagAcceptance,
  language: string | undefined,
): Promise<readonly Grant[]> {
  const message = { type: "bag.acceptance", timestamp: new Date(ctx.now).toISOString(), data } as const;
  const answer = await askHost(ctx, host, message, { schema: BagAcceptanceAnswer, tries: TRIES, language });
  if (!answer.ok) ctx.unread.add(`bag.acceptance: ${answer.fault}`);
  return decideBag(data, answer, host.fallback);
}

export const refused = (reason: BagRefusal, ...sentence: readonly string[]) =>
  new ApiError("bag_refused", { errors: [reason, ...sentence], reason });

/** The airline wants no bag without an answer that can be used. */
export const unanswered = (fault: string) =>
  new ApiError("service_unavailable", { reason: `bag.acceptance: ${fault}` });

/**
 * What follows from an answer, or from none. Throws `bag_refused` with the reason, `service_unavailable` where the host does
 * not answer and the airline wants no bag without it.
 */
export function decideBag(
  asked: BagAcceptance,
  answer: Answered<BagAcceptanceAnswer>,
  fallback: AcceptanceFallback,
): readonly Grant[] {
  const withoutAnswer = (fault: string): readonly Grant[] => {
    if (fallback === "draw") return [{}];
    throw unanswered(fault);
  };
  if (!answer.ok) return withoutAnswer(answer.fault);
  const { result, licencePlate, readable, allowed, reason, sentence } = answer.value;
  if (result === "refused") {
    const isShown = sentence !== undefined && !namesPassenger(sentence, asked);
    throw refused(refusalNamed(reason), ...(isShown ? [sentence] : []));
  }
  const { number, licencePlate: own } = asked.bag;
  if ((allowed?.pieces ?? number) < number) throw refused("allowance");
  if (own !== undefined && licencePlate !== undefined && own !== licencePlate)
    return withoutAnswer("another plate");
  const grant = allowed === undefined ? {} : { allowed };
  if (licencePlate === undefined || own !== undefined) return [grant];
  const plated = { ...grant, plate: { licencePlate, ...(readable !== undefined && { readable }) } };
  return fallback === "draw" ? [plated, grant] : [plated];
}

/** Errors name no passenger and no booking (rules §1): such a sentence is left out. */
function namesPassenger(sentence: string, { recordLocator, passenger }: BagAcceptance): boolean {
  const said = words(sentence);
  return [recordLocator, passenger.surname].some((name) => said.includes(words(name)));
}

const words = (text: string) =>
  ` ${text
    .toUpperCase()
    .split(/[^\p{L}\p{N}]+/u)
    .filter(Boolean)
    .join(" ")} `;
