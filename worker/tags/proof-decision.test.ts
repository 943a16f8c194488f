import { describe, expect, it } from "vitest";
import {
  type ComparedLock,
  type ComparedStatement,
  decideProof,
  type ProofDecision,
} from "./proof-decision.ts";

/** What one word of the tag makes of one lock (rules §5); who may say it, and when, is statement-attacks.test.ts's. */

const LOCKED_AT = 1_800_000_000;
const WEEK = 7 * 86_400;
const proven: ComparedLock = { lockedAt: LOCKED_AT * 1_000, commits: 5 };
const unproven: ComparedLock = { ...proven, commits: null };

/** The holder's own write, number 6, a minute before the lock, reported by a statement. */
const RECEIPT: ComparedStatement = {
  statement: { cti: new Uint8Array(8), operation: "write", commits: 6 },
  isPresence: false,
  issuedAt: LOCKED_AT - 60,
  isOfWriter: true,
  spent: 5,
};
const says = (
  more: Partial<ComparedStatement["statement"]>,
  word: ComparedStatement = RECEIPT,
): ComparedStatement => ({
  ...word,
  statement: { ...word.statement, ...more },
});
const PRESENT: ComparedStatement = { ...RECEIPT, isPresence: true };

describe("a receipt", () => {
  it.each<[string, ComparedLock, ComparedStatement, ProofDecision]>([
    ["with a higher number than the lock's proves it", proven, RECEIPT, "proven"],
    ["with the lock's own number says nothing new", proven, says({ commits: 5 }), "undecided"],
    ["with a lower number says nothing", proven, says({ commits: 4 }), "undecided"],
    ["of another person decides nothing about a lock without a number", unproven, says({}), "undecided"],
    [
      "of another person's later write disproves the lock",
      proven,
      { ...RECEIPT, isOfWriter: false },
      "disproved",
    ],
    ["of a later clear voids the lock", proven, says({ operation: "clear" }), "disproved"],
  ])("%s", (_, lock, word, judgement) => {
    expect(decideProof(lock, word)).toBe(judgement);
  });
});

describe("a tag in hand", () => {
  it.each<[string, ComparedLock, ComparedStatement, ProofDecision]>([
    ["whose last write is the holder's proves a lock without a number", unproven, PRESENT, "proven"],
    ["whose last write is another's voids it", unproven, { ...PRESENT, isOfWriter: false }, "disproved"],
    ["that was never written voids it", unproven, { ...PRESENT, issuedAt: undefined }, "disproved"],
    ["that was cleared last voids it", unproven, says({ operation: "clear" }, PRESENT), "disproved"],
    ["that says no more than the lock's number leaves it", proven, says({ commits: 5 }, PRESENT), "proven"],
    [
      "whose writer can no longer be verified decides nothing",
      unproven,
      { ...PRESENT, isOfWriter: "unknown" },
      "undecided",
    ],
  ])("%s", (_, lock, word, judgement) => {
    expect(decideProof(lock, word)).toBe(judgement);
  });
});

describe("a write", () => {
  it("may be a week older than the lock that its attachment made, and no second more", () => {
    const of = (issuedAt: number) => decideProof(unproven, { ...PRESENT, issuedAt });
    expect([of(LOCKED_AT - WEEK), of(LOCKED_AT - WEEK - 1)]).toEqual(["proven", "disproved"]);
  });

  it("too old for the lock disproves it, even where its writer can no longer be verified", () => {
    const old = { ...PRESENT, issuedAt: LOCKED_AT - WEEK - 1, isOfWriter: "unknown" } as const;
    expect(decideProof(unproven, old)).toBe("disproved");
  });

  it("whose number was spent with an earlier lock proves no later one", () => {
    const of = (commits: number, lock = unproven) => decideProof(lock, says({ commits }, PRESENT));
    expect([of(6), of(5), of(4)]).toEqual(["proven", "disproved", "disproved"]);
    // But a lock keeps the number that is its own.
    expect(of(4, { ...proven, commits: 4 })).toBe("proven");
  });
});
