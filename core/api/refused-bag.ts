/** Why an airline refuses a bag (docs/acceptance.md): a closed list, the first of `errors` under `bag_refused`. */
export const BAG_REFUSALS = [
  "allowance",
  "not_checked_in",
  "route",
  "too_early",
  "too_late",
  "restricted",
] as const;
export type BagRefusal = (typeof BAG_REFUSALS)[number];

/** The reason that `text` names; any other is the airline's own, which no passenger can do anything about. */
export const refusalNamed = (text: string | undefined): BagRefusal =>
  BAG_REFUSALS.find((reason) => reason === text) ?? "restricted";
