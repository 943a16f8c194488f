/**
 * What the page computes between the tap that puts a bag on a tag and the service's answer to the attachment: processor
 * time of its main thread, with a tag of Chromium's emulation. A slow phone's is six times as long.
 */
import type { Browser } from "playwright";
import { EmulatedTags } from "../drivers/cdp-tag.ts";
import { ADA, Passenger } from "../drivers/passenger.ts";
import { newTag } from "../drivers/tag-factory.ts";
import type { Server } from "../serve/server.ts";
import { atMost, type Goal, median, printTable } from "./harness.ts";
import { type Http2Front, withBrowser } from "./http2-front.ts";

const VISITS = 7;
const SLOWER = 6;
/** Milliseconds on such a phone: half a second less than on 25 November 2026. */
const MOST = 830;
/** Milliseconds: an e-paper's change; until an idle page has loaded what the tap needs; until the last drawing. */
const DISPLAY = 900;
const IDLE = 7_000;
const LAST = 700;

export async function benchTap(front: Http2Front, server: Server): Promise<readonly Goal[]> {
  const works: number[] = [];
  await withBrowser(front, async (browser) => {
    for (let n = 0; n < VISITS; n += 1) {
      // A bag that is on a tag already is put there by another button.
      await server.database.prepare("delete from device_ticket_locks").run();
      works.push(await visit(browser, front.origin, server.url));
    }
  });
  const work = median(works);
  printTable(`Page work of a transfer, median of ${VISITS} visits`, [
    { "here, ms": Math.round(work), [`${SLOWER} times slower, ms`]: Math.round(work * SLOWER) },
  ]);
  return [atMost(`page work from tap to done, ${SLOWER} times slower, ms`, work * SLOWER, MOST)];
}

/** Milliseconds of the main thread. */
async function visit(browser: Browser, origin: string, service: string): Promise<number> {
  const tag = await newTag(service, "2.1", { displayMs: DISPLAY });
  const context = await browser.newContext({
    ...{ locale: "en-GB", viewport: { width: 390, height: 844 } },
  });
  const page = await context.newPage();
  const emulated = await EmulatedTags.install(page, [tag]);
  emulated.choose(tag);
  await emulated.goto(origin);
  const passenger = new Passenger(page);
  await passenger.findsJourney(ADA);
  await page.waitForTimeout(IDLE);
  const session = await context.newCDPSession(page);
  // Of the thread, not of the clock: other programs do not count.
  await session.send("Performance.enable", { timeDomain: "threadTicks" });
  const spent = async () => {
    const { metrics } = await session.send("Performance.getMetrics");
    return (metrics.find(({ name }) => name === "TaskDuration")?.value ?? Number.NaN) * 1_000;
  };
  const { x, y, width, height } = (await passenger.firstBag.boundingBox()) ?? fail("the bag has no button");
  const before = await spent();
  // Waiting for a heading computes in the page as well.
  const attached = page.waitForResponse("**/v2/device-attachments");
  await page.mouse.click(x + width / 2, y + height / 2);
  await attached;
  await page.waitForTimeout(LAST);
  const work = (await spent()) - before;
  if (tag.snapshot().display.state !== "LABEL") fail("the tag was not written");
  await emulated.remove();
  await context.close();
  return work;
}

function fail(why: string): never {
  throw new Error(why);
}
