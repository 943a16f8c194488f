/**
 * What the service answers a host: the contract's records (`core/api`) under the same names, as plain types
 * that need no schema library. If the two differ, the calls that return them do not compile. Instants are ISO
 * 8601.
 */

/** One passenger's part of a booking. */
export interface Journey {
  readonly journeyId: string;
  readonly recordLocator: string;
  readonly passenger: { readonly givenName: string; readonly surname: string };
  /** In travel order. */
  readonly flights: readonly JourneyFlight[];
  readonly baggage: readonly JourneyBag[];
  /** IATA codes. */
  readonly departureAirport: string;
  readonly destinationAirport: string;
  readonly destinationCity?: string;
  /** What people call it, by language (BCP 47): English, and each whose name differs. Labels never show these. */
  readonly destinationNames?: Readonly<Record<string, string>>;
  /** Class of travel. */
  readonly cabin?: string;
  /** False: the operator lists no electronic tags for the first flight's airline at its airport; the tag may still be written. */
  readonly acceptsTags?: false;
  /** Grows with every change of the journey. */
  readonly version: number;
  /** Seen as a delegate: locator and surname are masked. */
  readonly delegationId?: string;
}

/** The journey with its new bag. */
export interface JourneyWithNewBag extends Journey {
  /** What the airline allows, where it was asked: the most that the bag may weigh, the most bags of the journey. */
  readonly allowed?: { readonly kilograms?: number; readonly pieces?: number };
}

/** The journey asked for, and the other passengers of the same booking. */
export interface JourneyWithCompanions extends Journey {
  readonly companions?: readonly Journey[];
}

/** One leg. */
export interface JourneyFlight {
  readonly carrier: string;
  /** The flight number without the carrier. */
  readonly number: string;
  /** `YYYY-MM-DD`, the local day of departure. */
  readonly date: string;
  /** IATA codes. */
  readonly from: string;
  readonly to: string;
  readonly scheduledDeparture?: string;
  readonly scheduledArrival?: string;
}

export interface JourneyBag {
  readonly baggageId: number;
  /** Ten digits. */
  readonly licencePlate: string;
  /** The id of the tag that is locked to this bag. */
  readonly attachedDevice?: string;
  /** Further tags that are locked to this bag, latest first. */
  readonly otherDevices?: readonly string[];
  /** Whether the first tag is marked lost. */
  readonly lost?: boolean;
  /** When it was last reported found, where its holder has not muted that. */
  readonly foundAt?: string;
  /** Whether it was, and its holder has muted that. */
  readonly foundMuted?: boolean;
  readonly failedCustodyProofs?: FailedCustodyProofs;
  /** Why the bag's tag was unlocked, if no holder did it; not for delegates. */
  readonly lockEnded?: BagLockEnded;
  /** The plate as people read it: `SK 123456`. */
  readonly readable?: string;
  /** Bits: 1 EU green edge, 2 priority. */
  readonly flags?: number;
}

/** A code for another person's phone. */
export interface DelegationCode {
  readonly delegationId: string;
  /** 16 random bytes, base64url; counts once. */
  readonly code: string;
  readonly expiresAt: string;
}

/** What two people compare: three digits. */
export interface DelegationClaim {
  readonly delegationId: string;
  readonly comparison: string;
}

/** One of the caller's delegations. */
export interface Delegation {
  readonly delegationId: string;
  /** open: the code waits; claimed: both confirm; active: the other phone may write. */
  readonly state: "open" | "claimed" | "active";
  readonly role: "holder" | "delegate";
  /** Whether the caller has confirmed. */
  readonly confirmed: boolean;
  readonly comparison?: string;
  readonly expiresAt?: string;
  /** Of the booking; a delegate sees them once it is active. */
  readonly journeyIds: readonly string[];
}

/** What a decision has come to; claimed: the other one has yet to confirm. */
export interface DelegationDecision {
  readonly delegationId: string;
  readonly state: "claimed" | "active" | "ended";
}

/** Failed custody proofs at a tag since its lock was made; only its holder sees them. */
export interface FailedCustodyProofs {
  readonly count: number;
  readonly lastAt: string;
}

/** A tag's lock, as the caller may see it. */
export interface EbtLockLookupResponse {
  readonly locked?: boolean;
  /** Locked to a journey of the caller's own. */
  readonly sameTravelPlan?: boolean;
  readonly requiresCustodyProof?: boolean;
  /** Present if a proof is required. */
  readonly hints?: CustodyHints;
  /** For staff who may release locks, if a proof is required: when the journey flies. */
  readonly flightDates?: FlightDates;
  /** For the same: whether the bag on the tag is on another tag, too. */
  readonly bagOnOtherTag?: boolean;
  /** The caller's own bag that is on the tag. */
  readonly attachedBaggageId?: number;
  readonly lost?: boolean;
  readonly failedCustodyProofs?: FailedCustodyProofs;
  /** Present if a proof is required and the tag can sign: 16 bytes, base64url, for the tag to sign. */
  readonly tagChallenge?: string;
  /** For those who held the last lock on this tag: why and when it ended. */
  readonly lockEnded?: LockEnded;
}

/** Why a lock ended before its time. */
export interface LockEnded {
  readonly reason: "proof" | "holder" | "staff" | "voided" | "superseded" | "displaced";
  readonly at: string;
}

/** How the newest lock of a bag ended, if no holder did it and the bag is on no newer tag. */
export interface BagLockEnded extends LockEnded {
  /** The tag that was locked to the bag. */
  readonly uniqueDeviceId: string;
}

/** Whether the tag now counts as lost. */
export interface DeviceLossResponse {
  readonly uniqueDeviceId: string;
  readonly lost: boolean;
}

/** What a finder said of a bag; whatever they left out is absent. */
export interface FoundReport {
  readonly at: string;
  /** IATA code. */
  readonly airport?: string;
  readonly desk?: string;
  readonly words?: string;
  readonly position?: {
    readonly latitude: number;
    readonly longitude: number;
    readonly accuracyMetres: number;
  };
}

/** The story of a bag as its holder sees it. */
export interface BagTrace {
  readonly uniqueDeviceId: string;
  readonly lostSince?: string;
  readonly muted: boolean;
  /** Newest first, three a day at most. */
  readonly reports: readonly FoundReport[];
  /** How many more staff see. */
  readonly more: number;
  readonly link?: {
    readonly host: string;
    readonly addedAt: string;
    /** IATA designator of the airline that opened it last. */
    readonly openedBy?: string;
    readonly openedAt?: string;
  };
  /** Web Push notifies the caller of reports. */
  readonly pushed?: true;
}

/** What a holder changes. */
export interface BagTraceChange {
  readonly muted?: boolean;
  readonly locationLink?: string;
  /** An endpoint of the browser's push service; empty takes it away. */
  readonly pushEndpoint?: string;
  /** With an endpoint: whether it also gets one message an hour after landing, to clear the tag. */
  readonly remindToClear?: boolean;
}

/** A lost or found bag as staff see it. */
export interface TracedBag {
  readonly uniqueDeviceId: string;
  readonly journeyId: string;
  readonly baggageId: number;
  readonly licencePlate?: string;
  /** The last flight: carrier and number. */
  readonly flight?: string;
  readonly lostSince?: string;
  readonly foundAt?: string;
  readonly reportCount: number;
  readonly hasLocationLink: boolean;
  /** Newest first, where one tag was asked for; `source` is the same for reports from one network. */
  readonly reports?: readonly (FoundReport & { readonly source: string })[];
}

/** Latest news first. */
export interface TracedBags {
  readonly bags: readonly TracedBag[];
  readonly nextCursor?: string;
}

/** The holder's link to where the bag is. */
export interface OpenedLocation {
  readonly uniqueDeviceId: string;
  readonly locationLink: string;
}

/** The lock is gone. */
export interface EbtUnlockResponse {
  readonly uniqueDeviceId: string;
  readonly locked: false;
}

/** What a custody proof dialog may show. Masks have a fixed width and reveal nothing of the length. */
export interface CustodyHints {
  readonly maskedRecordLocator?: string;
  readonly maskedSurname?: string;
  readonly departureAirport?: string;
  readonly destinationAirport?: string;
}

/** The days (`YYYY-MM-DD`) of a journey's first and last flight, each in the time of its airport of departure. */
export interface FlightDates {
  readonly first: string;
  readonly last: string;
}

/** A staff id and its PIN, as typed: never stored. */
export interface StaffProof {
  readonly id: string;
  readonly pin: string;
}
