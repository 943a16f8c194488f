import { describe, expect, it } from "vitest";
import { addressFault } from "./address.ts";

describe("the address of a webhook", () => {
  it.each(["https://hooks.example.com", "https://hooks.example.com/a?b=c", "https://xn--mller-kva.de/"])(
    "may be %s",
    (url) => expect(addressFault(url)).toBeUndefined(),
  );

  it.each([
    "hooks.example.com",
    "http://hooks.example.com",
    "https://user@hooks.example.com",
    "https://hooks.example.com:8443",
    "https://hooks.example.com/#part",
    "https://127.0.0.1",
    // One address, spelled in other numbers.
    "https://0x7f.1/",
    "https://[::1]/",
    "https://localhost",
    "https://a.localhost",
    "https://printer.local",
    "https://intranet./",
    "https://hooks.example.com./",
    `https://hooks.example.com/${"a".repeat(2_048)}`,
    "",
  ])("is not %s", (url) => expect(addressFault(url)).toEqual(expect.any(String)));

  it("may be this machine in development, and nowhere else", () => {
    for (const url of ["http://localhost:9000/hook", "http://127.0.0.1:9000"]) {
      expect(addressFault(url, { isDevelopment: true })).toBeUndefined();
      expect(addressFault(url)).toBeDefined();
    }
    expect(addressFault("http://10.0.0.1", { isDevelopment: true })).toBeDefined();
  });
});
