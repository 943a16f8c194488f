import { expect, test } from "vitest";
import { type EndpointName, endpoints, errorResponse } from "../../core/api/index.ts";
import type { Taglatch } from "../api.ts";
import { ServiceError } from "../errors.ts";
import { JOURNEY, STAFF_PIN } from "../test-support/fake-service.ts";
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

test("of bookings of several airlines the error names them, and nothing is sent again by itself", async () => {
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

const TAG = "ebt-21-0001";
const STAFF = { id: "1001", pin: STAFF_PIN };
const TRACE = { uniqueDeviceId: TAG, muted: false, reports: [], more: 0 };
const BOOKING = { recordLocator: "K7Q2ZD", surname: "Müller" };
const D = "d-1";
const CODE = { delegationId: D, code: "AAAAAAAAAAAAAAAAAAAAAA", expiresAt: "2026-11-22T10:10:00Z" };
const OPEN = { delegationId: D, state: "open", role: "holder", confirmed: false, journeyIds: ["j-1"] };
const LINK = { uniqueDeviceId: TAG, locationLink: "https://maps.example/k" };

/** A call of the client, its endpoint and body, the service's answer, and what the host gets of that. */
type Row = [
  endpoint: EndpointName,
  ask: (client: Taglatch, options: OperationOptions) => Promise<Result<unknown>>,
  body: object,
  answer: object,
  value?: unknown,
];

test.each<Row>([
  [
    "journeyFromRecordLocator",
    ({ journeys }, on) => journeys.fromRecordLocator("K7Q2ZD", "Müller", { airline: "LH", ...on }),
    { ...BOOKING, airline: "LH" },
    JOURNEY,
  ],
  [
    "journeyFromRecordLocator",
    ({ journeys }, on) => journeys.fromRecordLocator("K7Q2ZD", "Müller", on),
    BOOKING,
    JOURNEY,
  ],
  [
    "journeyFromBcbp",
    ({ journeys }, on) => journeys.fromBcbp(PASS, { airline: "LH", ...on }),
    { scanData: PASS, airline: "LH" },
    JOURNEY,
  ],
  [
    "baggageTag",
    ({ journeys }, on) => journeys.addBag("j-1", { lpn: "0117777777", ...on }),
    { lpn: "0117777777" },
    JOURNEY,
  ],
  ["journeys", ({ journeys }, on) => journeys.list(on), {}, { journeys: [JOURNEY] }, [JOURNEY]],
  ["journey", ({ journeys }, on) => journeys.get("j-1", on), {}, JOURNEY],
  ["ebtLookup", ({ tags }, on) => tags.lookUp(TAG, on), { uniqueDeviceId: TAG }, { locked: false }],
  [
    "deviceLoss",
    ({ tags }, on) => tags.markLost(TAG, true, { staff: STAFF, ...on }),
    { uniqueDeviceId: TAG, lost: true, staff: STAFF },
    { uniqueDeviceId: TAG, lost: true },
  ],
  ["bagTrace", ({ tags }, on) => tags.trace(TAG, on), { uniqueDeviceId: TAG }, TRACE],
  [
    "bagTraceChange",
    ({ tags }, on) => tags.changeTrace(TAG, { muted: true }, on),
    { uniqueDeviceId: TAG, muted: true },
    { ...TRACE, muted: true },
  ],
  ["tracedBags", ({ tags }, on) => tags.traced(on), {}, { bags: [] }],
  [
    "tracedBags",
    ({ tags }, on) => tags.traced({ uniqueDeviceId: TAG, cursor: "1.ab", ...on }),
    { uniqueDeviceId: TAG, cursor: "1.ab" },
    { bags: [], nextCursor: "2.cd" },
  ],
  ["locationLink", ({ tags }, on) => tags.openLocation(TAG, on), { uniqueDeviceId: TAG }, LINK],
  ["staffCheck", ({ staff }, on) => staff.isPinRequired(on), {}, { pinRequired: true }, true],
  ["delegation", ({ delegations }, on) => delegations.create("j-1", on), { journeyId: "j-1" }, CODE],
  [
    "delegationClaim",
    ({ delegations }, on) => delegations.claim(CODE.code, on),
    { code: CODE.code },
    { delegationId: D, comparison: "417" },
  ],
  [
    "delegationDecision",
    ({ delegations }, on) => delegations.decide(D, true, on),
    { delegationId: D, confirmed: true },
    { delegationId: D, state: "active" },
  ],
  ["delegations", ({ delegations }, on) => delegations.list(on), {}, { delegations: [OPEN] }, [OPEN]],
])("%s is asked as the contract says, and not after a cancel", async (...row) => {
  const [endpoint, ask, body, answer, value = answer] = row;
  const { client, service } = await scene();
  const path = endpoints[endpoint].path.replace("{journeyId}", "j-1");
  service.next(path, async () => Response.json(answer));
  expect(valueIn(await ask(client, {}))).toEqual(value);
  const sent = service.calls.at(-1);
  expect([sent?.path, sent?.body]).toEqual([path, body]);
  const cancelled = await ask(client, { signal: AbortSignal.abort() });
  expect(outcomeOf(cancelled)).toBe("OperationError:cancelled");
  expect(service.count(path)).toBe(1);
});

test("staff say who they are, and a wrong PIN is refused", async () => {
  const { client, service } = await scene();
  valueIn(await client.staff.check(STAFF, "set_up"));
  expect(service.calls.at(-1)?.body).toEqual({ staff: STAFF, purpose: "set_up" });
  const wrong = await client.staff.check({ ...STAFF, pin: "0000" }, "end_of_shift");
  expect(outcomeOf(wrong)).toBe("ServiceError:invalid_credentials");
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
