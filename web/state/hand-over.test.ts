// @vitest-environment jsdom
import { createRoot } from "solid-js";
import { expect, test, vi } from "vitest";
import { withResolvers } from "../../sdk/abort.ts";
import { ServiceError, type Taglatch } from "../../sdk/index.ts";
import { fakeTaglatch } from "../test-support/fake-taglatch.ts";
import { createHandOver, readHostToken } from "./hand-over.ts";

const HOST = "https://host.example";
const TOKEN = ["{}", JSON.stringify({ iss: HOST }), "signature"].map((part) => btoa(part)).join(".");

/** The page of a hand-over, with the steps that it takes with the service and with this device in their order. */
function page(token?: string, list?: Taglatch["journeys"]["list"]) {
  const did: string[] = [];
  const client = fakeTaglatch();
  const loginFederated = async () => {
    did.push("login");
    return { ok: true, value: { method: "federated" } } as const;
  };
  const known = {
    ...client,
    journeys: { ...client.journeys, list: list ?? client.journeys.list },
    session: { ...client.session, loginFederated },
  };
  const [erased, origins] = [withResolvers<void>(), Promise.resolve([HOST])];
  const forget = () => {
    did.push("forget");
    return erased.promise;
  };
  const options = { load: async () => known, token, origins: () => origins, forget };
  const made = createRoot((leave) => ({ ...createHandOver(options), leave }));
  return { ...made, did, erased, origins };
}

const sends = (token: string) =>
  dispatchEvent(new MessageEvent("message", { origin: HOST, data: { type: "taglatch.token", token } }));

test("a token that comes by message is asked about, and one that comes after the page was left is not", async () => {
  for (const isLeft of [false, true]) {
    const { state, leave, origins } = page();
    await origins;
    if (isLeft) leave();
    sends(TOKEN);
    expect(state().step).toBe(isLeft ? "waiting" : "asking");
    if (!isLeft) leave();
  }
});

test("what this device keeps of the session before is erased before the page leads on", async () => {
  const { go, state, did, erased } = page(TOKEN);
  go();
  await vi.waitFor(() => expect(did).toEqual(["login", "forget"]));
  await new Promise((resolve) => setTimeout(resolve));
  expect(state().step).toBe("checking");
  erased.resolve();
  await vi.waitFor(() => expect(state().step).toBe("done"));
});

test("it is erased although the new session's journeys cannot be loaded", async () => {
  const list = async () => ({ ok: false, error: new ServiceError("service_unavailable", "") }) as const;
  const { go, state, did, erased } = page(TOKEN, list);
  erased.resolve();
  go();
  await vi.waitFor(() => expect(state().step).toBe("failed"));
  expect(did).toEqual(["login", "forget"]);
});

test("leaving the page while it checks keeps the previous session", async () => {
  const { go, did, leave } = page(TOKEN);
  go();
  leave();
  await new Promise((resolve) => setTimeout(resolve, 10));
  expect(did).toEqual([]);
});

const NOW = Date.parse("2026-11-21T12:00:00Z");
const token = (claims: object) =>
  `e30.${Buffer.from(JSON.stringify(claims)).toString("base64url")}.signature`;
const base = { iss: "https://host-airline.example", exp: NOW / 1_000 + 60 };

test("first name and flight are shown, and surname and locator are masked whatever their length", () => {
  const claims = {
    ...base,
    given_name: "Ada",
    travel_plans: [{ recordLocator: "ABC123", surname: "Lovelace", flight: "SK1234" }],
  };
  expect(readHostToken(token(claims), NOW)).toEqual({
    host: "host-airline.example",
    passenger: "Ada L•••••",
    recordLocator: "A•••••",
    flight: "SK1234",
    expired: false,
  });
});

test.each(["call +1 555 0100", "evil.example", "A".repeat(25), "Ada\u202e"])(
  "%j is no first name, and is masked",
  (given_name) =>
    expect(readHostToken(token({ ...base, given_name }), NOW)?.passenger).toMatch(/^\p{Lu}•••••$/u),
);

test.each(["SK 1234", "1234", "call SK1234", "SK12345", "12345", "S\u202eK123", 1234])(
  "%j is no flight, and is left out",
  (flight) =>
    expect(readHostToken(token({ ...base, travel_plans: [{ flight }] }), NOW)).toEqual({
      host: "host-airline.example",
      expired: false,
    }),
);

test.each(["SK1", "9W123", "U21234", "SK1234D"])("%j is a flight", (flight) =>
  expect(readHostToken(token({ ...base, travel_plans: [{ flight }] }), NOW)?.flight).toBe(flight),
);

test.each([
  ["without a name is still read", {}, {}],
  ["whose issuer is no address shows it as it is", { iss: "host airline" }, { host: "host airline" }],
  ["past its end says so", { exp: NOW / 1_000 }, { expired: true }],
  [
    "with claims of the wrong kind passes over them",
    { given_name: 1, family_name: " ", name: ["x"], travel_plans: "none" },
    {},
  ],
])("a token %s", (_, claims, read) => {
  const plain = { host: "host-airline.example", expired: false };
  expect(readHostToken(token({ ...base, ...claims }), NOW)).toEqual({ ...plain, ...read });
});

test.each([
  "",
  "a.b",
  "a.!.c",
  `a.${Buffer.from("[]").toString("base64url")}.c`,
  token({ exp: 1 }),
  "x".repeat(9),
])("%j is no token", (text) => expect(readHostToken(text, NOW)).toBeUndefined());
