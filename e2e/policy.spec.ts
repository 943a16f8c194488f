import type { Page } from "@playwright/test";
import { ADA, JUERGEN } from "../scripts/drivers/passenger.ts";
import { en } from "../web/i18n/en.ts";
import { adasPass, choosesPhoto, passText, photograph } from "./support/boarding-pass.ts";
import { hostToken } from "./support/host-airline.ts";
import { controlled } from "./support/service-worker.ts";
import { expect, test } from "./support/test.ts";

test.use({ serviceWorkers: "allow" });

interface Watch {
  /** Requests to other origins than the service's. */
  readonly strangers: string[];
  /** What the Content-Security-Policy or Trusted Types refused. */
  readonly violations: string[];
}

async function watch(page: Page, service: string): Promise<Watch> {
  const found: Watch = { strangers: [], violations: [] };
  page.context().on("request", (request) => {
    if (new URL(request.url()).origin !== service && !request.url().startsWith("data:"))
      found.strangers.push(request.url());
  });
  await page.exposeFunction("policyRefused", (what: string) => found.violations.push(what));
  await page.addInitScript(() => {
    document.addEventListener("securitypolicyviolation", ({ violatedDirective, blockedURI, sample }) => {
      const world = globalThis as unknown as { policyRefused(what: string): void };
      world.policyRefused(`${violatedDirective} ${blockedURI} ${sample}`);
    });
  });
  page.on("console", (message) => {
    if (/Content Security Policy|Trusted Type|TrustedHTML|TrustedScript/.test(message.text()))
      found.violations.push(message.text());
  });
  return found;
}

test("a passenger's whole story sends requests to the service alone, and breaks no policy", async ({
  page,
  context,
  service,
  makeTag,
  open,
  passenger,
  stranger,
}) => {
  // Closed again, because a page in the background gets no chooser.
  const desk = await context.newPage();
  const photo = await photograph(desk, "qrcode", passText(adasPass()));
  await desk.close();
  const found = await watch(page, service);
  const tag = await makeTag("2.1", { signs: false });
  await stranger.attach(tag.id, JUERGEN.baggageId);
  await page.goto(service);
  await controlled(page);
  const emulated = await open([tag]);
  await page.getByRole("link", { name: en.start.scan }).click();
  await choosesPhoto(page, photo);
  await passenger.sees(en.journey.title("Helsinki"));
  await passenger.putsFirstBagOnTag();
  await passenger.asksForProof();
  await passenger.proves(JUERGEN);
  await passenger.sees(en.job.doneTitle);
  await passenger.goesHome();
  await emulated.goto(`${service}/clear?tag=${tag.id}`);
  await passenger.clearsTag();
  await passenger.sees(en.clear.doneTitle);
  await emulated.goto(`${service}/handover#token=${await hostToken()}`);
  await page.getByRole("button", { name: en.passenger.handOver.go, exact: true }).click();
  await passenger.sees(en.journey.title("Helsinki"));
  await passenger.reads(ADA.recordLocator);
  expect(found).toEqual({ strangers: [], violations: [] });
});

test("markup and scripts made of plain strings are refused, and only the reader may compile wasm", async ({
  page,
  service,
}) => {
  await page.goto(service);
  const refused = await page.evaluate(() => {
    const tries: Record<string, () => unknown> = {
      innerHTML: () => {
        document.createElement("div").innerHTML = "<b>x</b>";
      },
      worker: () => new Worker("/assets/x.js"),
      defaultPolicy: () =>
        (
          globalThis as unknown as { trustedTypes: { createPolicy(name: string, rules: object): unknown } }
        ).trustedTypes.createPolicy("default", { createHTML: (text: string) => text }),
      wasm: () => new WebAssembly.Module(new Uint8Array([0, 97, 115, 109, 1, 0, 0, 0])),
    };
    return Object.entries(tries)
      .filter(([, attempt]) => {
        try {
          attempt();
          return false;
        } catch {
          return true;
        }
      })
      .map(([name]) => name);
  });
  expect(refused).toEqual(["innerHTML", "worker", "defaultPolicy", "wasm"]);
});

test("every document of the page carries the whole set of headers", async ({ request, service }) => {
  for (const path of ["/", "/journeys/x", "/clear", "/scan", "/kiosk"]) {
    const headers = (await request.get(`${service}${path}`)).headers();
    expect(headers["content-security-policy"], path).toContain("require-trusted-types-for 'script'");
    expect(headers["content-security-policy"], path).not.toContain("unsafe");
    expect(headers["permissions-policy"], path).toMatch(/^bluetooth=\(self\), camera=\(self\), /);
    expect(headers["permissions-policy"], path).toContain("geolocation=(self)");
    expect(headers["cross-origin-opener-policy"], path).toBe("same-origin");
    expect(headers["cross-origin-resource-policy"], path).toBe("same-origin");
    expect(headers["referrer-policy"], path).toBe("no-referrer");
    expect(headers["x-content-type-options"], path).toBe("nosniff");
    expect(headers["strict-transport-security"], path).toContain("max-age=");
  }
});
