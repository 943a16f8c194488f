import { request as send } from "node:http";
import { endpoints } from "../core/api/index.ts";
import { ADA, Passenger } from "./support/passenger.ts";
import { expect, test } from "./support/test.ts";

const DAY = 86_400_000;

for (const [name, offset] of [
  ["slow", -DAY],
  ["fast", DAY],
] as const) {
  test(`a passenger whose clock is a day ${name} notices nothing`, async ({ page, service }) => {
    await page.addInitScript((shift) => {
      const now = Date.now.bind(Date);
      Date.now = () => now() + shift;
    }, offset);
    const challenges: (string | undefined)[] = [];
    page.on("response", async (response) => {
      if (response.status() === 401) challenges.push((await response.allHeaders())["dpop-nonce"]);
    });
    await page.goto(service);
    await new Passenger(page).findsJourney(ADA);
    // The service asked for its own nonce, and was given a proof over it.
    expect(challenges.filter((nonce) => nonce !== undefined).length).toBeGreaterThan(0);
  });
}

test("a body without end is cut off and answered 413", async ({ service }) => {
  let sent = 0;
  const status = await new Promise<number | undefined>((resolve, reject) => {
    const url = new URL(endpoints.guestSession.path, service);
    const request = send(url, { method: "POST", headers: { "Transfer-Encoding": "chunked" } }, (response) => {
      resolve(response.statusCode);
      request.destroy();
    });
    const chunk = Buffer.alloc(8_192, 0x20);
    const more = () => {
      if (request.destroyed) return;
      sent += chunk.length;
      request.write(chunk);
      setTimeout(more, 5);
    };
    request.on("error", reject);
    more();
  });
  expect(status).toBe(413);
  expect(sent).toBeLessThan(10_000_000);
});
