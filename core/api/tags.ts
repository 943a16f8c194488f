import * as v from "valibot";
import { base64Text, deviceId, digest32, instant, int32, optional, text } from "./fields.ts";

/** Records of the security endpoints, 7 to 12, with the optional additions of rules §5 and §6. */

/** DER of one device certificate, base64. */
const tagCertificate = base64Text(4_096);
/** The tag's COSE_Sign1 over what it committed (protocol.md, Receipts, to come), base64. */
const receipt = v.pipe(
  base64Text(2_048),
  v.description("The tag's receipt. Accepted, and not looked at or kept yet: locks are unconfirmed."),
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
  tagCertificate: optional(tagCertificate),
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
    ccid: optional(text(64)),
    tagName: optional(text(64)),
    phoneMac: optional(text(64)),
    bagTagModel: optional(text(64)),
    batteryPercentage: optional(int32()),
    firmwareVersion: optional(text(64)),
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
  receipt: optional(receipt),
});
export type DeviceAttachmentRequest = v.InferOutput<typeof DeviceAttachmentRequest>;

/** Endpoint 9: the lock as it stands. */
export const DeviceAttachmentResponse = v.object({
  uniqueDeviceId: v.string(),
  baggageId: int32(1),
  journeyId: v.string(),
  locked: v.literal(true),
  lockedAt: instant,
});
export type DeviceAttachmentResponse = v.InferOutput<typeof DeviceAttachmentResponse>;

/** Endpoint 10. */
export const EbtLockLookupRequest = v.object({ uniqueDeviceId: deviceId });
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

/**
 * Endpoint 10; the service always sends the first three, `hints` exactly when a proof is required, and
 * `failedCustodyProofs` to holders where any failed.
 */
export const EbtLockLookupResponse = v.object({
  locked: optional(v.boolean()),
  sameTravelPlan: optional(v.boolean()),
  requiresCustodyProof: optional(v.boolean()),
  hints: optional(EbtLockHints),
  lost: optional(v.boolean()),
  failedCustodyProofs: optional(FailedCustodyProofs),
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
  receipt: optional(receipt),
});
export type EbtUnlockRequest = v.InferOutput<typeof EbtUnlockRequest>;

/** Endpoints 11 and 12. */
export const EbtUnlockResponse = v.object({
  uniqueDeviceId: v.string(),
  locked: v.literal(false),
});
export type EbtUnlockResponse = v.InferOutput<typeof EbtUnlockResponse>;

/** POST /v2/lock-releases, by ground staff; `reason` is kept in the audit log and is no place for names. */
export const LockReleaseRequest = v.object({
  uniqueDeviceId: deviceId,
  reason: text(200),
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
