import { fromHex } from "../../core/encoding/bytes.ts";
import {
  type Case,
  CLAIM,
  callerOf,
  ctiOf,
  deviceOf,
  locked,
  lockOf,
  NOW,
  OTHERS,
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

table(
  "**Token (8).**",
  [
    ["the session's key was revoked", { revoked: [{ revokedAt: NOW }] }, "`unauthorized_token`"],
    [
      "a closed registry does not have the tag",
      { by: callerOf({ isRegistryClosed: true }), facts: { devices: [] } },
      "`device_not_found`",
    ],
    ["the tag is free", { by: STRANGER }, "200"],
    ["the caller holds the lock", { facts: locked(lockOf()) }, "200"],
    ["an unproven claim of another person is live", { facts: locked(CLAIM) }, "200"],
    ["another booking's lock is live", { facts: locked(OTHERS) }, "`custody_proof_required`"],
    ["… and its tag is lost", { facts: locked({ ...OTHERS, lostAt: NOW }) }, "`device_lost`"],
    [
      "… and the tag in hand disproves it",
      { facts: locked(OTHERS), report: reportOf({ isByWriter: false, isPresence: true }) },
      "200 · `voided` · own",
    ],
    ["the caller wrote the tag last", { report: reportOf({ isByWriter: false }) }, "200 · own"],
    [
      "… a companion did, for the lock that the caller holds too",
      { facts: locked(lockOf()), report: reportOf({ isByCaller: false }) },
      "200 · own",
    ],
    ["another person did, and the tag is free", { report: OTHERS_WRITE }, "200 · other"],
    [
      "… and their unproven claim is live",
      { facts: locked(CLAIM), report: reportOf({ isByCaller: false }) },
      "200 · other",
    ],
    ["… for staff", { by: STAFF, report: OTHERS_WRITE }, "200"],
    ["… more than 14 days ago", { report: writtenBefore(15 * 86_400) }, "200"],
    ["… before a lock that has ended", { facts: ended(30), report: OTHERS_WRITE }, "200"],
    ["… for a lock that has ended", { facts: ended(60), report: OTHERS_WRITE }, "200"],
    ["… after a lock that has ended", { facts: ended(90), report: OTHERS_WRITE }, "200 · other"],
    [
      "… with a number that proved a lock which has ended",
      { facts: { devices: [deviceOf({ spentCommits: 7 })] }, report: OTHERS_WRITE },
      "200",
    ],
    [
      "… for a lock that is past its end",
      { facts: locked({ ...OTHERS, endsAt: NOW - 1, cti: ctiOf(60) }), report: OTHERS_WRITE },
      "200",
    ],
    [
      "… under a key that is no longer configured",
      { report: reportOf({ isByCaller: false, isByWriter: false, isKeyConfigured: false }) },
      "200",
    ],
    [
      "… and has cleared it",
      { report: reportOf({ isByCaller: false, isByWriter: false }, { operation: "clear" }) },
      "200",
    ],
    [
      "the statement is not the tag's newest",
      { facts: { devices: [deviceOf({ commits: 8 })] }, report: OTHERS_WRITE },
      "200",
    ],
  ] satisfies Case<{ readonly revoked?: readonly { readonly revokedAt: number }[] }>[],
  tokenFor,
);
