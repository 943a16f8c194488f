import { expect, it } from "vitest";
import { staffSubject } from "../secrets/credentials.ts";
import { staffSession } from "../test-support/logins.ts";
import { lastSession } from "../test-support/rows.ts";
import { startService } from "../test-support/service.ts";

it("a staff account's sessions are found by what operators compute", async () => {
  const service = await startService();
  await staffSession(service);
  const { sub } = await lastSession(service);
  expect(await staffSubject(service.settings.pepper, "client-kiosk", "kiosk-osl-1")).toBe(sub);
});
