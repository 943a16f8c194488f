import * as v from "valibot";
import {
  base64Text,
  base64UrlText,
  deviceId,
  digest32,
  instant,
  int32,
  octets8,
  optional,
  text,
} from "./fields.ts";
import { StaffProof } from "./staff.ts";

/** Records of the security endpoints, 7 to 12, with the optional additions of rules §5 and §6. */

/** DER of one device certificate, base64. */
const tagCertificate = base64Text(4_096);
/** What the tag says of its last commit (protocol.md, Statement): a COSE_Sign1, base64url. */
const tagStatement = v.pipe(
  base64UrlText(2_048),
  v.description("The tag's signed statement of its last commit. One that does not verify counts as absent."),
);
/** Which token the tag took: its `cti`, base64url. */
const cti = v.pipe(
  octets8,
  v.description(
    "The cti of the transaction token that the tag took. One of another caller counts as absent.",
  ),
);
/** The bag that the caller is about to write. */
const forBaggageId = v.pipe(
  int32(1),
  v.description(
    "The bag that the caller means to put on the tag. One that is not the caller's counts as absent.",
  ),
);

/** Endpoint 7: base64(DER(intermediate) ‖ DER(leaf)), encoded once. */
export const DeviceClientCertificateResponse = v.object({
  certificateChain: v.pipe(v.string(), v.base64()),
});
export type DeviceClientCertificateResponse = v.InferOutput<typeof DeviceClientCertificateResponse>;

/** Endpoint 8. `payloadDigest` and `channelBinding` are 32 bytes, base64url. */
export const EbtAuthorizationRequest = v.object({
  uniqueDeviceId: deviceId,
  nonce: text(256),
  operation: optional(v.picklist(["write", "clear"])),
  payloadDigest: optional(digest32),
  channelBinding: optional(digest32),
  gattVersion: optional(v.picklist(["2.0", "2.1"])),
  baggageId: optional(int32(1)),
  forBaggageId: optional(forBaggageId),
  tagCertificate: optional(tagCertificate),
  tagStatement: optional(tagStatement),
});
export type EbtAuthorizationRequest = v.InferOutput<typeof EbtAuthorizationRequest>;

/** Endpoint 8: base64url of a COSE_Sign1 CWT, opaque to callers. */
export const EbtAuthorizationResponse = v.object({
  transactionToken: v.string(),
});
export type EbtAuthorizationResponse = v.InferOutput<typeof EbtAuthorizationResponse>;

/** At least one of uniqueID, mac, guid; the first of them present is the identity. */
export const DeviceModel = v.pipe(
  v.object({
    uniqueID: optional(deviceId),
    mac: optional(deviceId),
    guid: optional(deviceId),
    ccid: optional(text(40)),
    tagName: optional(text(40)),
    phoneMac: optional(text(40)),
    bagTagModel: optional(text(40)),
    batteryPercentage: optional(int32()),
    firmwareVersion: optional(text(40)),
    serialNumber: optional(text(64)),
  }),
  v.metadata({ requireOneOf: ["uniqueID", "mac", "guid"] }),
);
export type DeviceModel = v.InferOutput<typeof DeviceModel>;

/** Endpoint 9. */
export const DeviceAttachmentRequest = v.object({
  device: DeviceModel,
  baggageId: int32(1),
  tagCertificate: optional(tagCertificate),
  tagStatement: optional(tagStatement),
  cti: optional(cti),
});
export type DeviceAttachmentRequest = v.InferOutput<typeof DeviceAttachmentRequest>;

/** Endpoint 9: the lock as it stands; `otherDevices` are further tags with the same bag, latest first. */
export const DeviceAttachmentResponse = v.object({
  uniqueDeviceId: v.string(),
  baggageId: int32(1),
  journeyId: v.string(),
  locked: v.literal(true),
  lockedAt: instant,
  otherDevices: optional(v.array(v.string())),
});
export type DeviceAttachmentResponse = v.InferOutput<typeof DeviceAttachmentResponse>;

/** Endpoint 10. */
export const EbtLockLookupRequest = v.object({
  uniqueDeviceId: deviceId,
  forBaggageId: optional(forBaggageId),
  tagCertificate: optional(tagCertificate),
});
export type EbtLockLookupRequest = v.InferOutput<typeof EbtLockLookupRequest>;

/** Masked hints for the custody proof dialog. */
export const EbtLockHints = v.object({
  maskedRecordLocator: optional(v.string()),
  maskedSurname: optional(v.string()),
  departureAirport: optional(v.string()),
  destinationAirport: optional(v.string()),
});
export type EbtLockHints = v.InferOutput<typeof EbtLockHints>;

/** What a holder learns of attempts at the tag: how many custody proofs failed since its lock was made. */
export const FailedCustodyProofs = v.object({ count: int32(1), lastAt: instant });
export type FailedCustodyProofs = v.InferOutput<typeof FailedCustodyProofs>;

/** Why a lock ended before its time (rules §5). */
export const LockEnd = v.picklist(["proof", "holder", "staff", "voided", "superseded", "displaced"]);
export type LockEnd = v.InferOutput<typeof LockEnd>;

/** Told to those who held the last lock on a tag: why and when it ended. */
export const LockEnded = v.object({ reason: LockEnd, at: instant });
export type LockEnded = v.InferOutput<typeof LockEnded>;

/**
 * Endpoint 10; the service always sends the first three, `hints` exactly when a proof is required, and
 * `failedCustodyProofs` to holders where any failed. `tagChallenge` (16 bytes, base64url) goes to whoever
 * would have to prove, where the tag can sign: a statement over it is presence. `lockEnded` goes to former
 * holders. `attachedBaggageId`, the bag on the tag, goes to holders who sent `forBaggageId`, if their lock is
 * entitled or they have loaded the booking.
 */
export const EbtLockLookupResponse = v.object({
  locked: optional(v.boolean()),
  sameTravelPlan: optional(v.boolean()),
  requiresCustodyProof: optional(v.boolean()),
  hints: optional(EbtLockHints),
  attachedBaggageId: optional(int32(1)),
  lost: optional(v.boolean()),
  failedCustodyProofs: optional(FailedCustodyProofs),
  tagChallenge: optional(v.string()),
  lockEnded: optional(LockEnded),
});
export type EbtLockLookupResponse = v.InferOutput<typeof EbtLockLookupResponse>;

/** Endpoint 11. */
export const EbtCustodyProofRequest = v.object({
  uniqueDeviceId: deviceId,
  recordLocator: text(64),
  surname: text(128),
});
export type EbtCustodyProofRequest = v.InferOutput<typeof EbtCustodyProofRequest>;

/** Endpoint 12. */
export const EbtUnlockRequest = v.object({
  uniqueDeviceId: deviceId,
  forBaggageId: optional(forBaggageId),
  tagStatement: optional(tagStatement),
  tagCertificate: optional(tagCertificate),
  cti: optional(cti),
});
export type EbtUnlockRequest = v.InferOutput<typeof EbtUnlockRequest>;

/** Endpoints 11 and 12. */
export const EbtUnlockResponse = v.object({
  uniqueDeviceId: v.string(),
  locked: v.literal(false),
});
export type EbtUnlockResponse = v.InferOutput<typeof EbtUnlockResponse>;

/**
 * POST /v2/lock-releases, by ground staff; `reason` is kept in the audit log and is no place for names. A client
 * may demand `staff`.
 */
export const LockReleaseRequest = v.object({
  uniqueDeviceId: deviceId,
  reason: text(200),
  staff: optional(StaffProof),
  tagStatement: optional(tagStatement),
  tagCertificate: optional(tagCertificate),
});
export type LockReleaseRequest = v.InferOutput<typeof LockReleaseRequest>;

/** POST /v2/device-losses, by a holder of the lock or staff. */
export const DeviceLossRequest = v.object({
  uniqueDeviceId: deviceId,
  lost: v.boolean(),
});
export type DeviceLossRequest = v.InferOutput<typeof DeviceLossRequest>;

/** Whether the tag now counts as lost. */
export const DeviceLossResponse = v.object({
  uniqueDeviceId: v.string(),
  lost: v.boolean(),
});
export type DeviceLossResponse = v.InferOutput<typeof DeviceLossResponse>;
