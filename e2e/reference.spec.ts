import { endpoints } from "../core/api/index.ts";
import { expect, test } from "./support/test.ts";

test("the reference shows every endpoint, with nothing from anywhere else", { tag: "@nightly" }, async ({
  page,
  service,
}) => {
  const hosts = new Set<string>();
  const complaints: string[] = [];
  page.on("request", (request) => {
    if (!request.url().startsWith("data:")) hosts.add(new URL(request.url()).origin);
  });
  page.on("console", (message) => {
    if (message.type() === "error") complaints.push(message.text());
  });
  const answer = await page.goto(`${service}/docs/api`);
  const policy = answer?.headers()["content-security-policy"];
  expect(policy).toMatch(/^default-src 'none'; script-src 'self'; /);
  expect(policy).not.toMatch(/https?:|unsafe|\*/);
  for (const { path } of Object.values(endpoints)) {
    await expect(page.locator(`[data-path="${path}"]`).first()).toBeVisible();
  }
  await page.locator(`[data-path="${endpoints.ebtAuthorization.path}"]`).click();
  await expect(page.getByText("A v2.0 tag accepts a token only with")).toBeVisible();
  await page.locator(`[data-path="${endpoints.deviceClientCertificate.path}"]`).click();
  await expect(page.getByText("the session must be bound to a key")).toBeVisible();
  await page.getByRole("button", { name: "Try it out" }).first().click();
  expect([...hosts]).toEqual([new URL(service).origin]);
  expect(complaints).toEqual([]);
});
