import { sql } from "drizzle-orm";
import { expect, it } from "vitest";
import { expectError } from "./test-support/expect-error.ts";
import { startService } from "./test-support/service.ts";

it("answers an unforeseen failure with internal_error, and keeps the detail in the log", async () => {
  const service = await startService();
  await service.db.run(sql`drop table attestation_nonces`);
  const answer = await service.call("nonce");
  expectError(answer, "internal_error");
  expect(answer.text).not.toContain("attestation_nonces");
  expect(service.log.at(-1)).toMatchObject({
    errorCode: "internal_error",
    cause: "Error",
    stack: expect.any(Array),
  });
});

it("answers internal_error, named, when even the audit log cannot be written", async () => {
  const service = await startService();
  await service.db.run(sql`drop table audit_log`);
  expectError(await service.call("refresh", { refreshToken: "unknown" }), "internal_error");
});
