import { eq } from "drizzle-orm";
import { beforeEach, describe, expect, it } from "vitest";
import { type EndpointName, endpoints, HEADER } from "../../core/api/index.ts";
import { clientOrigins, clients, guessCounters } from "../../db/schema.ts";
import { failingDatabase } from "../test-support/guarded-database.ts";
import { guestSession, staffSession } from "../test-support/logins.ts";
import { changeRow } from "../test-support/rows.ts";
import { BASE, expectError, startService, type TestService, upTo } from "../test-support/service.ts";

/** Pages of foreign origins, and everything else that sends an `Origin` (rules §1). */

const LISTED = "http://localhost:5173";
const EVIL = "https://evil.example";
const names = Object.keys(endpoints) as EndpointName[];
const pathOf = (name: EndpointName) => endpoints[name].path.replace("{journeyId}", "demo-journey-1");

function counters() {
  const counter = upTo(2);
  const kinds = ["NONCE", "LOGIN", "LOOKUP", "FEED", "WRITE", "HALL", "HOLDER"];
  return {
    counted: counter.counted,
    vars: Object.fromEntries(kinds.map((kind) => [`${kind}_LIMIT`, counter])),
  };
}

let service: TestService;
beforeEach(async () => {
  service = await startService();
});

async function expectRefused(name: EndpointName, Origin: string): Promise<void> {
  const { counted, vars } = counters();
  service = await startService({ ENVIRONMENT: "production", ...vars });
  for (let i = 0; i < 3; i++) {
    const answer = await service.post(pathOf(name), undefined, { Origin });
    expectError(answer, "unauthorized_client");
    expect(answer.headers.has("Access-Control-Allow-Origin")).toBe(false);
    expect(service.log.at(-1)).toMatchObject({ reason: "origin", rowsWritten: 0 });
  }
  expect([counted, await service.db.$count(guessCounters)]).toEqual([[], 0]);
  // The list has been read once.
  expect(service.log.map(({ calls }) => calls)).toEqual([1, 0, 0]);
}

describe("before anything is counted or written", () => {
  it.each(names)("%s refuses a foreign page", (name) => expectRefused(name, EVIL));

  it.each(["http://localhost.evil.example", "null", "capacitor://evil"])(
    "a page of %s is foreign, too",
    (Origin) => expectRefused("guestSession", Origin),
  );
});

it("a page that spends others' logins spends nothing: staff and guests of its network log in", async () => {
  const { vars } = counters();
  service = await startService({ ENVIRONMENT: "production", ...vars });
  for (const name of ["b2bSession", "guestSession", "nonce"] as const)
    for (let i = 0; i < 5; i++)
      expectError(await service.post(pathOf(name), "{}", { Origin: EVIL }), "unauthorized_client");
  await staffSession(service);
  await guestSession(service);
});

describe("origins that are not refused", () => {
  const nonce = (headers: Record<string, string>) => service.post(pathOf("nonce"), undefined, headers);

  it.each<[string, Record<string, string>]>([
    ["native apps and kiosks that send no Origin", {}],
    ["the page itself", { Origin: BASE }],
    ["a listed page", { Origin: LISTED }],
    ["a WebView with an opaque origin", { Origin: "null", [HEADER.clientKey]: "demo-kiosk-key" }],
    ["a WebView with files of its own", { Origin: "file://", [HEADER.clientKey]: "demo-kiosk-key" }],
    ["an app's own scheme", { Origin: "capacitor://localhost", [HEADER.clientKey]: "demo-passenger-key" }],
  ])("%s", async (_, headers) => expect((await nonce(headers)).status).toBe(200));

  it("a listed app's scheme, without a key, too", async () => {
    await service.db
      .insert(clientOrigins)
      .values({ origin: "capacitor://localhost", clientId: "client-partner" });
    expect((await nonce({ Origin: "capacitor://localhost" })).status).toBe(200);
    await service.db.delete(clientOrigins).where(eq(clientOrigins.origin, "capacitor://localhost"));
  });

  it("the page behind a proxy, by the public origin", async () => {
    service = await startService({ PUBLIC_ORIGIN: "https://tags.example" });
    expect((await nonce({ Origin: "https://tags.example" })).status).toBe(200);
    expectError(await nonce({ Origin: "https://tags.example:8443" }), "unauthorized_client");
  });

  it("our own page, whatever the database does", async () => {
    const database = (binding: D1Database) => failingDatabase(binding, () => "down");
    service = await startService({}, undefined, { database });
    expect((await nonce({ Origin: BASE })).status).toBe(200);
    expectError(await nonce({ Origin: EVIL }), "service_unavailable");
  });

  it("a listed page that sends neither body nor type, at endpoints 2 and 7", async () => {
    const { call } = await guestSession(service);
    for (const answer of [
      await nonce({ Origin: LISTED }),
      await call("deviceClientCertificate", undefined, { Origin: LISTED }),
    ]) {
      expect(answer.status).toBe(200);
      expect(answer.headers.get("Access-Control-Allow-Origin")).toBe(LISTED);
    }
  });
});

it.each(["capacitor://localhost", "https://localhost"])(
  "an app's page of %s passes a preflight and reads answers once it is listed, and not before",
  async (Origin) => {
    const preflight = () =>
      service.fetch(pathOf("nonce"), {
        method: "OPTIONS",
        headers: {
          Origin,
          "Access-Control-Request-Method": "POST",
          "Access-Control-Request-Headers": `content-type,dpop,${HEADER.clientKey}`,
        },
      });
    const allowed = async () => (await preflight()).headers.get("Access-Control-Allow-Origin");
    expect(await allowed()).toBe(null);
    await service.db.insert(clientOrigins).values({ origin: Origin, clientId: "client-partner" });
    service.advance(60);
    expect(await allowed()).toBe(Origin);
    const { status, headers } = await service.post(pathOf("nonce"), undefined, { Origin });
    expect([status, headers.get("Access-Control-Allow-Origin")]).toEqual([200, Origin]);
    await service.db.delete(clientOrigins).where(eq(clientOrigins.origin, Origin));
  },
);

it("an opaque origin with a key passes no preflight: browsers send no key from a sandboxed frame", async () => {
  const preflight = await service.fetch(pathOf("b2bSession"), {
    method: "OPTIONS",
    headers: {
      Origin: "null",
      "Access-Control-Request-Method": "POST",
      "Access-Control-Request-Headers": HEADER.clientKey,
    },
  });
  expect([preflight.status, preflight.headers.get("Access-Control-Allow-Origin")]).toEqual([204, null]);
});

it("the list is cached for a minute, and an origin that a client no longer lists is refused after it", async () => {
  const ask = async (Origin = "https://new.example") =>
    (await service.post(pathOf("nonce"), undefined, { Origin })).status;
  expect(await ask(LISTED)).toBe(200);
  await service.db
    .insert(clientOrigins)
    .values({ origin: "https://new.example", clientId: "client-partner" });
  service.advance(59.999);
  expect(await ask()).toBe(401);
  service.advance(0.001);
  expect(await ask()).toBe(200);
  await changeRow(service.db, clients, "client-partner", { enabled: false });
  service.advance(60);
  expect(await ask()).toBe(401);
  await changeRow(service.db, clients, "client-partner", { enabled: true });
  await service.db.delete(clientOrigins).where(eq(clientOrigins.origin, "https://new.example"));
});
