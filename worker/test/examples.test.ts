import { beforeAll, describe, expect, it } from "vitest";
import type { EventsResponse } from "../../core/api/index.ts";
import { DOCUMENT_EXAMPLES, EXAMPLES } from "../../core/api/openapi/examples.ts";
import { bsmText } from "../test-support/baggage-message-text.ts";
import { demoPasses } from "../test-support/boarding-pass-text.ts";
import { readDocumented } from "../test-support/documented-message.ts";
import { exampleSender, examples, type SendExample } from "../test-support/example-requests.ts";
import { startClean, type TestService } from "../test-support/service.ts";

/** Fields that hold tokens, ids and times: no two answers have the same. */
const NEW_EACH_TIME: ReadonlySet<string> = new Set(
  [
    "token accessToken refreshToken nonce attestationObject jwk proof certificateChain transactionToken",
    "scanData message baggageMessage requestId subject journeyId delegationId code comparison id cursor",
    "expiresAt lockedAt at lostSince foundAt addedAt source date scheduledDeparture scheduledArrival x y",
    "kid clientRoots tagRoots",
  ].flatMap((names) => names.split(" ")),
);

/** The examples of the OpenAPI document, carried out one after the other: what is printed there happens. */

let service: TestService;
let send: SendExample;
beforeAll(async () => {
  // As scripts/build/places.ts makes it of cities.tsv.
  const cities = {
    HEL: { en: "Helsinki", nb: "Helsingfors", ar: "هلسنكي", zh: "赫尔辛基", ja: "ヘルシンキ" },
  };
  service = await startClean({}, undefined, { assets: async () => Response.json(cities) });
  send = await exampleSender(service);
});

/** `value` without what differs from run to run, of which only the kind stays. */
function settled(value: unknown, name = ""): unknown {
  if (NEW_EACH_TIME.has(name)) return typeof value;
  if (Array.isArray(value)) return value.map((item) => settled(item));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([field, inner]) => [field, settled(inner, field)]));
}

// In their order, whatever order is asked for: each goes on from what the one before has done.
describe("one after the other", { shuffle: false }, () => {
  it.each(examples)("the example of %s happens as it is written", async (name, { response }) => {
    const answer = await send(name);
    expect([answer.status, settled(answer.body)]).toEqual([200, settled(response)]);
  });
});

it.each([
  ["/.well-known/jwks.json", DOCUMENT_EXAMPLES.accessTokenKeys],
  ["/.well-known/ebt-configuration", DOCUMENT_EXAMPLES.ebtConfiguration],
  ["/healthz", DOCUMENT_EXAMPLES.health],
])("GET %s answers as its example", async (path, example) => {
  const answer = await service.fetch(path);
  expect([answer.status, settled(answer.body)]).toEqual([200, settled(example)]);
});

it("the printed baggage message and boarding pass are of the kind that was sent", () => {
  const { message } = EXAMPLES.baggageSourceMessages.request as { message: string };
  expect(message).toBe(bsmText({ date: "2027-03-14", locator: "HOPPER" }));
  const { events } = EXAMPLES.events.response as EventsResponse;
  expect(readDocumented(events[0]?.baggageMessage ?? "")).toMatchObject({ kind: "CHG", plate: "0117123456" });
  const { scanData } = EXAMPLES.journeyFromBcbp.request as { scanData: string };
  expect(demoPasses("2027-03-14").lovelace.slice(0, 30)).toBe(`M2${scanData.slice(2, 30)}`);
});
