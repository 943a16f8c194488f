/** The demo host airline (rules §9): its tokens, and a site of its own that opens the page. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { BrowserContext, Page } from "@playwright/test";
import { importJWK, type JWTPayload, SignJWT } from "jose";
import { ROOT } from "../../scripts/project-files.ts";

export const HOST = "https://host-airline.example";

/** A token for the traveller of journey 1; `claims` replace members, by undefined too. */
export async function hostToken(claims: JWTPayload = {}): Promise<string> {
  const jwk = JSON.parse(readFileSync(join(ROOT, "db", "demo", "host-airline.jwk.json"), "utf8"));
  const now = Math.floor(Date.now() / 1_000);
  const payload = {
    iss: HOST,
    aud: "taglatch",
    sub: "traveller-1",
    iat: now,
    exp: now + 120,
    given_name: "Ada",
    travel_plans: [{ recordLocator: "ABC123", surname: "Lovelace", flight: "SK1234" }],
    ...claims,
  };
  return new SignJWT(payload)
    .setProtectedHeader({ alg: "ES256", kid: jwk.kid })
    .sign(await importJWK(jwk, "ES256"));
}

/**
 * A site at `origin` with one button: it opens `address` and hands `token` over by message, patiently (when the page
 * says it is ready) and pushily (to anybody, again and again). Returns the page it opened.
 */
export async function openFromSite(
  context: BrowserContext,
  origin: string,
  address: string,
  token: string,
): Promise<Page> {
  await context.route(`${origin}/**`, (route) =>
    route.fulfill({ contentType: "text/html", body: "<button>Tag my bag</button>" }),
  );
  const site = await context.newPage();
  await site.goto(`${origin}/`);
  await site.evaluate(
    ([url, jwt]) => {
      const message = { type: "taglatch.token", token: jwt };
      addEventListener("message", ({ data, source, origin: from }) => {
        if (data?.type === "taglatch.ready") (source as Window).postMessage(message, from);
      });
      document.querySelector("button")?.addEventListener("click", () => {
        const opened = window.open(url);
        setInterval(() => opened?.postMessage(message, "*"), 200);
      });
    },
    [address, token] as const,
  );
  const opening = site.waitForEvent("popup");
  await site.getByRole("button").click();
  return opening;
}
