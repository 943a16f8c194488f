import { expect, it } from "vitest";
import { EncodingError } from "../encoding/bytes.ts";
import { DerError } from "../encoding/der.ts";
import { orRefuse } from "./certificate.ts";
import { PkiError, refuse } from "./errors.ts";

function thrown(by: () => unknown): unknown {
  try {
    by();
  } catch (error) {
    return error;
  }
  return undefined;
}

it("a refusal says CHAIN, why, and what it comes from", () => {
  const cause = new TypeError();
  const refusal = thrown(() => refuse("no leaf", cause));
  expect(refusal).toBeInstanceOf(PkiError);
  expect(refusal).toMatchObject({ code: "CHAIN", message: "CHAIN: no leaf", cause });
});

it.each([new DerError("padded length"), new EncodingError("utf8")])("%s is a refusal", (cause) => {
  const refusal = thrown(() =>
    orRefuse(() => {
      throw cause;
    }),
  );
  expect(refusal).toMatchObject({ code: "CHAIN", message: `CHAIN: ${cause.message}`, cause });
});

it("a mistake of ours is not", () => {
  const mistake = new TypeError();
  expect(
    thrown(() =>
      orRefuse(() => {
        throw mistake;
      }),
    ),
  ).toBe(mistake);
});
