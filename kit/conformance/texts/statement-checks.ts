/** English of the conformance checks of what the tag signs: C75–C84. */
import { check } from "./check-text.ts";

export const statementChecks = {
  C75: check(
    "Statement after a commit",
    "Record 18 by itself behind COMMITTED, without a challenge, signed by the key of the tag’s certificate.",
    "Statement",
    "It is the receipt that the tag has taken the label.",
  ),
  C76: check(
    "What the statement says",
    "The tag’s id, the token’s cti, the mark of the commit, operation 1.",
    "Statement",
    "By the cti the service knows whose token was taken; the mark is for who wrote it alone.",
  ),
  C77: check(
    "Commits in the statement",
    "One more than the hello before it said.",
    "Statement",
    "The number distinguishes an old statement from a newer one.",
  ),
  C78: check(
    "Challenge after a commit",
    "The same statement once more, with the challenge’s 16 bytes, signed.",
    "Statement",
    "A receipt that was lost can be had again without another session.",
  ),
  C79: check(
    "Challenge in a new session",
    "The same statement once more, with the challenge’s 16 bytes, signed.",
    "Statement",
    "It shows that the tag is there now, and remembers.",
  ),
  C80: check(
    "A fifth challenge",
    "Four statements, then status 20 STATE.",
    "Limits",
    "A signature costs battery; a client may not ask without limit.",
  ),
  C81: check(
    "Challenge between token and commit",
    "Status 20 STATE; the display is what it was.",
    "States of the tag",
    "A permission is for one thing: to write now.",
  ),
  C82: check(
    "Challenge before keys",
    "Alert 20 STATE.",
    "Records",
    "An attacker nearby must not learn what was written last.",
  ),
  C83: check(
    "Statement after a clear",
    "Operation 2, the token’s cti, one commit more.",
    "Statement",
    "It proves that the bag’s label is gone.",
  ),
  C84: check(
    "Challenge to a tag that does not sign",
    "Status 20 STATE.",
    "Statement",
    "A tag that leaves bit 2 of caps out must not be waited for.",
  ),
};
