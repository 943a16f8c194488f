import { beforeAll, expect, it } from "vitest";
import { guestSession, staffSession } from "../test-support/logins.ts";
import { expectError, startService, type TestService } from "../test-support/service.ts";

let service: TestService;
beforeAll(async () => {
  service = await startService();
});

it("ends access and refresh of the session, and of no other", async () => {
  const [session, other] = [await guestSession(service), await guestSession(service)];
  expect((await session.call("logout")).body).toEqual({ loggedOut: true });
  expectError(await session.call("ebtLookup", {}), "unauthorized_token");
  expectError(await service.call("refresh", { refreshToken: session.refreshToken }), "invalid_refresh_token");
  expect((await other.call("deviceClientCertificate")).status).toBe(200);
});

it("clears all of a passenger's browser data, and only the cache of a kiosk", async () => {
  const passenger = await (await guestSession(service)).call("logout");
  const kiosk = await (await staffSession(service)).call("logout");
  expect(passenger.headers.get("Clear-Site-Data")).toBe('"cache", "storage"');
  expect(kiosk.headers.get("Clear-Site-Data")).toBe('"cache"');
});
