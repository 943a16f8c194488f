import { expect, it } from "vitest";
import type { Evidence } from "../../db/schema.ts";
import type { BearerContext } from "../context.ts";
import { vouchedAirlines } from "./rules.ts";

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
