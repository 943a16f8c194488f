import { request as send } from "node:http";
import type { Page } from "@playwright/test";
import { endpoints } from "../core/api/index.ts";
import { ADA } from "../scripts/drivers/passenger.ts";
import { expectLabel } from "../scripts/drivers/tag-checks.ts";
import { expect, test } from "./support/test.ts";

const DAY = 86_400_000;

/** Makes the page's clock wrong, and returns the nonces of the service's refusals from then on. */
async function withClock(page: Page, offset: number) {
  await page.addInitScript((shift) => {
    const now = Date.now.bind(Date);
    Date.now = () => now() + shift;
  }, offset);
  const refusals: (string | undefined)[] = [];
  page.on("response", async (response) => {
    if (response.status() === 401) refusals.push((await response.allHeaders())["dpop-nonce"]);
  });
  return refusals;
}

test("a passenger whose clock is before the tag's certificate notices nothing", async ({
  page,
  makeTag,
  open,
  passenger,
}) => {
  const refusals = await withClock(page, -60 * DAY);
  const tag = await makeTag("2.1");
  await open([tag]);
  await passenger.writesFirstBag(ADA);
  expectLabel(tag, ADA);
  expect(refusals).toEqual([]);
});

test("a passenger whose clock is a day fast notices nothing", async ({ page, service, passenger }) => {
  const refusals = await withClock(page, DAY);
  await page.goto(service);
  await passenger.findsJourney(ADA);
  // The service asked for its own nonce, and was given a proof over it.
  await expect.poll(() => refusals.filter((nonce) => nonce !== undefined).length).toBeGreaterThan(0);
});

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
