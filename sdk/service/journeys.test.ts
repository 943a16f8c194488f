import { expect, test } from "vitest";
import { type EndpointName, endpoints, errorResponse } from "../../core/api/index.ts";
import type { DelegationsApi } from "../api.ts";
import { ServiceError } from "../errors.ts";
import { JOURNEY } from "../test-support/fake-service.ts";
import { outcomeOf, scene, valueIn } from "../test-support/scene.ts";
import type { OperationOptions, Result } from "../types.ts";
import { LoadedJourneys } from "./journeys.ts";
import { AirlineRequiredError, BagRefusedError } from "./service-answers.ts";
import type { Api } from "./session.ts";

const PASS = "M1MULLER/JURGEN       EK7Q2ZD JFKFRALH 0401 326Y008A0034 100";

test.each([
  ["as it is", PASS, PASS],
  ["without the line end some scanners type", `${PASS}\r\n`, PASS],
  ["with a line end of its own", "A\r\nB\n", "A\r\nB"],
])("a scanned boarding pass is sent %s", async (_, scanned, scanData) => {
  const { client, service } = await scene();
  expect(valueIn(await client.journeys.fromBcbp(scanned))).toMatchObject({ journeyId: "j-1" });
  const sent = service.calls.find(({ path }) => path === endpoints.journeyFromBcbp.path);
  expect(sent?.body).toEqual({ scanData });
});

test("the airline of a boarding pass is sent along where it is known", async () => {
  const { client, service } = await scene();
  await client.journeys.fromBcbp(PASS, { airline: "LH" });
  const sent = service.calls.find(({ path }) => path === endpoints.journeyFromBcbp.path);
  expect(sent?.body).toEqual({ scanData: PASS, airline: "LH" });
});

test("a bag whose answer was lost is asked for again under one key, and added once", async () => {
  const { client, service } = await scene();
  service.next("/baggage-tags", async (_call, answer) => {
    await answer();
    throw new TypeError("the answer was lost");
  });
  const journey = valueIn(await client.journeys.addBag("j-1", { slotNumber: 2 }));
  expect(journey.baggage).toHaveLength(2);
  const sent = service.calls.filter(({ path }) => path.endsWith("/baggage-tags"));
  expect(sent.map(({ body }) => body)).toEqual([{ slotNumber: 2 }, { slotNumber: 2 }]);
  expect(new Set(sent.map(({ headers }) => headers.get("Idempotency-Key"))).size).toBe(1);
});

test("staff name the plate at hand", async () => {
  const { client, service } = await scene();
  valueIn(await client.journeys.addBag("j-1", { lpn: "0117777777" }));
  const sent = service.calls.find(({ path }) => path.endsWith("/baggage-tags"));
  expect(sent?.body).toEqual({ lpn: "0117777777" });
});

test("a journey is found by its locator and surname, listed, and got by its id", async () => {
  const { client, service } = await scene();
  expect(valueIn(await client.journeys.fromRecordLocator("K7Q2ZD", "Müller"))).toMatchObject({
    journeyId: "j-1",
  });
  const sent = service.calls.find(({ path }) => path === endpoints.journeyFromRecordLocator.path);
  expect(sent?.body).toEqual({ recordLocator: "K7Q2ZD", surname: "Müller" });
  expect(valueIn(await client.journeys.list())).toMatchObject([{ journeyId: "j-1" }]);
  expect(valueIn(await client.journeys.get("j-1"))).toMatchObject({ journeyId: "j-1" });
  expect(service.calls.at(-1)).toMatchObject({ path: "/v2/journeys/j-1", body: {} });
});

test("of bookings of several airlines the error names them, and the request is repeated with one", async () => {
  const { client, service } = await scene();
  const { path } = endpoints.journeyFromRecordLocator;
  const refusal = errorResponse("airline_required", { errors: ["LH", "SK"] });
  service.next(path, async () => Response.json(refusal, { status: 409 }));
  const refused = await client.journeys.fromRecordLocator("K7Q2ZD", "Müller");
  const error = refused.ok ? undefined : refused.error;
  expect(error).toBeInstanceOf(AirlineRequiredError);
  expect(error).toBeInstanceOf(ServiceError);
  expect(error).toMatchObject({ code: "airline_required", airlines: ["LH", "SK"], statusCode: 409 });
  expect(service.count(path)).toBe(1);
  valueIn(await client.journeys.fromRecordLocator("K7Q2ZD", "Müller", { airline: "LH" }));
  expect(service.calls.at(-1)?.body).toEqual({ recordLocator: "K7Q2ZD", surname: "Müller", airline: "LH" });
});

test.each([
  [["allowance", "Two bags."], { refusal: "allowance", sentence: "Two bags." }],
  [["too_late"], { refusal: "too_late", sentence: undefined }],
  [["a later version's"], { refusal: "restricted", sentence: undefined }],
  [[], { refusal: "restricted", sentence: undefined }],
])("a bag that the airline refuses says why: %j", async (errors, expected) => {
  const { client, service } = await scene();
  const refusal = errorResponse("bag_refused", { errors });
  service.next("/v2/journeys/j-1/baggage-tags", async () => Response.json(refusal, { status: 409 }));
  const refused = await client.journeys.addBag("j-1");
  const error = refused.ok ? undefined : refused.error;
  expect(error).toBeInstanceOf(BagRefusedError);
  expect(error).toMatchObject({ code: "bag_refused", ...expected });
});

test("nothing is sent after a cancel", async () => {
  const { client, service } = await scene();
  service.calls.length = 0;
  const signal = AbortSignal.abort();
  const { journeys } = client;
  const outcomes = await Promise.all([
    journeys.fromRecordLocator("K7Q2ZD", "Müller", { signal }),
    journeys.fromBcbp(PASS, { signal }),
    journeys.addBag("j-1", { signal }),
    journeys.list({ signal }),
    journeys.get("j-1", { signal }),
  ]);
  expect(new Set(outcomes.map(outcomeOf))).toEqual(new Set(["OperationError:cancelled"]));
  expect(service.calls).toEqual([]);
});

const D = "d-1";
const CODE = { delegationId: D, code: "AAAAAAAAAAAAAAAAAAAAAA", expiresAt: "2026-11-22T10:10:00Z" };
const OPEN = { delegationId: D, state: "open", role: "holder", confirmed: false, journeyIds: ["j-1"] };

test.each<
  [
    string,
    EndpointName,
    (delegations: DelegationsApi, options: OperationOptions) => Promise<Result<unknown>>,
    object,
    object,
    unknown?,
  ]
>([
  [
    "a code is made for a journey",
    "delegation",
    (it, options) => it.create("j-1", options),
    { journeyId: "j-1" },
    CODE,
  ],
  [
    "a code is claimed",
    "delegationClaim",
    (it, options) => it.claim(CODE.code, options),
    { code: CODE.code },
    { delegationId: D, comparison: "417" },
  ],
  [
    "what both phones show is confirmed",
    "delegationDecision",
    (it, options) => it.decide(D, true, options),
    { delegationId: D, confirmed: true },
    { delegationId: D, state: "active" },
  ],
  [
    "delegations are listed",
    "delegations",
    (it, options) => it.list(options),
    {},
    { delegations: [OPEN] },
    [OPEN],
  ],
])("%s as its endpoint says, and not after a cancel", async (...row) => {
  const [, endpoint, ask, body, answer, value = answer] = row;
  const { client, service } = await scene();
  const { path } = endpoints[endpoint];
  service.next(path, async () => Response.json(answer));
  expect(valueIn(await ask(client.delegations, {}))).toEqual(value);
  const sent = service.calls.at(-1);
  expect([sent?.path, sent?.body]).toEqual([path, body]);
  const cancelled = await ask(client.delegations, { signal: AbortSignal.abort() });
  expect(outcomeOf(cancelled)).toBe("OperationError:cancelled");
  expect(service.count(path)).toBe(1);
});

const journey = (journeyId: string, version = 1) => ({ ...JOURNEY, journeyId, version });
const api: Api = {
  call: async () => {
    throw new Error("no service");
  },
};

test("a booking's passengers are cached, and each changes by itself", () => {
  const loaded = new LoadedJourneys(api, true);
  loaded.cache({ ...journey("a"), companions: [journey("b")] });
  loaded.cache(journey("b", 2));
  expect([loaded.find("a")?.version, loaded.find("b")?.version]).toEqual([1, 2]);
});

test("another booking takes their place", () => {
  const loaded = new LoadedJourneys(api, true);
  loaded.cache({ ...journey("a"), companions: [journey("b")] });
  loaded.cache(journey("c"));
  expect([loaded.find("a"), loaded.find("b")]).toEqual([undefined, undefined]);
  expect(loaded.find("c")).toEqual(journey("c"));
});

test("none is cached where none may be", () => {
  const loaded = new LoadedJourneys(api, false);
  loaded.cache(journey("a"));
  expect(loaded.find("a")).toBeUndefined();
});
