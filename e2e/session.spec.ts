import { request as send } from "node:http";
import { endpoints } from "../core/api/index.ts";
import { ADA, Passenger } from "./support/passenger.ts";
import { expect, test } from "./support/test.ts";

const DAY = 86_400_000;

for (const [name, offset] of [
  ["slow", -DAY],
  ["fast", DAY],
] as const) {
  const tag = name === "slow" ? [] : "@night";
  test(`a passenger whose clock is a day ${name} notices nothing`, { tag }, async ({ page, service }) => {
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
    await expect.poll(() => challenges.filter((nonce) => nonce !== undefined).length).toBeGreaterThan(0);
  });
}

/** The answer to a body without end; nothing where the line was cut as we wrote, before we came to read it. */
function sendWithoutEnd(service: string) {
  let sent = 0;
  return new Promise<{ readonly status?: number | undefined; readonly sent: number }>((resolve) => {
    const url = new URL(endpoints.guestSession.path, service);
    const request = send(url, { method: "POST", headers: { "Transfer-Encoding": "chunked" } }, (response) => {
      resolve({ status: response.statusCode, sent });
      request.destroy();
    });
    const chunk = Buffer.alloc(8_192, 0x20);
    const more = () => {
      if (request.destroyed) return;
      sent += chunk.length;
      request.write(chunk);
      setTimeout(more, 5);
    };
    request.on("error", () => resolve({ sent }));
    more();
  });
}

test("a body without end is cut off and answered 413", async ({ service }) => {
  await expect(async () => {
    const { status, sent } = await sendWithoutEnd(service);
    expect(sent).toBeLessThan(10_000_000);
    expect(status).toBe(413);
  }).toPass({ timeout: 60_000 });
});
