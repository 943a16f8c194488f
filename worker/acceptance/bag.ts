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
import { type Answered, askHost, type Host } from "./ask.ts";

/** Whether the airline accepts one more bag, as its host says or, where that does not answer, by its fallback. */

/** A way to add the bag that the airline allows. */
export interface Grant {
  /** Absent: staff's own, or one of the airline's range. */
  readonly plate?: { readonly licencePlate: string; readonly readable?: string };
  readonly allowed?: BagAllowance;
}

type Decision =
  | { readonly kind: "granted"; readonly grants: readonly Grant[] }
  | { readonly kind: "refused"; readonly reason: BagRefusal; readonly sentence?: string }
  | { readonly kind: "unanswered"; readonly fault: string };

/** An attempt, and one more: a host that restarts must not stop a queue. */
const TRIES = 2;

/**
 * Asks; the answer is what to try, one after the other. Throws `bag_refused` with the reason, `service_unavailable` where the host
 * does not answer and the airline wants no bag without it.
 */
export async function askForBag(
  ctx: RequestContext,
  host: Host,
  data: BagAcceptance,
  language: string | undefined,
): Promise<readonly Grant[]> {
  const message = { type: "bag.acceptance", timestamp: new Date(ctx.now).toISOString(), data } as const;
  const answer = await askHost(ctx, host, message, { schema: BagAcceptanceAnswer, tries: TRIES, language });
  if (!answer.ok) ctx.unread.add(`bag.acceptance: ${answer.fault}`);
  const decision = decideBag(data, answer, host.fallback);
  switch (decision.kind) {
    case "granted":
      return decision.grants;
    case "refused":
      throw refused(decision.reason, decision.sentence);
    case "unanswered":
      throw unanswered(decision.fault);
  }
}

export const refused = (reason: BagRefusal, ...sentences: readonly (string | undefined)[]) =>
  new ApiError("bag_refused", { errors: [reason, ...sentences.filter((one) => one !== undefined)], reason });

/** The airline wants no bag without an answer that can be used. */
export const unanswered = (fault: string) =>
  new ApiError("service_unavailable", { reason: `bag.acceptance: ${fault}` });

/** What follows from an answer, or from none. */
export function decideBag(
  asked: BagAcceptance,
  answer: Answered<BagAcceptanceAnswer>,
  fallback: AcceptanceFallback,
): Decision {
  if (!answer.ok) return withoutAnswer(fallback, answer.fault);
  const { result, licencePlate, readable, allowed, reason, sentence } = answer.value;
  if (result === "refused") {
    const isShown = sentence !== undefined && !namesPassenger(sentence, asked);
    return { kind: "refused", reason: refusalNamed(reason), ...(isShown && { sentence }) };
  }
  if ((allowed?.pieces ?? asked.bag.number) < asked.bag.number)
    return { kind: "refused", reason: "allowance" };
  const own = asked.bag.licencePlate;
  if (own !== undefined && licencePlate !== undefined && own !== licencePlate)
    return withoutAnswer(fallback, "another plate");
  const grant = allowed === undefined ? {} : { allowed };
  if (licencePlate === undefined || own !== undefined) return { kind: "granted", grants: [grant] };
  const plated = { ...grant, plate: { licencePlate, ...(readable !== undefined && { readable }) } };
  return { kind: "granted", grants: fallback === "draw" ? [plated, grant] : [plated] };
}

const withoutAnswer = (fallback: AcceptanceFallback, fault: string): Decision =>
  fallback === "draw" ? { kind: "granted", grants: [{}] } : { kind: "unanswered", fault };

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
