import { expect, test } from "vitest";
import { STATUS, type StatusName } from "../../core/gatt/profile.ts";
import { SecError, type SecErrorCode } from "../../core/sec/errors.ts";
import { OperationError } from "../errors.ts";
import { refusal, refusalOf, translated } from "./sec-errors.ts";

const REFUSALS: Readonly<Record<StatusName, string>> = {
  OK: "protocol",
  AUTHORIZED: "protocol",
  COMMITTED: "protocol",
  BUSY_DISPLAY: "tag_busy",
  FRAME: "protocol",
  TOO_LARGE: "protocol",
  BUSY: "tag_busy",
  TIMEOUT: "protocol",
  STATE: "protocol",
  VERSION: "generation_refused",
  SUITE: "protocol",
  CHAIN: "client_refused",
  EKU: "client_refused",
  CRED_TIME: "client_refused",
  AUTH_FAIL: "client_refused",
  TOKEN_FORMAT: "token_refused",
  TOKEN_KID: "token_refused",
  TOKEN_SIG: "token_refused",
  TOKEN_AUD: "token_refused",
  TOKEN_NONCE: "token_refused",
  TOKEN_EXPIRED: "token_refused",
  TOKEN_BINDING: "token_refused",
  TOKEN_REPLAY: "token_refused",
  LOCKOUT: "lockout",
  OFFSET: "write_refused",
  DIGEST: "write_refused",
  STORAGE: "write_refused",
  LOW_BATTERY: "low_battery",
};

test.each(Object.entries(REFUSALS) as [StatusName, string][])(
  "a tag's %s is %s, by name and by number",
  (status, code) => {
    expect(refusal(status)).toMatchObject({ name: "TagError", code, status });
    expect(refusalOf(STATUS[status])).toMatchObject({ name: "TagError", code, status });
  },
);

test("a number that the profile has not is outside the protocol, and stands for no status", () => {
  expect(refusalOf(250)).toMatchObject({ code: "protocol", status: undefined });
});

test.each<[SecErrorCode, string]>([
  ["CHAIN", "untrusted_tag"],
  ["EKU", "untrusted_tag"],
  ["CRED_TIME", "untrusted_tag"],
  ["CREDENTIAL", "untrusted_tag"],
  ["AUTH_FAIL", "untrusted_tag"],
  ["IDENTITY", "wrong_tag"],
  ["MESSAGE", "secure_session_failed"],
  ["RECORD", "secure_session_failed"],
  ["SUITE", "secure_session_failed"],
  ["FRAME", "protocol"],
  ["TOO_LARGE", "protocol"],
  ["STATE", "protocol"],
  // An EDHOC error of the tag: unauthenticated, without a reason.
  ["PEER_ERROR", "client_refused"],
])("a session that failed by %s is %s", (secCode, code) => {
  const cause = new SecError(secCode, { message: "any" });
  expect(translated(cause)).toMatchObject({ name: "TagError", code, cause });
});

test("an alert is what the tag says in it", () => {
  const cause = new SecError("PEER_ERROR", { peer: { kind: "alert", status: STATUS.LOCKOUT } });
  expect(translated(cause)).toMatchObject({ code: "lockout", status: "LOCKOUT", cause });
});

test("an error of an operation stays what it is, also where the session has wrapped it", () => {
  const error = new OperationError("clock_wrong", "any");
  expect(translated(error)).toBe(error);
  expect(translated(new SecError("CHAIN", { cause: error }))).toBe(error);
});

test("what is not of the secure session stays what it is", () => {
  const error = new TypeError("any");
  expect(translated(error)).toBe(error);
});
