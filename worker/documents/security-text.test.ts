import { expect, it } from "vitest";
import { startService } from "../test-support/service.ts";

const path = "/.well-known/security.txt";
const DAY = 86_400_000;

it("names where to report a vulnerability, for less than a year", async () => {
  const service = await startService({
    SECURITY_CONTACT: "mailto:security@airline.example https://airline.example/report",
    PUBLIC_ORIGIN: "https://tags.example.com",
  });
  const { status, headers, text } = await service.fetch(path);
  expect([status, headers.get("Content-Type")]).toEqual([200, "text/plain; charset=utf-8"]);
  const [, expires = ""] = /^Expires: (.*)$/m.exec(text) ?? [];
  expect(text).toBe(
    `Contact: mailto:security@airline.example\nContact: https://airline.example/report\nExpires: ${expires}\nPreferred-Languages: en\nCanonical: https://tags.example.com${path}\n`,
  );
  const left = Date.parse(expires) - service.now();
  expect(left).toBeGreaterThan(88 * DAY);
  expect(left).toBeLessThan(365 * DAY);
});

it("is not there without a configured contact", async () => {
  const service = await startService();
  expect((await service.fetch(path)).status).toBe(404);
});

it("no deployment starts with a contact that is none, or that would add a line", async () => {
  for (const contact of ["security@airline.example", "http://airline.example", "javascript:alert(1)"]) {
    await expect(startService({ SECURITY_CONTACT: contact })).rejects.toThrow("SECURITY_CONTACT");
  }
  const two = await startService({ SECURITY_CONTACT: "mailto:a@b.example\nhttps://c.example/" });
  const { text } = await two.fetch(path);
  expect(text.match(/^\w[\w-]*: /gm)).toEqual([
    "Contact: ",
    "Contact: ",
    "Expires: ",
    "Preferred-Languages: ",
  ]);
});
