import type { Attempt } from "./attached-lock.ts";
import type { AttachmentFacts } from "./attachment-facts.ts";
import type { Caller } from "./rules.ts";
import type { Raise } from "./writes.ts";

/**
 * How often one passenger may attach (rules §2): attachments an hour, claims an hour and network, and requests for bags
 * that do not exist an hour, so that no caller enumerates baggage ids.
 */

const HOUR = 3_600_000;

/** Keys of the counters. */
export const budgetOf = {
  attachments: (sub: string) => `attach:${sub}`,
  unknownBags: (sub: string) => `unknown-bag:${sub}`,
  claims: (network: string) => `claim:${network}`,
};

/** The counters that an attempt raises; none if one that applies is spent, and then the seconds until it is not. */
export function raisesOf(
  { sub, network, isUnlimited, limits, now }: Caller,
  counters: AttachmentFacts["counters"],
  { isBagFound, entitled }: Pick<Attempt, "isBagFound" | "entitled">,
): { readonly raises: readonly Raise[]; readonly retryAfter?: number } {
  if (isUnlimited) return { raises: [] };
  const budgets = [
    { key: budgetOf.attachments(sub), cap: limits.attachmentsPerSubjectPerHour, isRaised: true },
    // Applies to existing bags, too: a caller over this limit learns nothing of them.
    { key: budgetOf.unknownBags(sub), cap: limits.unknownBaggagePerSubjectPerHour, isRaised: !isBagFound },
    // An entitled attachment is never refused because others of its network have claimed too much.
    ...(isBagFound && !entitled
      ? [{ key: budgetOf.claims(network), cap: limits.claimsPerNetworkPerHour, isRaised: true }]
      : []),
  ].map((budget) => ({ ...budget, running: counters.find(({ key }) => key === budget.key) }));
  const spent = budgets.filter(({ cap, running }) => (running?.count ?? 0) >= cap);
  if (spent.length > 0) {
    const waits = spent.map(({ running }) => Math.ceil(((running?.endsAt ?? now + HOUR) - now) / 1_000));
    return { raises: [], retryAfter: Math.max(1, ...waits) };
  }
  const raised = budgets.filter(({ isRaised }) => isRaised);
  return { raises: raised.map(({ key, cap }) => ({ key, cap, endsAt: now + HOUR })) };
}
