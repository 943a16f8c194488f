import { sql } from "drizzle-orm";
import { afterEach, expect, it } from "vitest";
import { expectError } from "./test-support/expect-error.ts";
import { startService, type TestService } from "./test-support/service.ts";

/** A table gone, and back when the test is over: the statements of every file are explained at its end. */
let putBack: () => Promise<unknown>;
afterEach(() => putBack());

async function without({ db }: TestService, table: string): Promise<void> {
  await db.run(sql.raw(`alter table ${table} rename to elsewhere`));
  putBack = () => db.run(sql.raw(`alter table elsewhere rename to ${table}`));
}

it("answers an unforeseen failure with internal_error, and keeps the detail in the log", async () => {
  const service = await startService();
  await without(service, "attestation_nonces");
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
  await without(service, "audit_log");
  expectError(await service.call("refresh", { refreshToken: "unknown" }), "internal_error");
});
