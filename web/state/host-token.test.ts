import { expect, test } from "vitest";
import { readHostToken } from "./hand-over.ts";

const NOW = Date.parse("2026-11-21T12:00:00Z");
const token = (claims: object) =>
  `e30.${Buffer.from(JSON.stringify(claims)).toString("base64url")}.signature`;
const base = { iss: "https://host-airline.example", exp: NOW / 1_000 + 60 };

test("first name and flight are shown, and surname and locator are masked whatever their length", () => {
  const claims = {
    ...base,
    given_name: "Ada",
    travel_plans: [{ recordLocator: "ABC123", surname: "Lovelace", flight: "SK1234" }],
  };
  expect(readHostToken(token(claims), NOW)).toEqual({
    host: "host-airline.example",
    passenger: "Ada L•••••",
    recordLocator: "A•••••",
    flight: "SK1234",
    expired: false,
  });
});

test.each(["call +1 555 0100", "evil.example", "A".repeat(25), "Ada\u202e"])(
  "%j is no first name, and is masked",
  (given_name) =>
    expect(readHostToken(token({ ...base, given_name }), NOW)?.passenger).toMatch(/^\p{Lu}•••••$/u),
);

test.each(["SK 1234", "1234", "call SK1234", "SK12345", "12345", "S\u202eK123", 1234])(
  "%j is no flight, and is left out",
  (flight) =>
    expect(readHostToken(token({ ...base, travel_plans: [{ flight }] }), NOW)).toEqual({
      host: "host-airline.example",
      expired: false,
    }),
);

test.each(["SK1", "9W123", "U21234", "SK1234D"])("%j is a flight", (flight) =>
  expect(readHostToken(token({ ...base, travel_plans: [{ flight }] }), NOW)?.flight).toBe(flight),
);

test("a token without a name is still read", () => {
  expect(readHostToken(token(base), NOW)).toEqual({ host: "host-airline.example", expired: false });
});

test("an issuer that is no address is shown as it is", () => {
  expect(readHostToken(token({ ...base, iss: "host airline" }), NOW)?.host).toBe("host airline");
});

test("a token past its end says so", () => {
  expect(readHostToken(token({ ...base, exp: NOW / 1_000 }), NOW)?.expired).toBe(true);
});

test.each([
  "",
  "a.b",
  "a.!.c",
  `a.${Buffer.from("[]").toString("base64url")}.c`,
  token({ exp: 1 }),
  "x".repeat(9),
])("%j is no token", (text) => expect(readHostToken(text, NOW)).toBeUndefined());

test("claims of the wrong kind are passed over", () => {
  const claims = { ...base, given_name: 1, family_name: " ", name: ["x"], travel_plans: "none" };
  expect(readHostToken(token(claims), NOW)).toEqual({ host: "host-airline.example", expired: false });
});
