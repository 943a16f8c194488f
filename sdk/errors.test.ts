import { expect, test } from "vitest";
import {
  asTaglatchError,
  BluetoothError,
  ConfigurationError,
  CustodyProofAttemptsExceededException,
  CustodyProofCancelledException,
  CustodyProofRequiredException,
  isTaglatchError,
  OperationError,
  OtherBagError,
  OtherLabelError,
  PasskeyError,
  ServiceError,
  TagError,
} from "./errors.ts";

const cause = new TypeError("any");
const refusal = new ServiceError("custody_proof_invalid", "wrong", { cause });
const hints = { maskedSurname: "L•••••" };

test.each([
  [new OperationError("cancelled", "any", { cause, settling: true }), { settling: true, cause }],
  [new BluetoothError("timeout", "any", { cause }), { code: "timeout", cause }],
  [new TagError("lockout", "any", { cause, status: "LOCKOUT" }), { status: "LOCKOUT", cause }],
  [refusal, { code: "custody_proof_invalid", message: "wrong", cause, errors: [], afterLostAnswer: false }],
  [new ConfigurationError("no_tag_roots", "any", { cause }), { code: "no_tag_roots", cause }],
  [new PasskeyError("passkey_refused", "any", { cause }), { code: "passkey_refused", cause }],
  [new CustodyProofCancelledException(), { code: "custody_proof_cancelled" }],
  [new CustodyProofRequiredException(hints, refusal), { hints, lastSubmissionError: refusal }],
  [
    new CustodyProofAttemptsExceededException(hints, refusal),
    { hints, lastSubmissionError: refusal, cause: refusal },
  ],
  [new OtherBagError(3), { code: "tag_carries_other_bag", baggageId: 3 }],
  [new OtherLabelError(), { code: "tag_shows_other_label" }],
])("%s is one of ours, and says what is known", (error, members) => {
  expect(error).toMatchObject({ name: error.constructor.name, ...members });
  expect(isTaglatchError(error)).toBe(true);
  expect(asTaglatchError(error)).toBe(error);
});

test("anything else is none of ours, and becomes an internal one with its cause", () => {
  expect(isTaglatchError(cause)).toBe(false);
  expect(asTaglatchError(cause)).toMatchObject({ code: "internal", cause, settling: false });
});
