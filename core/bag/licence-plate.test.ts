import { describe, expect, it } from "vitest";
import { BagError } from "./errors.ts";
import { formatLicencePlate, isLicencePlate, parseLicencePlate } from "./licence-plate.ts";

describe("a licence plate", () => {
  it("comes apart into leading digit, carrier and serial", () => {
    expect(parseLicencePlate("0117123456")).toEqual({
      digits: "0117123456",
      leading: 0,
      carrier: "117",
      serial: "123456",
    });
  });

  it("is put together from its parts", () => {
    expect(formatLicencePlate({ leading: 0, carrier: "220", serial: "654321" }).digits).toBe("0220654321");
  });

  it.each([
    "",
    "011712345",
    "01171234567",
    "0117 12345",
    "SK12345678",
    "٠١١٧١٢٣٤٥٦",
    "0117123456\n",
    "0000000000",
  ])("is not %j", (text) => {
    expect(isLicencePlate(text)).toBe(false);
    expect(() => parseLicencePlate(text)).toThrow(BagError);
  });

  it("never hides a short part behind a long one", () => {
    expect(() => formatLicencePlate({ leading: 0, carrier: "17", serial: "1234567" })).toThrow(BagError);
    expect(() => formatLicencePlate({ leading: 10, carrier: "17", serial: "123456" })).toThrow(BagError);
    expect(() => formatLicencePlate({ leading: 10, carrier: "117", serial: "12345" })).toThrow(BagError);
  });

  it("is not repeated in the error that refuses it", () => {
    expect(() => parseLicencePlate("0117123X56")).toThrow(/^LICENCE_PLATE: not a ten-digit licence plate$/);
  });
});
