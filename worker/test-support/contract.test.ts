import { describe, expect, it } from "vitest";
import { endpoints, errorResponse } from "../../core/api/index.ts";
import { type Exchange, requireContract } from "./contract.ts";

const lookup = { method: "POST", path: endpoints.ebtLookup.path };
const unlocked = { locked: false, sameTravelPlan: false, requiresCustodyProof: false };
const ours: Exchange = { ...lookup, status: 200, body: unlocked };

describe("the watch over answers", () => {
  it.each<[string, Exchange]>([
    ["a success", ours],
    ["a refusal the endpoint has", { ...lookup, status: 401, body: errorResponse("unauthorized_token") }],
    [
      "a path that is no endpoint",
      { ...lookup, path: "/v2/nothing", status: 404, body: errorResponse("not_found") },
    ],
    [
      "a method no endpoint has",
      { ...lookup, method: "PUT", status: 405, body: errorResponse("method_not_allowed") },
    ],
    ["a file of the page", { method: "GET", path: "/icon.svg", status: 200, body: undefined }],
  ])("lets %s pass", (_, exchange) => {
    expect(() => requireContract(exchange)).not.toThrow();
  });

  it.each<[string, Exchange]>([
    ["a field of another kind", { ...ours, body: { ...unlocked, locked: "no" } }],
    ["an unlisted field", { ...ours, body: { ...unlocked, holder: "s" } }],
    [
      "a listed record with an unlisted field",
      { ...ours, body: { ...unlocked, hints: { surname: "LOVELACE" } } },
    ],
    ["no body", { ...ours, body: undefined }],
    ["an unlisted status", { ...ours, status: 418, body: errorResponse("not_found") }],
    ["a code of another endpoint", { ...ours, status: 403, body: errorResponse("not_lock_holder") }],
    ["a code under another status", { ...ours, status: 429, body: errorResponse("unauthorized_token") }],
    [
      "an error with a detail more",
      { ...ours, status: 401, body: { ...errorResponse("unauthorized_token"), why: "" } },
    ],
    ["a success where nothing is", { ...ours, path: "/v2/nothing" }],
  ])("stops %s", (_, exchange) => {
    expect(() => requireContract(exchange)).toThrow(/OpenAPI|not what/);
  });
});
