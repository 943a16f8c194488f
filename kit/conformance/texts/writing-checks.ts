/** English of the conformance checks of what is written, with whose permission, and what the tag signs of it: from C38 on. */
import { under } from "./check-text.ts";

export const writingChecks = {
  ...under("States of the tag", {
    C38: [
      "Write a label",
      "COMMITTED; the display shows a label, and INFO says so too.",
      "Only COMMITTED is success.",
    ],
    C58: ["Data without permission", "Status 20 STATE.", "A session alone allows nothing."],
    C60: ["Abort", "Nothing is answered after it.", "A client that gives up must leave no session behind."],
    C61: [
      "Content other than allowed",
      "Status 65 DIGEST; the display is what it was.",
      "The permission is for this content and no other.",
    ],
    C62: [
      "Wrong total length",
      "Status 64 OFFSET; the display is what it was.",
      "A label is shown whole or not at all.",
    ],
    C63: [
      "Data at a wrong offset",
      "Status 64 OFFSET; the display is what it was.",
      "Pieces are taken in order, without gaps.",
    ],
    C66: ["Link lost before the commit", "The display is what it was.", "Half a label sends a bag nowhere."],
    C73: [
      "Clear the tag",
      "COMMITTED; the display is blank, and INFO says so too.",
      "An old label sends a bag astray.",
    ],
    C74: [
      "Lockout",
      "Status 80 at the third refused token; LOCKOUT on the next connection, and alert 80 to whatever is written.",
      "It ends guessing, and outlives the connection.",
    ],
    C81: [
      "Challenge between token and commit",
      "Status 20 STATE; the display is what it was.",
      "A permission is for one thing: to write now.",
    ],
  }),
  ...under("Records", {
    C39: [
      "Commit counter and digest",
      "One commit more, and the digest of what was written.",
      "It shows a client that lost the link what became of its commit.",
    ],
    C55: [
      "Record sent twice",
      "The session is over: a commit is taken once.",
      "A repeated record is an attack or a fault; both end it.",
    ],
    C56: [
      "Record out of order",
      "The session is over, and the display is what it was: part of the payload was lost before the commit.",
      "The number of a record is part of its protection.",
    ],
    C57: [
      "Record with one bit changed",
      "The session is over.",
      "Tampering must not get a second try with the same keys.",
    ],
    C59: [
      "Data record on SEC",
      "Alert 20 STATE, even where data is due; the display is what it was.",
      "Each record has one place.",
    ],
    C82: [
      "Challenge before keys",
      "Alert 20 STATE.",
      "An attacker nearby must not learn what was written last.",
    ],
  }),
  ...under("GATT profile", {
    C40: [
      "No ticket data can be read",
      "No characteristic holds the plate, name, flight or city, before or in a session.",
      "Anyone nearby can read it; a tag must not reveal its passenger.",
    ],
  }),
  ...under("Downgrade", {
    C41: [
      "ver_min is raised",
      "21 after the first v2.1 commit.",
      "From then on no attacker can downgrade the tag to v2.0.",
    ],
    C42: [
      "v2.0 is retired",
      "CERT answers 32 VERSION and NONCE is empty.",
      "The other half of the same protection.",
    ],
  }),
  ...under("Known intermediate", {
    C85: [
      "Leaf of the known intermediate",
      "INFO has the hash of the last commit’s intermediate, and the leaf alone opens a session.",
      "It halves message_3; a tag that shows the hash must have kept the certificate.",
    ],
  }),
  ...under("A v2.1 transfer", {
    C88: [
      "A label without waiting",
      "Token, payload and commit one behind the other; then AUTHORIZED and COMMITTED.",
      "Clients read no answer in between, and then several in one value.",
    ],
  }),
  ...under("Without response", {
    C90: [
      "A label without responses",
      "COMMITTED, where all but the last frame of message_3 and of token, payload and commit came without response.",
      "A tag that lists the property takes at least four values in one connection event.",
    ],
  }),
  ...under("Transaction token", {
    C43: ["Not a token", "Status 48 TOKEN_FORMAT.", "Structure is checked before anything else."],
    C44: ["Unknown key id", "Status 49 TOKEN_KID.", "Only pinned keys allow anything."],
    C45: ["Token for another tag", "Status 50 TOKEN_AUD.", "One permission, one tag."],
    C46: [
      "Token with another nonce",
      "Status 51 TOKEN_NONCE.",
      "The nonce is the tag’s clock and its protection from replay.",
    ],
    C47: [
      "Token of the other generation",
      "Status 32 VERSION.",
      "A token for the weaker path must not open the stronger one, nor the reverse.",
    ],
    C48: [
      "Token of another session",
      "Status 53 TOKEN_BINDING.",
      "A stolen token is worthless on another phone; v2.0 refuses any session binding.",
    ],
    C49: [
      "Token for another client’s key",
      "Status 53 TOKEN_BINDING.",
      "The permission belongs to the client that was certified.",
    ],
    C51: [
      "Token with a wrong signature",
      "Status 54 TOKEN_SIG.",
      "Everything else in a token can be made up.",
    ],
    C52: ["New nonce after a refusal", "16 other bytes.", "A nonce is burnt, hit or miss."],
    C53: [
      "Token of an earlier connection",
      "Status 51 TOKEN_NONCE, or 53.",
      "A recorded permission must be worth nothing.",
    ],
    C65: [
      "Operation other than allowed",
      "Status 65 DIGEST; the display is what it was.",
      "A permission to write must not clear.",
    ],
  }),
  ...under("v2.0", {
    C50: [
      "Token without a payload digest",
      "Status 53 TOKEN_BINDING.",
      "On v2.0 the digest is all that protects the content.",
    ],
    C67: ["NONCE", "16 bytes, the same until it is used.", "Clients read again after a lost answer."],
    C68: ["NONCE on another connection", "Another one.", "An old permission must not fit a new connection."],
    C69: ["Token before the chain", "Status 20 STATE.", "The order of the steps is part of the check."],
    C70: ["Chain of an unknown root", "Status 34 CHAIN.", "Only clients of the operator are listened to."],
    C71: ["Chain of a tag", "Status 34 CHAIN or 35 EKU.", "A tag’s certificate must never play the client."],
    C72: ["Chain leaf first", "Status 34 CHAIN.", "On CERT the order is intermediate, then leaf."],
  }),
  ...under("Codes and who may see them", {
    C54: [
      "STATUS hides detail",
      "No code above 20 during a v2.1 session.",
      "STATUS is readable by peerOf; the reason is for the client alone.",
    ],
  }),
  ...under("Frames", {
    C89: [
      "A message that fills its last frame",
      "Status 48 TOKEN_FORMAT, as for every other thing that is no token.",
      "The end is marked and counted; it is not known by a short frame.",
    ],
  }),
  ...under("Payload", {
    C64: [
      "Content that is no label",
      "Status 66 STORAGE; the display is what it was.",
      "Even an allowed payload must be one the display can show.",
    ],
  }),
  ...under("Statement", {
    C75: [
      "Statement after a commit",
      "Record 18 by itself behind COMMITTED, without a challenge, signed by the key of the tag’s certificate.",
      "It is the receipt that the tag has taken the label.",
    ],
    C76: [
      "What the statement says",
      "The tag’s id, the token’s cti, the mark of the commit, operation 1.",
      "By the cti the service knows whose token was taken; the mark is for who wrote it alone.",
    ],
    C77: [
      "Commits in the statement",
      "One more than the hello before it said.",
      "The number distinguishes an old statement from a newer one.",
    ],
    C78: [
      "Challenge after a commit",
      "The same statement once more, with the challenge’s 16 bytes, signed.",
      "A receipt that was lost can be had again without another session.",
    ],
    C79: [
      "Challenge in a new session",
      "The same statement once more, with the challenge’s 16 bytes, signed.",
      "It shows that the tag is there now, and remembers.",
    ],
    C83: [
      "Statement after a clear",
      "Operation 2, the token’s cti, one commit more.",
      "It proves that the bag’s label is gone.",
    ],
    C84: [
      "Challenge to a tag that does not sign",
      "Status 20 STATE.",
      "A tag that leaves bit 2 of caps out must not be waited for.",
    ],
  }),
  ...under("Limits", {
    C80: [
      "A fifth challenge",
      "Four statements, then status 20 STATE.",
      "A signature costs battery; a client may not ask without limit.",
    ],
  }),
};
