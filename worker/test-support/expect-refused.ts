import { expect } from "vitest";
import { expectError } from "./expect-error.ts";
import { platformLogin } from "./platform-login.ts";
import { lastAudit } from "./rows.ts";
import type { Answer, TestService } from "./service.ts";

/**
 * Asserts that an attestation was refused for `reason`, and that the caller does not learn it: the answer must be byte for
 * byte the one to evidence of an unknown format.
 */
export async function expectRefused(service: TestService, answer: Answer, reason: string): Promise<void> {
  expectError(answer, "invalid_attestation");
  expect(await lastAudit(service)).toMatchObject({ event: "invalid_attestation", reason });
  const plain = await platformLogin(service, () => ({ fmt: "invented" }));
  expect(answer.text).toBe(plain.text);
}
