import { limits } from "../../core/api/limits.ts";

/**
 * How many rows the anonymous callers of one network (a /24, or a /48 of IPv6) can have written after an hour at
 * every limit, by the numbers of the limits table. `node scripts/check/rows-of-a-network.ts` prints it;
 * docs/security.md has it, and a test compares the two.
 */

export const HEADER = ["rows in", "at most", "kept"] as const;
type Row = readonly [table: string, atMost: string, kept: string];

/** Names that one attachment may give a tag beside its first. */
const ALIASES = 2;

const MINUTES = 60;
const sessions = limits.loginsPerNetworkPerMinute * MINUTES;
/** Callers who hold something, be it a claim, have a counter of their own; of either, as many may be refused. */
const accepted = 2 * limits.writesPerNetworkPerMinute;
const writes = 2 * accepted;
const attachments = limits.attachmentsPerSubjectPerHour * sessions;
const guesses = limits.guessesPerNetworkUnvouchedPerHour;
const found = limits.foundReportsPerNetworkPerHour;
/** Of writes and refreshes; and nonces of failed logins. */
const proofs = writes + limits.lookupsPerSubjectPerMinute * sessions + limits.noncesPerNetworkPerMinute;
const proofMinutes = (2 * limits.dpopProofSeconds) / 60;

const number = (count: number) => count.toLocaleString("en");

/** The rows, as the document has them. */
export const rowsOfANetwork = (): readonly Row[] => [
  ["sessions", number(sessions), "24 h without refresh"],
  ["attestation_credentials", number(sessions), "30 days"],
  ["used_once", number(proofs * proofMinutes), "10 minutes"],
  [
    "certificates",
    number(Math.min(accepted * MINUTES, limits.liveCertificatesPerSession * sessions)),
    "7 days",
  ],
  ["idempotency_records", number(writes * MINUTES), "48 h"],
  // Device, locator and person of each guess, the network, its provider; two counters of each who attaches.
  ["guess_counters", number(3 * guesses + 2 + 2 * sessions), "1 h"],
  // Two counters of each report by tag, one by network; tags that take none count apart.
  ["guess_counters, of found reports", number(2 * (2 * found + 1)), "24 h"],
  ["found_reports", number(found), "the lock"],
  ["failed_proofs", number(guesses), "15 minutes, or the lock"],
  ["device_ticket_locks", number(limits.claimsPerNetworkPerHour), "24 h"],
  ["devices, device_aliases", number(limits.claimsPerNetworkPerHour * (1 + ALIASES)), "7 days"],
  // Clears that found no lock: accepted writes, which count as attachments of their caller.
  ["clear_marks", number(Math.min(accepted * MINUTES, attachments)), "7 days"],
  [
    "audit_log",
    `${number(2 * limits.claimsPerNetworkPerHour + found)} changes, ${MINUTES} per cause of refusal`,
    `${limits.auditKeepSeconds / 86_400} days, then in R2`,
  ],
];

if (import.meta.main) {
  console.table(
    rowsOfANetwork().map((row) => Object.fromEntries(row.map((cell, i) => [HEADER[i] ?? "", cell]))),
  );
}
