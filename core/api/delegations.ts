import * as v from "valibot";
import { instant, optional, text } from "./fields.ts";

/** Another person's phone that writes tags for a booking (rules §5, "Delegates"): an addition to the interface. */

/** POST /v2/delegations. */
export const DelegationRequest = v.object({
  /** A journey of the booking; the caller has loaded it. */
  journeyId: text(64),
});
export type DelegationRequest = v.InferOutput<typeof DelegationRequest>;

/** The code to show to the other person. */
export const DelegationCode = v.object({
  /** Its public name from now on. */
  delegationId: v.string(),
  /** 16 random bytes, base64url. Counts once. */
  code: v.string(),
  /** When it stops to count. */
  expiresAt: instant,
});
export type DelegationCode = v.InferOutput<typeof DelegationCode>;

/** POST /v2/delegations/claims. */
export const DelegationClaimRequest = v.object({
  /** As the other phone shows it. */
  code: text(64),
});
export type DelegationClaimRequest = v.InferOutput<typeof DelegationClaimRequest>;

/** What the two compare. */
export const DelegationClaimResponse = v.object({
  /** For the confirmation. */
  delegationId: v.string(),
  /** Three digits: the holder's phone shows the same. */
  comparison: v.string(),
});
export type DelegationClaimResponse = v.InferOutput<typeof DelegationClaimResponse>;

/** POST /v2/delegations/decisions. */
export const DelegationDecisionRequest = v.object({
  /** Which. */
  delegationId: text(64),
  /** true: both phones show the same digits. false: it ends here, whatever it has come to. */
  confirmed: v.boolean(),
});
export type DelegationDecisionRequest = v.InferOutput<typeof DelegationDecisionRequest>;

/** One of the caller's delegations, as the caller may see it. */
export const Delegation = v.object({
  /** Its id with the service. */
  delegationId: v.string(),
  /** open: the code waits; claimed: another phone used it, and both confirm; active: the other phone may write. */
  state: v.picklist(["open", "claimed", "active"]),
  /** Whether the caller gives the right or has it. */
  role: v.picklist(["holder", "delegate"]),
  /** Whether the caller has confirmed. */
  confirmed: v.boolean(),
  /** Three digits, for the two who compare them. */
  comparison: optional(v.string()),
  /** While it is not active: when it ends by itself. */
  expiresAt: optional(instant),
  /** The booking's journeys; a delegate sees them once it is active. */
  journeyIds: v.array(v.string()),
});
export type Delegation = v.InferOutput<typeof Delegation>;

/** POST /v2/delegations/list. What has ended is not in it. */
export const DelegationListResponse = v.object({
  /** Of bookings that the caller has loaded, and those that the caller was given. */
  delegations: v.array(Delegation),
});
export type DelegationListResponse = v.InferOutput<typeof DelegationListResponse>;

/** What a decision has come to. */
export const DelegationDecisionResponse = v.object({
  /** Which. */
  delegationId: v.string(),
  /** claimed: the other one has yet to confirm. */
  state: v.picklist(["claimed", "active", "ended"]),
});
export type DelegationDecisionResponse = v.InferOutput<typeof DelegationDecisionResponse>;
