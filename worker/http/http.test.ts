import { beforeAll, describe, expect, it } from "vitest";
import { type EndpointName, endpoints, HEADER, limits } from "../../core/api/index.ts";
import { ApiError } from "../errors.ts";
import {
  BASE,
  barePost,
  expectError,
  KIOSK_KEY,
  PASSENGER_KEY,
  startService,
  type TestService,
} from "../test-support/service.ts";
import { errorAnswer } from "./error-answer.ts";
import { carrierOf, networkOf } from "./request.ts";

let service: TestService;
beforeAll(async () => {
  service = await startService();
});

const rows = Object.entries(endpoints) as [EndpointName, (typeof endpoints)[EndpointName]][];
const readers = rows.filter(([, row]) => !("looseBody" in row)).map(([name]) => name);

describe.each(readers)("%s", (name) => {
  const { path } = endpoints[name];

  const limit = limits[endpoints[name].maxBody];

  it("refuses a body that is longer than its Content-Length says", async () => {
    const body = new Uint8Array(limit + 1).fill(32);
    const headers = { "Content-Length": "2" };
    expectError(await service.fetch(path, { method: "POST", headers, body }), "payload_too_large");
  });

  it("refuses a body of unknown length once it is over the limit", async () => {
    const chunk = new Uint8Array(4_096).fill(32);
    let sent = 0;
    const body = new ReadableStream({
      pull(controller) {
        sent += 1;
        if (sent > 256) controller.close();
        else controller.enqueue(chunk);
      },
    });
    expectError(await service.fetch(path, { method: "POST", body }), "payload_too_large");
    expect(sent).toBeLessThan(limit / chunk.length + 12);
  });
});

describe("bodies", () => {
  const post = (body: BodyInit, headers: Record<string, string> = {}) =>
    service.fetch(endpoints.guestSession.path, {
      method: "POST",
      headers: { [HEADER.clientKey]: PASSENGER_KEY, "Content-Type": "application/json", ...headers },
      body,
    });

  it.each<[string, BodyInit]>([
    ["half a record", '{"uniqueDeviceId":'],
    ["a record and more", "{} {}"],
    ["a record with a trailing comma", '{"nonce":"n",}'],
    ["a record in single quotes", "{'nonce':'n'}"],
    ["a record after two byte order marks", "\ufeff\ufeff{}"],
    ["a record in UTF-16", new Uint8Array([0xff, 0xfe, 0x7b, 0, 0x7d, 0])],
    ["bytes that are not UTF-8", new Uint8Array([0x7b, 0x22, 0xff, 0x22, 0x3a, 0x31, 0x7d])],
    ["a form", "nonce=n&attestationObject=a"],
    ["XML", "<nonce>n</nonce>"],
    ["an empty array", "[]"],
    ["an array of a record", "[{}]"],
    ["a number", "7"],
    ["a number out of range", "1e400"],
    ["a text", '"{}"'],
    ["true", "true"],
    ["NaN", "NaN"],
    ["8,000 brackets", "[".repeat(8_000)],
    ["4,000 brackets and their ends", `${"[".repeat(4_000)}${"]".repeat(4_000)}`],
  ])("that are %s are refused", async (_, body) => {
    expectError(await post(body), "invalid_request");
  });

  it.each([
    "text/plain",
    "text/json",
    "application/xml",
    "application/x-www-form-urlencoded",
    "application/jsonx",
    "*/*",
  ])("of type %s are refused", async (type) => {
    expectError(await post("{}", { "Content-Type": type }), "unsupported_media_type");
  });

  it.each(["gzip", "br", "identity, gzip", "X-GZIP", "*"])("encoded as %s are refused", async (coding) => {
    const answer = await post("{}", { "Content-Encoding": coding });
    expectError(answer, "unsupported_media_type");
    expect(answer.headers.get("Accept-Encoding")).toBe("identity");
  });

  it.each([
    ["application/json"],
    ["application/json; charset=utf-8"],
    ["APPLICATION/JSON"],
    ["application/ebt+json"],
  ])("takes %s for JSON", async (type) => {
    expectError(await post("{}", { "Content-Type": type }), "required_info_not_provided");
  });

  it.each(["", "identity", "IDENTITY", " identity , identity"])(
    "reads a body whose coding is %j",
    async (coding) => {
      expectError(await post("{}", { "Content-Encoding": coding }), "required_info_not_provided");
    },
  );

  it("reads JSON behind a byte order mark, and takes an absent body for an empty record", async () => {
    const { errors } = (await post('\ufeff{"nonce":"n"}')).body;
    expect(errors).toEqual(["attestationObject is required"]);
    const absent = await service.call("guestSession");
    expectError(absent, "required_info_not_provided");
    expect(absent.body.errors).toEqual(["nonce is required", ...errors]);
  });
});

describe("paths", () => {
  it.each(["/v2", "/v2/", "/v2/nothing", "/v2/auth/nonces/", "/v2/auth/%zz", "/v2/journeys/a/b"])(
    "answers %s with not_found",
    async (path) => expectError(await service.post(path, {}), "not_found"),
  );

  it.each(["/v2/auth/nonce%73", "/v2/auth/%6Eonces", "/v2/journeys/demo%2djourney-1", "/%762/auth/nonces"])(
    "have one spelling: %s is not_found, for preflights too",
    async (path) => {
      const post = barePost(service);
      expect((await post(path, {}, {})).status).toBe(404);
      const preflight = { method: "OPTIONS", headers: { "Access-Control-Request-Method": "POST" } };
      expect((await service.fetch(path, preflight)).status).toBe(404);
    },
  );

  it.each([
    ["/nowhere", "*/*"],
    ["/assets/old.js", "*/*"],
    ["/demo/nothing", "*/*"],
    ["/v2/nothing", "text/html"],
  ])("unknown are 404 with an ErrorResponse: %s for %s", async (path, Accept) => {
    expectError(await service.fetch(path, { headers: { Accept } }), "not_found");
    const head = await service.fetch(path, { method: "HEAD", headers: { Accept } });
    expect([head.status, head.text]).toEqual([404, ""]);
  });

  it.each(["/healthz", "/openapi.json", "/.well-known/jwks.json", "/.well-known/ebt-configuration"])(
    "serves %s by GET only",
    async (path) => {
      expect((await service.fetch(path)).status).toBe(200);
      const refused = await service.post(path, {});
      expectError(refused, "method_not_allowed");
      expect(refused.headers.get("Allow")).toBe("GET, HEAD");
    },
  );

  it("hides the virtual tags outside development", async () => {
    const production = await startService({ ENVIRONMENT: "production" });
    expect((await service.fetch("/demo/tags.json")).body[0]).toHaveProperty("id", "ebt-21-0001");
    expectError(await production.fetch("/demo/tags.json"), "not_found");
  });
});

describe("every answer", () => {
  it("has a request id of its own and is not cached", async () => {
    const [a, b] = [await service.call("nonce"), await service.call("nonce")];
    expect(a.headers.get("Cache-Control")).toBe("no-store");
    expect(a.headers.get("X-Request-Id")).toMatch(/^[0-9a-f]{16}$/);
    expect(a.headers.get("X-Request-Id")).not.toBe(b.headers.get("X-Request-Id"));
  });

  it("has its timing in a header, except where that would be an oracle", async () => {
    const timing = async (name: EndpointName) => (await service.call(name, {})).headers.get("Server-Timing");
    expect(await timing("nonce")).toMatch(/^total;dur=[\d.]+, db;dur=[\d.]+;desc="0"$/);
    expect(await timing("ebtLookup")).not.toBeNull();
    for (const name of [
      "guestSession",
      "b2bSession",
      "refresh",
      "ebtCustodyProof",
      "journeyFromRecordLocator",
    ] as const) {
      expect(await timing(name)).toBeNull();
    }
  });

  it("has none under another spelling of such a path either", async () => {
    const answer = await barePost(service)("/v2/auth/guest/session%73", {}, {});
    expect([answer.status, answer.headers.get("Server-Timing")]).toEqual([404, null]);
  });

  it("stays on TLS and keeps its type, refused or not", async () => {
    const answers = [
      await service.fetch("/openapi.json"),
      await service.fetch("/healthz"),
      await service.call("nonce"),
      await service.call("ebtLookup"),
      await service.post("/v2/nothing"),
      await service.fetch("/assets/nothing.js"),
    ];
    for (const { headers } of answers) {
      expect(headers.get("Strict-Transport-Security")).toBe("max-age=63072000; includeSubDomains");
      expect(headers.get("X-Content-Type-Options")).toBe("nosniff");
    }
  });
});

describe("the configuration", () => {
  const path = "/.well-known/ebt-configuration";
  const cachingOf = ({ headers }: { readonly headers: Headers }) =>
    [headers.get("Cache-Control"), headers.get("Vary")] as const;

  it("may be kept by a browser for a minute, apart for each origin", async () => {
    const kept = ["private, max-age=60, stale-while-revalidate=600", "Origin"];
    expect(cachingOf(await service.fetch(path))).toEqual(kept);
    const headers = { Origin: "http://localhost:5173" };
    expect(cachingOf(await service.fetch(path, { headers }))).toEqual(kept);
  });

  it("is not kept where it is refused, nor is any other document", async () => {
    const refused = await service.post(path, {});
    expectError(refused, "method_not_allowed");
    expect(cachingOf(refused)).toEqual(["no-store", null]);
    expect(cachingOf(await service.fetch("/healthz"))).toEqual(["no-store", null]);
    expect(cachingOf(await service.fetch("/.well-known/jwks.json"))).toEqual(["no-store", null]);
  });
});

describe("pages of other origins", () => {
  const origin = "http://localhost:5173";
  const preflight = (from: string) =>
    service.fetch(endpoints.guestSession.path, {
      method: "OPTIONS",
      headers: { Origin: from, "Access-Control-Request-Method": "POST" },
    });
  const allowed = (answer: { readonly headers: Headers }) =>
    answer.headers.get("Access-Control-Allow-Origin");

  it("may ask in advance when an enabled client lists them", async () => {
    const answer = await preflight(origin);
    expect(answer.status).toBe(204);
    expect(allowed(answer)).toBe(origin);
    expect(answer.headers.get("Access-Control-Allow-Headers")?.split(", ")).toEqual([
      ...["Content-Type", "Authorization", "X-Source-App-Key", "X-B2B-Secret", "DPoP", "Idempotency-Key"],
      "X-Database-Bookmark",
    ]);
  });

  it.each([
    ...["https://elsewhere.example", "http://localhost.evil.example", "http://localhost:80a"],
    ...["xhttp://localhost:80", "null"],
  ])("are turned away from %s", async (from) => {
    const answer = await preflight(from);
    expect(answer.status).toBe(204);
    expect(allowed(answer)).toBeNull();
  });

  it("may read an answer given to a key that lists them, errors too", async () => {
    const answer = await service.call("ebtLookup", {}, { Origin: origin });
    expectError(answer, "unauthorized_token");
    expect(allowed(answer)).toBe(origin);
    expect(answer.headers.get("Access-Control-Expose-Headers")).toBe(
      "Retry-After, X-Request-Id, DPoP-Nonce, WWW-Authenticate, Idempotent-Replayed, X-Database-Bookmark, Date",
    );
    expect(answer.headers.get("Vary")).toContain("Origin");
  });

  it("may not read an answer given to an unknown key", async () => {
    expect(
      allowed(await service.call("ebtLookup", {}, { Origin: origin, [HEADER.clientKey]: "?" })),
    ).toBeNull();
  });

  it.each(["/.well-known/jwks.json", "/.well-known/ebt-configuration", "/openapi.json", "/healthz"])(
    "may read %s when any client lists them",
    async (path) => {
      expect(allowed(await service.fetch(path, { headers: { Origin: origin } }))).toBe(origin);
      const elsewhere = await service.fetch(path, { headers: { Origin: "https://elsewhere.example" } });
      expect(allowed(elsewhere)).toBeNull();
      expect(elsewhere.headers.get("Vary")).toContain("Origin");
    },
  );

  it("get no header about origins from their own origin", async () => {
    const answer = await service.call("nonce", undefined, { Origin: BASE, [HEADER.clientKey]: KIOSK_KEY });
    expect(allowed(answer)).toBeNull();
  });
});

it.each([
  ["192.0.2.17", "192.0.2"],
  ["192.0.2.200", "192.0.2"],
  ["::ffff:192.0.2.17", "192.0.2"],
  ["2001:db8:1:2:3:4:5:6", "2001:db8:1"],
  ["2001:0DB8:0001::6", "2001:db8:1"],
  ["2001:db8::1", "2001:db8:0"],
  ["::1", "0:0:0"],
  ["", ""],
])("networkOf takes %s for the network %s", (address, network) => {
  expect(networkOf(address)).toBe(network);
});

it.each([
  ["192.0.2.17", undefined],
  ["::ffff:192.0.2.17", undefined],
  ["2001:0DB8:1:2:3:4:5:6", "2001:db8"],
  ["2001:db8::1", "2001:db8"],
  ["::1", "0:0"],
  ["", undefined],
])("carrierOf takes %s for the range %s", (address, carrier) => {
  expect(carrierOf(address)).toBe(carrier);
});

const headersOf = (error: unknown) => Object.fromEntries(errorAnswer(error).headers);

it("leads to the page about the code, and a refusal's reason changes no header", () => {
  const headers = headersOf(new ApiError("journey_not_found", { reason: "no such booking" }));
  expect(headers.link).toBe('</docs/errors#journey_not_found>; rel="help"');
  expect(headersOf(new ApiError("journey_not_found", { reason: "another surname", isKnown: true }))).toEqual(
    headers,
  );
});

it("says of a fault of its own no more than its code", () => {
  expect(headersOf(new TypeError("secret")).link).toBe('</docs/errors#internal_error>; rel="help"');
});
