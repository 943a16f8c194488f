import { createServer, type IncomingMessage, request, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import type { Page } from "@playwright/test";
import { EmulatedTags } from "../scripts/drivers/cdp-tag.ts";
import { ADA } from "../scripts/drivers/passenger.ts";
import { expectLabel } from "../scripts/drivers/tag-checks.ts";
import { en } from "../web/i18n/en.ts";
import { controlled } from "./support/service-worker.ts";
import { expect, test } from "./support/test.ts";
import { hold } from "./support/tour.ts";

/** A server before the service that can bring out a new version of the page: what a deployment does, seen from a browser. */
interface Deployment {
  readonly url: string;
  /** From now on the service worker's script is another one, byte for byte, as after a build. */
  release(): void;
  stop(): Promise<void>;
}

async function runDeployment(service: string): Promise<Deployment> {
  let version = 1;
  const server = createServer((incoming, outgoing) => forward(service, incoming, outgoing, () => version));
  await new Promise<void>((resolve) => server.listen(0, "localhost", resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://localhost:${port}`,
    release: () => {
      version += 1;
    },
    stop: () =>
      new Promise((resolve) => {
        server.closeAllConnections();
        server.close(() => resolve());
      }),
  };
}

/** Everything goes through as it is, `Host` included, so that addresses in proofs stay true. */
function forward(
  service: string,
  incoming: IncomingMessage,
  outgoing: ServerResponse,
  version: () => number,
): void {
  const { method, headers, url = "/" } = incoming;
  // Neither side may answer from what it knew of another version, or compress what is appended to.
  const { "if-none-match": _tag, "accept-encoding": _coding, ...rest } = headers;
  const passed = request(new URL(url, service), { method: method ?? "GET", headers: rest }, (answer) => {
    const { etag: _etag, "content-length": _length, ...kept } = answer.headers;
    outgoing.writeHead(answer.statusCode ?? 502, kept);
    answer.on("data", (chunk) => outgoing.write(chunk));
    answer.on("end", () => {
      if (url === "/sw.js") outgoing.write(`\n// version ${version()}\n`);
      outgoing.end();
    });
  });
  passed.on("error", () => outgoing.destroy());
  // A window that goes takes its requests along: what was for it is lost, which is no fault.
  for (const side of [incoming, outgoing]) side.on("error", () => passed.destroy());
  incoming.pipe(passed);
}

test.use({ serviceWorkers: "allow" });

/** Looks for a new version, as the browser does by itself now and then, until one waits. */
async function newVersionWaits(page: Page): Promise<void> {
  await page.evaluate(async () => (await navigator.serviceWorker.getRegistration())?.update());
  await page.waitForFunction(async () => (await navigator.serviceWorker.getRegistration())?.waiting);
}

const newVersionRuns = (page: Page) =>
  page.waitForFunction(async () => {
    const registration = await navigator.serviceWorker.getRegistration();
    return registration?.active?.state === "activated" && registration.waiting === null;
  });

const isWaiting = (page: Page) =>
  page.evaluate(
    async () => (await navigator.serviceWorker.getRegistration())?.waiting?.state === "installed",
  );

test("a new version is offered when no job runs, installed when asked, and never while any window has a job", async ({
  page,
  context,
  service,
  makeTag,
  passenger,
}) => {
  const front = await runDeployment(service);
  const tag = await makeTag("2.1");
  const emulated = await EmulatedTags.install(page, [tag]);
  const offered = (where: Page) => where.getByText(en.update.title);
  const accept = (where: Page) => where.getByRole("button", { name: en.update.action }).click();
  try {
    emulated.choose(tag);
    await page.goto(front.url);
    await controlled(page);
    await emulated.goto(front.url);
    const script = await page.evaluate(() => navigator.serviceWorker.controller?.scriptURL);
    expect(script).toBe(`${front.url}/sw.js`);

    // A job that is not over before we say so, and a new version in the middle of it.
    const goOn = await hold(page, "**/v2/device-attachments");
    await passenger.beginsFirstBag(ADA);
    await passenger.reads(en.doing.attach);
    await page.locator(".working .details > summary").click();
    await expect(page.locator(".step[data-state=active]")).toContainText(en.passenger.step.attach);
    const other = await context.newPage();
    await other.goto(front.url);
    await controlled(other);
    front.release();
    await newVersionWaits(page);
    await expect(offered(page)).toHaveCount(0);

    // The other window asks for it, sees why it must wait, and gets it as soon as the job is over.
    await expect(offered(other)).toBeVisible();
    await accept(other);
    await expect(other.getByText(en.update.waiting)).toBeVisible();
    expect(await isWaiting(other)).toBe(true);
    const loads = other.waitForEvent("load");
    goOn();
    await passenger.sees(en.job.doneTitle);
    expectLabel(tag, ADA);
    await loads;
    await newVersionRuns(other);
    await expect(offered(other)).toHaveCount(0);

    // Already installed: the first window gets it by reloading.
    await expect(offered(page)).toBeVisible();
    const loadsToo = page.waitForEvent("load");
    await accept(page);
    await loadsToo;
    await expect(page.getByRole("heading", { level: 1 })).toBeVisible();
    await expect(offered(page)).toHaveCount(0);
  } finally {
    await emulated.remove();
    await front.stop();
  }
});

test("the page can be installed", { tag: "@nightly" }, async ({ page, context, service }) => {
  await page.goto(service);
  await controlled(page);
  const session = await context.newCDPSession(page);
  const { installabilityErrors } = await session.send("Page.getInstallabilityErrors");
  // A test's context is a private window, which installs nothing.
  expect(installabilityErrors.map(({ errorId }) => errorId).filter((id) => id !== "in-incognito")).toEqual(
    [],
  );
  const { shortcuts } = await (await page.request.get(`${service}/manifest.webmanifest`)).json();
  expect(shortcuts).toContainEqual({ name: en.bag.put, url: "/t" });
});

test("a tab of an earlier version, whose files are gone, says so and offers to reload", async ({
  page,
  passenger,
  service,
}) => {
  await page.goto(service);
  await page.waitForLoadState("networkidle");
  await page.route("**/assets/*.js", (route) => route.fulfill({ status: 404 }));
  await passenger.opensClearPage();
  await passenger.sees(en.error.notLoaded);
  await passenger.goesHome();
  await passenger.sees(en.start.title);
  await passenger.opensClearPage();
  await passenger.sees(en.error.notLoaded);
  await page.unroute("**/assets/*.js");
  await page.getByRole("button", { name: en.journey.reload }).click();
  await passenger.sees(en.start.clearAction);
  await expect(page).toHaveURL(/\/clear$/);
});
