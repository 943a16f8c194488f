import type { ErrorCode } from "./error-codes.ts";

/**
 * The one table of names in the audit log (rules §5): what the service parses and writes, the enumerations of
 * `/openapi.json` and the lists of docs/listen.md come from here. A listener must expect names of a later version.
 */

/** What happens to bags and tags, and what it means. The feed and webhooks deliver these. */
export const BAG_EVENTS = {
  bag_added: "A bag was added to a journey.",
  bag_removed: "A bag was removed from its journey.",
  attached: "A tag was locked to the bag: its label is on it, or about to be.",
  proven: "The tag has signed that the lock's holder wrote the label.",
  cleared: "The holder cleared the tag, and the lock ended.",
  custody_proven: "A caller proved record locator and surname, and the lock ended.",
  custody_proof_failed: "A caller tried a wrong record locator or surname at the tag.",
  released: "Ground staff or the operator ended the lock.",
  lock_ended: "The lock expired. The tag may still show the label.",
  replaced: "The lock ended: the tag is locked to another booking's bag, or by another of its names.",
  voided: "The lock ended: the tag has signed that its label is gone, or another holder's.",
  displaced: "The lock ended: its booking had more tags than bags.",
  claim_gave_way: "A claim on the tag ended in favour of an entitled holder.",
  lost: "The tag was marked lost.",
  found: "The tag was found again: bag and owner are reunited.",
  found_reported: "A finder reported the bag; the list of found bags has the place.",
  location_opened: "Ground staff opened the holder's link to where the bag is.",
} as const;

/** What else the service writes down, besides refusals. */
export const OTHER_EVENTS = {
  tag_statement_refused: "A statement sent as a tag's own did not verify and was ignored.",
  tag_key_changed: "A tag showed another key than its registered one.",
  staff_checked: "A member of staff proved at a kiosk who they are.",
  delegate_added:
    "Two people confirmed that the phone of one may write tags for a booking that the other has loaded.",
  delegate_removed: "One of the two ended that right.",
  delegation_raced: "Two phones used the code, which is no longer valid.",
  journeys_read:
    "Ground staff read journeys by their ids, as many as `count` says in the minute that `reason` names.",
  booking_fed: "An airline created, changed or withdrew a booking.",
  baggage_messages_taken: "Baggage source messages were applied.",
  travel_plan_ambiguous: "A host named a booking that several airlines of its client have. None was loaded.",
  refresh_token_reused: "A refresh token came a second time, and its session ended.",
  booking_shown: "The operator looked at what is stored of a person.",
  booking_erased: "The operator erased what is stored of a person.",
} as const;

export type BagEventName = keyof typeof BAG_EVENTS;

const namesOf = <const T extends object>(table: T) => Object.keys(table) as (keyof T & string)[];

// `@__PURE__`: a bundle without these names leaves their table out. The page and the SDK need neither.
export const BAG_EVENT_NAMES = /* @__PURE__ */ namesOf(BAG_EVENTS);

/** Refusals that give one answer for many causes: the cause goes to the audit log (rules §1). */
export const AUDITED_REFUSALS = [
  "invalid_federated_token",
  "invalid_nonce",
  "invalid_attestation",
  "invalid_credentials",
  "invalid_refresh_token",
  "invalid_dpop_proof",
] as const satisfies readonly ErrorCode[];

/** Every name in the audit log. */
export const AUDITED_EVENTS = /* @__PURE__ */ (() => [
  ...BAG_EVENT_NAMES,
  ...namesOf(OTHER_EVENTS),
  ...AUDITED_REFUSALS,
])();
export type AuditedEvent = (typeof AUDITED_EVENTS)[number];

/**
 * The evidence for a lock (rules §5).
 *
 * - `claimed`: the caller's claim alone.
 * - `confirmed`: the same, and the tag has signed that they wrote it.
 * - `entitled`: the caller had loaded the booking, or was vouched for.
 * - `proven`: the same, and the tag has signed it.
 */
export const LOCK_EVIDENCE = ["claimed", "confirmed", "entitled", "proven"] as const;
export type LockEvidence = (typeof LOCK_EVIDENCE)[number];
