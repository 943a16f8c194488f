import { fromHex } from "../../core/encoding/bytes.ts";
import {
  type Case,
  CLAIM,
  CLOSED,
  ctiOf,
  deviceOf,
  locked,
  lockOf,
  NOW,
  OTHERS,
  onLock,
  reportOf,
  STAFF,
  STRANGER,
  table,
  tokenFor,
} from "../test-support/decision-tables.ts";
import type { AttachmentFacts } from "./attachment-facts.ts";

const OTHERS_WRITE = reportOf({ isByCaller: false, isByWriter: false });
const writtenBefore = (secondsAgo: number) =>
  reportOf({ isByCaller: false, isByWriter: false }, { cti: fromHex(ctiOf(secondsAgo)) });
/** The tag's last lock ended; its `cti` was issued so long before. */
const ended = (secondsAgo: number): Partial<AttachmentFacts> => ({
  devices: [deviceOf({ endedAt: NOW, endedReason: "staff", endedCti: ctiOf(secondsAgo) })],
});

const MAY = "the tag is free, the caller's, or under another person's unproven claim";
const OWN = "the caller wrote the tag last, or a companion for the lock that both hold";
const OTHER = "another person did, and the tag is free or under their unproven claim";
const UNKNOWN =
  "… for staff; more than 14 days ago; before or for a lock that has ended; a clear; under a removed key; not by the newest statement";

table(
  "**Token (8).**",
  [
    ["the session's key was revoked", { revoked: [{ revokedAt: NOW }] }, "`unauthorized_token`"],
    ["a closed registry does not have the tag", CLOSED, "`device_not_found`"],
    [MAY, { by: STRANGER }, "200"],
    [MAY, onLock(lockOf()), "200"],
    [MAY, onLock(CLAIM), "200"],
    ["another booking's lock is live", onLock(OTHERS), "`custody_proof_required`"],
    ["… and its tag is lost", onLock({ ...OTHERS, lostAt: NOW }), "`device_lost`"],
    [
      "… and the tag in hand disproves it",
      { facts: locked(OTHERS), report: reportOf({ isByWriter: false, isPresence: true }) },
      "200 `voided` own",
    ],
    [OWN, { report: reportOf({ isByWriter: false }) }, "200 own"],
    [OWN, { facts: locked(lockOf()), report: reportOf({ isByCaller: false }) }, "200 own"],
    [OTHER, { report: OTHERS_WRITE }, "200 other"],
    [OTHER, { facts: locked(CLAIM), report: reportOf({ isByCaller: false }) }, "200 other"],
    [UNKNOWN, { by: STAFF, report: OTHERS_WRITE }, "200"],
    [UNKNOWN, { report: writtenBefore(15 * 86_400) }, "200"],
    [UNKNOWN, { facts: ended(30), report: OTHERS_WRITE }, "200"],
    [UNKNOWN, { facts: ended(60), report: OTHERS_WRITE }, "200"],
    [OTHER, { facts: ended(90), report: OTHERS_WRITE }, "200 other"],
    [UNKNOWN, { facts: { devices: [deviceOf({ spentCommits: 7 })] }, report: OTHERS_WRITE }, "200"],
    [UNKNOWN, { facts: locked({ ...OTHERS, endsAt: NOW - 1, cti: ctiOf(60) }), report: OTHERS_WRITE }, "200"],
    [UNKNOWN, { report: reportOf({ isByCaller: false, isByWriter: false, isKeyConfigured: false }) }, "200"],
    [UNKNOWN, { report: reportOf({ isByCaller: false, isByWriter: false }, { operation: "clear" }) }, "200"],
    [UNKNOWN, { facts: { devices: [deviceOf({ commits: 8 })] }, report: OTHERS_WRITE }, "200"],
  ] satisfies Case<{ readonly revoked?: readonly { readonly revokedAt: number }[] }>[],
  tokenFor,
);
