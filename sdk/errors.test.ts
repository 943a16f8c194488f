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
  PasskeyError,
  ServiceError,
  TagError,
} from "./errors.ts";

const cause = new TypeError("any");
const refusal = new ServiceError("custody_proof_invalid", "wrong");
const hints = { maskedSurname: "L•••••" };

test.each([
  [new OperationError("busy", "any", { cause }), { name: "OperationError", code: "busy", settling: false }],
  [new OperationError("cancelled", "any", { cause, settling: true }), { settling: true }],
  [new BluetoothError("timeout", "any", { cause }), { name: "BluetoothError", code: "timeout" }],
  [
    new TagError("lockout", "any", { cause, status: "LOCKOUT" }),
    { name: "TagError", code: "lockout", status: "LOCKOUT" },
  ],
  [new ServiceError("network", "any", { cause }), { name: "ServiceError", code: "network" }],
  [
    new ConfigurationError("no_tag_roots", "any", { cause }),
    { name: "ConfigurationError", code: "no_tag_roots" },
  ],
  [new PasskeyError("passkey_refused", "any", { cause }), { name: "PasskeyError", code: "passkey_refused" }],
])("%s is one of ours, with its code, its words and its cause", (error, members) => {
  expect(error).toMatchObject({ ...members, message: "any", cause });
  expect(isTaglatchError(error)).toBe(true);
  expect(asTaglatchError(error)).toBe(error);
});

test.each([
  [
    new CustodyProofCancelledException(),
    { name: "CustodyProofCancelledException", code: "custody_proof_cancelled" },
  ],
  [
    new CustodyProofRequiredException(hints, refusal),
    {
      name: "CustodyProofRequiredException",
      code: "custody_proof_needed",
      hints,
      lastSubmissionError: refusal,
    },
  ],
  [
    new CustodyProofAttemptsExceededException(hints, refusal),
    {
      name: "CustodyProofAttemptsExceededException",
      code: "custody_proof_attempts_exceeded",
      hints,
      lastSubmissionError: refusal,
      cause: refusal,
    },
  ],
])("%s says what is known of the proof", (error, members) => {
  expect(error).toMatchObject(members);
  expect(isTaglatchError(error)).toBe(true);
});

test("anything else is none of ours, and becomes an internal one with its cause", () => {
  expect(isTaglatchError(cause)).toBe(false);
  expect(asTaglatchError(cause)).toMatchObject({ name: "OperationError", code: "internal", cause });
});

test("what an error does not say is absent", () => {
  expect(new OperationError("busy", "any").settling).toBe(false);
  expect(new TagError("protocol", "any").status).toBeUndefined();
});
