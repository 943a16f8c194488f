import { describe, expect, it } from "vitest";
import { type ErrorCode, endpoints, errorResponse } from "../../core/api/index.ts";
import { type Exchange, requireContract } from "./contract.ts";

const lookup = { method: "POST", path: endpoints.ebtLookup.path };
const unlocked = { locked: false, sameTravelPlan: false, requiresCustodyProof: false };
const ours: Exchange = { ...lookup, status: 200, body: unlocked };
const refusal = (status: number, code: ErrorCode, more: object = {}): Exchange => ({
  ...{ ...lookup, status, body: errorResponse(code), ...more },
});

describe("the watch over answers", () => {
  it.each<[string, Exchange]>([
    ["a success", ours],
    ["a refusal the endpoint has", refusal(401, "unauthorized_token")],
    ["a path that is no endpoint", refusal(404, "not_found", { path: "/v2/nothing" })],
    ["a method no endpoint has", refusal(405, "method_not_allowed", { method: "PUT" })],
    ["a file of the page", { method: "GET", path: "/icon.svg", status: 200, body: undefined }],
  ])("lets %s pass", (_, exchange) => {
    expect(() => requireContract(exchange)).not.toThrow();
  });

  it.each<[string, Exchange]>([
    ["a field of another kind", { ...ours, body: { ...unlocked, locked: "no" } }],
    ["an unlisted field", { ...ours, body: { ...unlocked, holder: "s" } }],
    ["an unlisted field of a record", { ...ours, body: { ...unlocked, hints: { surname: "ADA" } } }],
    ["no body", { ...ours, body: undefined }],
    ["an unlisted status", refusal(418, "not_found")],
    ["a code of another endpoint", refusal(403, "not_lock_holder")],
    ["a code under another status", refusal(429, "unauthorized_token")],
    ["a detail more", { ...ours, status: 401, body: { ...errorResponse("unauthorized_token"), why: "" } }],
    ["a success where nothing is", { ...ours, path: "/v2/nothing" }],
  ])("stops %s", (_, exchange) => {
    expect(() => requireContract(exchange)).toThrow(/OpenAPI|not what/);
  });
});
