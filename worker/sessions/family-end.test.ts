import { expect, it } from "vitest";
import { HEADER } from "../../core/api/index.ts";
import { sessions } from "../../db/schema.ts";
import { interruption } from "../test-support/guarded-database.ts";
import { guestSession } from "../test-support/logins.ts";
import { expectError, startService } from "../test-support/service.ts";

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
  const [session] = await service.db.select().from(sessions).orderBy(sessions.createdAt);
  expect(session?.revokedAt).toBeNull();
});
