import * as v from "valibot";
import {
  advisory,
  base64Text,
  base64UrlText,
  cutText,
  day,
  deviceId,
  digest32,
  instant,
  int32,
  namedDevice,
  octets8,
  optional,
  text,
} from "./fields.ts";
import { StaffProof } from "./sessions.ts";

/** Records of the security endpoints, 7 to 12, with the optional additions of rules §5 and §6. */

/** The tag's certificate: DER, base64. One that does not verify counts as absent. */
const tagCertificate = advisory(base64Text(4_096));
/**
 * The tag's signed statement of its last commit (protocol.md, Statement): a COSE_Sign1, base64url. One that does not
 * verify counts as absent.
 */
const tagStatement = advisory(base64UrlText(2_048));
/** The `cti` of the transaction token that the tag took, base64url. One of another caller counts as absent. */
const cti = advisory(octets8);
/** The bag that the caller means to put on the tag. One that is not the caller's counts as absent. */
const forBaggageId = int32(1);
/** The bag's number with the service. */
const baggageId = int32(1);

/** Endpoint 7. */
export const DeviceClientCertificateResponse = v.object({
  /** DER of the intermediate followed by DER of the leaf, together base64-encoded once. */
  certificateChain: v.pipe(v.string(), v.base64()),
});
export type DeviceClientCertificateResponse = v.InferOutput<typeof DeviceClientCertificateResponse>;

/** Endpoint 8. */
export const EbtAuthorizationRequest = v.object({
  uniqueDeviceId: deviceId,
  /** The nonce read from the tag: 16 bytes as base64url, base64 or hex, or any other text. */
  nonce: text(256),
  /** What the token permits; without it either. */
  operation: optional(v.picklist(["write", "clear"])),
  /** SHA-256 of the label, 32 bytes as base64url. */
  payloadDigest: optional(digest32),
  /** Ties the token to the handshake (protocol.md, Token): 32 bytes as base64url. */
  channelBinding: optional(digest32),
  /** The generation that the tag speaks with the client. */
  gattVersion: optional(v.picklist(["2.0", "2.1"])),
  /** The bag whose label `payloadDigest` must be of. */
  baggageId: optional(int32(1)),
  forBaggageId: optional(forBaggageId),
  tagCertificate,
  tagStatement,
});
export type EbtAuthorizationRequest = v.InferOutput<typeof EbtAuthorizationRequest>;

/** Endpoint 8. */
export const EbtAuthorizationResponse = v.object({
  /** For the tag, opaque to callers: base64url of a COSE_Sign1 CWT. */
  transactionToken: v.string(),
  /**
   * Whose write the tag's last commit is, from the `tagStatement` of this request: absent without one, for staff, and where
   * the service cannot say.
   */
  lastCommit: optional(v.picklist(["own", "other"])),
});
export type EbtAuthorizationResponse = v.InferOutput<typeof EbtAuthorizationResponse>;

/**
 * At least one of uniqueID, mac, guid; the first of them present is the identity. The other fields are advisory and refuse
 * nothing, because the tag is written already: text is cut at 40 characters (serialNumber at 64), and a value of another
 * type counts as absent.
 */
export const DeviceModel = v.pipe(
  v.object({
    uniqueID: optional(deviceId),
    /** MAC address of the tag. */
    mac: optional(deviceId),
    /** GUID of the tag. */
    guid: optional(deviceId),
    /** CCID of the tag. */
    ccid: advisory(cutText(40)),
    /** Name under which the tag advertises. */
    tagName: advisory(cutText(40)),
    /** MAC address of the phone. */
    phoneMac: advisory(cutText(40)),
    /** Hardware model of the tag. */
    bagTagModel: advisory(cutText(40)),
    /** Charge of the tag's battery, in per cent. */
    batteryPercentage: advisory(int32()),
    /** Version of the tag's firmware. */
    firmwareVersion: advisory(cutText(40)),
    /** Serial number of the tag. */
    serialNumber: advisory(cutText(64)),
  }),
  v.metadata({ requireOneOf: ["uniqueID", "mac", "guid"] }),
);
export type DeviceModel = v.InferOutput<typeof DeviceModel>;

/** Endpoint 9. */
export const DeviceAttachmentRequest = v.object({
  /** The tag. */
  device: DeviceModel,
  baggageId,
  tagCertificate,
  tagStatement,
  cti,
});
export type DeviceAttachmentRequest = v.InferOutput<typeof DeviceAttachmentRequest>;

/** Endpoint 9: the lock as it is. */
export const DeviceAttachmentResponse = v.object({
  uniqueDeviceId: namedDevice,
  baggageId,
  /** The journey that the tag is locked to. */
  journeyId: v.string(),
  /** Always true. */
  locked: v.literal(true),
  /** Since when. */
  lockedAt: instant,
  /** Ids of further tags with the same bag, latest first. */
  otherDevices: optional(v.array(v.string())),
});
export type DeviceAttachmentResponse = v.InferOutput<typeof DeviceAttachmentResponse>;

/** Endpoint 10. */
export const EbtLockLookupRequest = v.object({
  uniqueDeviceId: deviceId,
  forBaggageId: optional(forBaggageId),
  tagCertificate,
});
export type EbtLockLookupRequest = v.InferOutput<typeof EbtLockLookupRequest>;

/** Masked hints for the custody proof dialog. */
export const EbtLockHints = v.object({
  /** First character and a mask of fixed width. */
  maskedRecordLocator: optional(v.string()),
  /** First letter and a mask of fixed width. */
  maskedSurname: optional(v.string()),
  /** IATA code. */
  departureAirport: optional(v.string()),
  /** IATA code. */
  destinationAirport: optional(v.string()),
});
export type EbtLockHints = v.InferOutput<typeof EbtLockHints>;

/** What a holder learns of attempts at the tag. */
export const FailedCustodyProofs = v.object({
  /** How many custody proofs failed since the lock was made. */
  count: int32(1),
  /** When the last one did. */
  lastAt: instant,
});
export type FailedCustodyProofs = v.InferOutput<typeof FailedCustodyProofs>;

/** Why a lock ended before its time (rules §5). */
export const LockEnd = v.picklist(["proof", "holder", "staff", "voided", "superseded", "displaced"]);
export type LockEnd = v.InferOutput<typeof LockEnd>;

/** For holders of the last lock on a tag: why and when it ended. */
export const LockEnded = v.object({
  /** Why. */
  reason: LockEnd,
  /** When. */
  at: instant,
});
export type LockEnded = v.InferOutput<typeof LockEnded>;

/** For holders: how the newest lock of a bag ended, if not by a holder and the bag is on no newer tag (rules §5). */
export const BagLockEnded = v.object({
  ...LockEnded.entries,
  /** The tag that was locked to the bag. */
  uniqueDeviceId: namedDevice,
});
export type BagLockEnded = v.InferOutput<typeof BagLockEnded>;

/** The days of a journey's flights, each in the time of its airport of departure. */
export const FlightDates = v.object({
  /** Of the first flight. */
  first: day,
  /** Of the last one. */
  last: day,
});
export type FlightDates = v.InferOutput<typeof FlightDates>;

/** Endpoint 10; the service always sends the first three. */
export const EbtLockLookupResponse = v.object({
  /** The tag is locked to a journey. */
  locked: optional(v.boolean()),
  /** The lock is one of the caller's own. */
  sameTravelPlan: optional(v.boolean()),
  /** The tag opens to a record locator and a surname alone. */
  requiresCustodyProof: optional(v.boolean()),
  /** Exactly where a proof is required. */
  hints: optional(EbtLockHints),
  /** For staff who may release locks, beside `hints`: when the journey flies. Absent where the lock is a claim. */
  flightDates: optional(FlightDates),
  /** For the same: whether the bag on the tag is on another tag, too. */
  bagOnOtherTag: optional(v.boolean()),
  /** The bag on the tag, for holders who sent `forBaggageId`, if their lock is entitled or they loaded the booking. */
  attachedBaggageId: optional(int32(1)),
  /** The tag is marked lost. */
  lost: optional(v.boolean()),
  /** For holders, where any failed. */
  failedCustodyProofs: optional(FailedCustodyProofs),
  /**
   * 16 bytes, base64url, for a caller who would have to prove custody, where the tag can sign: a statement over it shows that the
   * tag is at hand.
   */
  tagChallenge: optional(v.string()),
  /** For former holders: how their lock ended. */
  lockEnded: optional(LockEnded),
});
export type EbtLockLookupResponse = v.InferOutput<typeof EbtLockLookupResponse>;

/** Endpoint 11. */
export const EbtCustodyProofRequest = v.object({
  uniqueDeviceId: deviceId,
  /** Of the journey that the tag is locked to. */
  recordLocator: text(64),
  /** Of a passenger of that journey's booking; accents, case and titles do not matter. */
  surname: text(128),
});
export type EbtCustodyProofRequest = v.InferOutput<typeof EbtCustodyProofRequest>;

/** Endpoint 12. */
export const EbtUnlockRequest = v.object({
  uniqueDeviceId: deviceId,
  forBaggageId: optional(forBaggageId),
  tagStatement,
  tagCertificate,
  cti,
});
export type EbtUnlockRequest = v.InferOutput<typeof EbtUnlockRequest>;

/** Endpoints 11 and 12. */
export const EbtUnlockResponse = v.object({
  uniqueDeviceId: namedDevice,
  /** Always false. */
  locked: v.literal(false),
});
export type EbtUnlockResponse = v.InferOutput<typeof EbtUnlockResponse>;

/** POST /v2/lock-releases, by ground staff. */
export const LockReleaseRequest = v.object({
  uniqueDeviceId: deviceId,
  /** Kept in the audit log, and no place for names. */
  reason: text(200),
  /** The member of staff; a client may demand it. */
  staff: optional(StaffProof),
  tagStatement,
  tagCertificate,
});
export type LockReleaseRequest = v.InferOutput<typeof LockReleaseRequest>;

/** POST /v2/device-losses, by a holder of the lock or staff. */
export const DeviceLossRequest = v.object({
  uniqueDeviceId: deviceId,
  /** Mark it, or take the mark away. */
  lost: v.boolean(),
  /** The member of staff who takes the mark away; a client may demand it. */
  staff: optional(StaffProof),
});
export type DeviceLossRequest = v.InferOutput<typeof DeviceLossRequest>;

/** Whether the tag now counts as lost. */
export const DeviceLossResponse = v.object({
  uniqueDeviceId: namedDevice,
  /** The tag is marked lost. */
  lost: v.boolean(),
});
export type DeviceLossResponse = v.InferOutput<typeof DeviceLossResponse>;
