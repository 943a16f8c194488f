import { beforeAll, expect, it } from "vitest";
import { HEADER } from "../../core/api/index.ts";
import { interruption } from "../test-support/guarded-database.ts";
import { guestSession, staffSession } from "../test-support/logins.ts";
import { lastSession } from "../test-support/rows.ts";
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

it("a reused refresh token ends its family before the answer: where that fails, the answer is an error", async () => {
  const first = await startService();
  const { refreshToken, clientKey } = await guestSession(first);
  const turn = (service: typeof first, token: string) =>
    service.call("refresh", { refreshToken: token }, { [HEADER.clientKey]: clientKey });
  const second = (await turn(first, refreshToken)).body.refreshToken;
  await turn(first, second);
  const { database, beforeCall } = interruption();
  const service = await startService({}, undefined, { database });
  // Client, family and the token that does not move it on; then the family ends.
  beforeCall(4, () => Promise.reject(new Error("D1_ERROR: Network connection lost.")));
  expectError(await turn(service, refreshToken), "service_unavailable");
  expect((await lastSession(service)).revokedAt).toBeNull();
});
