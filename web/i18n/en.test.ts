import { describe, expect, test } from "vitest";
import { errors } from "./en-errors.ts";

/** Words of ours that a passenger has no reason to know. */
const JARGON =
  /\b(GATT|BLE|nonce|token|certificate|handshake|EDHOC|HTTP|JSON|payload|record error|exception|null|timeout)\b/i;

describe.each(Object.entries(errors))("the sentences of %s", (_code, { what, next }) => {
  test("are whole sentences in plain words", () => {
    for (const sentence of [what, next]) {
      expect(sentence).toMatch(/^[A-Z].*\.$/);
      expect(sentence).not.toMatch(JARGON);
      expect(sentence.length).toBeLessThanOrEqual(110);
    }
  });
});
