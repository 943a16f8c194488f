import { describe, expect, it } from "vitest";
import type { Evidence } from "../../db/schema.ts";
import type { BearerContext } from "../context.ts";
import { type ComparedStatement, decideProof, type ProofDecision, vouchedAirlines } from "./rules.ts";

/** What one statement decides about one lock (rules §5); statement.test.ts has its senders and times. */

type ComparedLock = Parameters<typeof decideProof>[0];
const LOCKED_AT = 1_800_000_000;
const WEEK = 7 * 86_400;
const proven: ComparedLock = { lockedAt: LOCKED_AT * 1_000, commits: 5 };
const unproven: ComparedLock = { ...proven, commits: null };

/** The holder's own write, number 6, a minute before the lock, reported by a statement. */
const STATEMENT: ComparedStatement = {
  statement: { cti: new Uint8Array(8), operation: "write", commits: 6 },
  isPresence: false,
  issuedAt: LOCKED_AT - 60,
  isByWriter: true,
  spent: 5,
};
const withFields = (
  more: Partial<ComparedStatement["statement"]>,
  statement: ComparedStatement = STATEMENT,
): ComparedStatement => ({
  ...statement,
  statement: { ...statement.statement, ...more },
});
const PRESENT: ComparedStatement = { ...STATEMENT, isPresence: true };

it.each<[string, ComparedLock, ComparedStatement, ProofDecision]>([
  ["with a higher number than the lock's proves it", proven, STATEMENT, "proven"],
  ["with the lock's own number proves nothing new", proven, withFields({ commits: 5 }), "undecided"],
  ["with a lower number proves nothing", proven, withFields({ commits: 4 }), "undecided"],
  ["of another person decides nothing about a lock without a number", unproven, withFields({}), "undecided"],
  [
    "of another person's later write disproves the lock",
    proven,
    { ...STATEMENT, isByWriter: false },
    "disproved",
  ],
  ["of a later clear disproves the lock", proven, withFields({ operation: "clear" }), "disproved"],
])("a statement without presence %s", (_, lock, statement, decision) => {
  expect(decideProof(lock, statement)).toBe(decision);
});

it.each<[string, ComparedLock, ComparedStatement, ProofDecision]>([
  ["whose last write is the holder's proves a lock without a number", unproven, PRESENT, "proven"],
  ["whose last write is another's voids it", unproven, { ...PRESENT, isByWriter: false }, "disproved"],
  ["that was never written voids it", unproven, { ...PRESENT, issuedAt: undefined }, "disproved"],
  ["that was cleared last disproves it", unproven, withFields({ operation: "clear" }, PRESENT), "disproved"],
  ["that has the lock's own number leaves it", proven, withFields({ commits: 5 }, PRESENT), "proven"],
  [
    "… also where its author, a delegate then, is no writer any more",
    proven,
    withFields({ commits: 5 }, { ...PRESENT, isByWriter: false }),
    "proven",
  ],
  [
    "whose writer can no longer be verified decides nothing",
    unproven,
    { ...PRESENT, isByWriter: "unknown" },
    "undecided",
  ],
])("a tag in hand %s", (_, lock, statement, decision) => {
  expect(decideProof(lock, statement)).toBe(decision);
});

describe("a write", () => {
  it("may be a week older than the lock that its attachment made, and no second more", () => {
    const of = (issuedAt: number) => decideProof(unproven, { ...PRESENT, issuedAt });
    expect([of(LOCKED_AT - WEEK), of(LOCKED_AT - WEEK - 1)]).toEqual(["proven", "disproved"]);
  });

  it("too old for the lock disproves it, even where its writer can no longer be verified", () => {
    const old = { ...PRESENT, issuedAt: LOCKED_AT - WEEK - 1, isByWriter: "unknown" } as const;
    expect(decideProof(unproven, old)).toBe("disproved");
  });

  it("whose number was spent with an earlier lock proves no later one", () => {
    const of = (commits: number, lock = unproven) => decideProof(lock, withFields({ commits }, PRESENT));
    expect([of(6), of(5), of(4)]).toEqual(["proven", "disproved", "disproved"]);
    // But a lock keeps the number that is its own.
    expect(of(4, { ...proven, commits: 4 })).toBe("proven");
  });
});

/** The airlines for whose bags a caller needs no booking of their own (rules §5). */

const airlinesOf = (evidence: Evidence, environment = "production", staff = false) =>
  vouchedAirlines({
    principal: { evidence, staff, airlines: ["SK"] },
    client: { airlines: ["SK", "LH"] },
    settings: { environment },
  } as unknown as BearerContext);

it.each<[Evidence, boolean]>([
  ["none", false],
  ["webauthn", false],
  ["demo", false],
  ["federated", true],
  ["apple-appattest", true],
  ["play-integrity", true],
])("a passenger with evidence %s acts for their client's airlines: %s", (evidence, isVouched) => {
  expect(airlinesOf(evidence)).toEqual(isVouched ? ["SK", "LH"] : []);
});

it("the development attester vouches in development alone, and a bare key nowhere", () => {
  expect(airlinesOf("demo", "development")).toEqual(["SK", "LH"]);
  expect(airlinesOf("none", "development")).toEqual([]);
});

it("staff act for the airlines of their account, not for all of their client's", () => {
  expect(airlinesOf("b2b", "production", true)).toEqual(["SK"]);
});
