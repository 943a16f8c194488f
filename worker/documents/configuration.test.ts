import { expect, it } from "vitest";
import { EbtConfiguration, parseBody } from "../../core/api/index.ts";
import { LOCALES } from "../../core/api/locales.ts";
import { fromPem, toPem } from "../../core/pki/pem.ts";
import { startService } from "../test-support/service.ts";

const path = "/.well-known/ebt-configuration";

it("names the roots to trust and the client key of the page", async () => {
  const service = await startService();
  const { body } = await service.fetch(path);
  expect(parseBody(EbtConfiguration, body)).toEqual({ ok: true, value: body });
  expect(body).toMatchObject({
    issuer: "taglatch",
    clientKeys: { passenger: "demo-passenger-key", kiosk: "demo-kiosk-key" },
    clientRoots: [toPem(service.settings.ca.root)],
    tokenKeys: { keys: service.settings.transactionTokenKeys.published },
    limits: { maxCustodyProofAttempts: 3 },
  });
  expect(body.gatt.service).toBe("a9ffda49-387d-4bec-94e5-e89af21bf541");
});

it("trusts the demo tags in development only", async () => {
  const demo = (await (await startService()).fetch(path)).body.tagRoots;
  expect(demo).toHaveLength(1);
  const production = await startService({ ENVIRONMENT: "production", TAG_ROOTS: "" });
  expect((await production.fetch(path)).body.tagRoots).toEqual([]);
});

it("trusts the tag roots of the deployment, line ends escaped or not", async () => {
  const service = await startService();
  const pem = toPem(service.settings.ca.root);
  for (const text of [pem, pem.replaceAll("\n", "\\n"), pem + pem]) {
    const { body } = await (await startService({ ENVIRONMENT: "production", TAG_ROOTS: text })).fetch(path);
    expect(fromPem(body.tagRoots[0])).toEqual([service.settings.ca.root]);
  }
});

it("lists the languages the page speaks", async () => {
  const { body } = await (await startService()).fetch(path);
  expect(body.locales).toEqual(LOCALES);
});

it("gives the page the airline's look, where there is one", async () => {
  expect((await (await startService()).fetch(path)).body).not.toHaveProperty("theme");
  const look = { THEME_NAME: "Polar Air", THEME_ACCENT: "#C8102E", THEME_LOGO: "/branding/logo.svg" };
  const { body } = await (await startService(look)).fetch(path);
  expect(body.theme).toEqual({ name: "Polar Air", accent: "#C8102E", logo: "/branding/logo.svg" });
  expect(parseBody(EbtConfiguration, body)).toEqual({ ok: true, value: body });
  const whole = {
    ...{ ...look, THEME_LOGO_DARK: "/branding/logo-dark.svg", THEME_ICON: "/branding/icon.png" },
    ...{ THEME_LOGO_WITH_NAME: "yes" },
  };
  expect((await (await startService(whole)).fetch(path)).body.theme).toEqual({
    ...{ ...body.theme, logoDark: "/branding/logo-dark.svg", icon: "/branding/icon.png" },
    nameBesideLogo: true,
  });
});

it("names the ways out for browsers without Bluetooth, where there are some", async () => {
  const none = (await (await startService()).fetch(path)).body;
  expect(none).not.toHaveProperty("kiosks");
  expect(none).not.toHaveProperty("iosBrowser");
  expect(none).not.toHaveProperty("iosApp");
  const { body } = await (
    await startService({
      KIOSKS: "OSL Departure hall, row C\n  ARN Terminal 5\\nCPH  Gate B4 \n",
      IOS_BROWSER: "https://apps.example/browser",
      IOS_APP: "https://apps.example/airline",
    })
  ).fetch(path);
  expect(body.kiosks).toEqual([
    { airport: "OSL", place: "Departure hall, row C" },
    { airport: "ARN", place: "Terminal 5" },
    { airport: "CPH", place: "Gate B4" },
  ]);
  expect(body.iosBrowser).toBe("https://apps.example/browser");
  expect(body.iosApp).toBe("https://apps.example/airline");
  expect(parseBody(EbtConfiguration, body)).toEqual({ ok: true, value: body });
});

it("contains no private key", async () => {
  expect((await (await startService()).fetch(path)).text).not.toContain('"d"');
});
