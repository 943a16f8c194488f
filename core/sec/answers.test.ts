import { describe, expect, it } from "vitest";
import { fromHex, toHex } from "../encoding/bytes.ts";
import { alert, answerTo, errorFrom } from "./answers.ts";
import { SecError, type SecErrorCode, statusOf } from "./errors.ts";
import { decodeMessage1, encodeError, encodeIdentifier } from "./messages.ts";
import { codeOf } from "./test-support/parties.ts";

const answer = (code: SecErrorCode, suitesR?: readonly number[]) => {
  const error = new SecError(code, { message: "why exactly", ...(suitesR === undefined ? {} : { suitesR }) });
  const answered = answerTo(error);
  return answered === undefined ? undefined : [answered.type, toHex(answered.message)];
};

describe("the answer to a failure before keys", () => {
  it.each(["MESSAGE", "VERSION", "CHAIN", "EKU", "CRED_TIME", "AUTH_FAIL", "IDENTITY"] as const)(
    "is the same EDHOC error 1 without a reason for %s",
    (code) => expect(answer(code)).toEqual(["EDHOC_ERROR", "0160"]),
  );

  it("is EDHOC error 2 with the supported suites for SUITE", () => {
    expect(answer("SUITE", [6, 3])).toEqual(["EDHOC_ERROR", "02820603"]);
    expect(answer("SUITE", [3])).toEqual(["EDHOC_ERROR", "0203"]);
  });

  it("is EDHOC error 1 for SUITE where no list is known", () => {
    expect(answer("SUITE")).toEqual(["EDHOC_ERROR", "0160"]);
  });

  it("is EDHOC error 3 for a credential by an unknown reference", () => {
    expect(answer("CREDENTIAL")).toEqual(["EDHOC_ERROR", "03f5"]);
  });

  it.each([
    ["FRAME", "10"],
    ["TOO_LARGE", "11"],
    ["BUSY", "12"],
    ["TIMEOUT", "13"],
    ["STATE", "14"],
    ["LOCKOUT", "50"],
  ] as const)("is an alert for %s", (code, byte) => expect(answer(code)).toEqual(["ALERT", byte]));

  it.each([
    "RECORD",
    "STATEMENT_FORMAT",
    "PEER_ERROR",
    "TOKEN_FORMAT",
    "TOKEN_KID",
    "TOKEN_AUD",
    "TOKEN_NONCE",
    "TOKEN_EXPIRED",
    "TOKEN_BINDING",
    "TOKEN_SIG",
    "TOKEN_REPLAY",
    "OFFSET",
    "DIGEST",
    "STORAGE",
    "LOW_BATTERY",
  ] as const)("is silence for %s, which has no place there", (code) => expect(answer(code)).toBeUndefined());
});

describe("a received failure", () => {
  it("is MESSAGE for an unknown error, though it looks like error 3", () => {
    expect(errorFrom("EDHOC_ERROR", fromHex("04f5")).code).toBe("MESSAGE");
    expect(errorFrom("EDHOC_ERROR", fromHex("03f5")).code).toBe("PEER_ERROR");
  });

  it("is SUITE with the other side's list for EDHOC error 2", () => {
    expect(errorFrom("EDHOC_ERROR", fromHex("02820603"))).toMatchObject({ code: "SUITE", suitesR: [6, 3] });
    expect(errorFrom("EDHOC_ERROR", fromHex("0203"))).toMatchObject({ code: "SUITE", suitesR: [3] });
  });

  it("is PEER_ERROR for EDHOC errors 1 and 3", () => {
    const one = errorFrom("EDHOC_ERROR", encodeError({ code: 1, text: "no" }));
    expect(one).toMatchObject({
      code: "PEER_ERROR",
      peer: { kind: "edhoc", error: { code: 1, text: "no" } },
    });
    expect(errorFrom("EDHOC_ERROR", fromHex("03f5"))).toMatchObject({ peer: { error: { code: 3 } } });
  });

  it("is PEER_ERROR with the status for an alert", () => {
    const received = errorFrom("ALERT", alert("LOCKOUT").message);
    expect(received).toMatchObject({ code: "PEER_ERROR", peer: { kind: "alert", status: 80 } });
  });

  it.each([
    ["error 2 with text", "0260"],
    ["error 3 with null", "03f6"],
    ["an overlong code", "180160"],
  ])("is MESSAGE for %s", (_what, hex) => {
    expect(errorFrom("EDHOC_ERROR", fromHex(hex)).code).toBe("MESSAGE");
  });
});

describe("a failure's status byte", () => {
  it("is that of the profile, for the codes that have one", () => {
    expect([statusOf("FRAME"), statusOf("TOKEN_SIG"), statusOf("LOCKOUT")]).toEqual([16, 54, 80]);
    expect([statusOf("MESSAGE"), statusOf("RECORD"), statusOf("PEER_ERROR")]).toEqual([
      undefined,
      undefined,
      undefined,
    ]);
  });
});

/** message_1 in suite 6 with this C_I, as it travels. */
const withIdentifier = (cI: string) => fromHex(`0006${"5820"}${"09".repeat(32)}${cI}`);

describe("an identifier", () => {
  it.each(["00", "17", "20", "37"])(
    "%s is the encoding of an integer and travels as that alone",
    async (byte) => {
      expect(toHex(encodeIdentifier(fromHex(byte)))).toBe(byte);
      expect(toHex(decodeMessage1(withIdentifier(byte)).cI)).toBe(byte);
      expect(await codeOf(() => decodeMessage1(withIdentifier(`41${byte}`)))).toBe("MESSAGE");
    },
  );

  it.each(["18", "1f", "38", "3f", "40", "ff"])(
    "%s is the encoding of none and travels as a byte string",
    (byte) => {
      expect(toHex(encodeIdentifier(fromHex(byte)))).toBe(`41${byte}`);
      expect(toHex(decodeMessage1(withIdentifier(`41${byte}`)).cI)).toBe(`41${byte}`);
    },
  );

  it.each(["", "0001", "2020"])("of another length than one, '%s', travels as a byte string", (bytes) => {
    const travels = `4${bytes.length / 2}${bytes}`;
    expect(toHex(encodeIdentifier(fromHex(bytes)))).toBe(travels);
    expect(toHex(decodeMessage1(withIdentifier(travels)).cI)).toBe(travels);
  });
});
