import { expect, it } from "vitest";
import { EbtConfiguration, parseBody } from "../../core/api/index.ts";
import { LOCALES } from "../../core/api/locales.ts";
import { fromPem, toPem } from "../../core/pki/pem.ts";
import { startService } from "../test-support/service.ts";

const CONFIGURATION = "/.well-known/ebt-configuration";

it("names the roots to trust and the client key of the page", async () => {
  const service = await startService();
  const { body } = await service.fetch(CONFIGURATION);
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
  const demo = (await (await startService()).fetch(CONFIGURATION)).body.tagRoots;
  expect(demo).toHaveLength(1);
  const production = await startService({ ENVIRONMENT: "production", TAG_ROOTS: "" });
  expect((await production.fetch(CONFIGURATION)).body.tagRoots).toEqual([]);
});

it("trusts the tag roots of the deployment, line ends escaped or not", async () => {
  const service = await startService();
  const pem = toPem(service.settings.ca.root);
  for (const text of [pem, pem.replaceAll("\n", "\\n"), pem + pem]) {
    const { body } = await (await startService({ ENVIRONMENT: "production", TAG_ROOTS: text })).fetch(
      CONFIGURATION,
    );
    expect(fromPem(body.tagRoots[0])).toEqual([service.settings.ca.root]);
  }
});

it("lists the languages the page speaks", async () => {
  const { body } = await (await startService()).fetch(CONFIGURATION);
  expect(body.locales).toEqual(LOCALES);
});

it("gives the page the airline's look, where there is one", async () => {
  expect((await (await startService()).fetch(CONFIGURATION)).body).not.toHaveProperty("theme");
  const look = { THEME_NAME: "Polar Air", THEME_ACCENT: "#C8102E", THEME_LOGO: "/branding/logo.svg" };
  const { body } = await (await startService(look)).fetch(CONFIGURATION);
  expect(body.theme).toEqual({ name: "Polar Air", accent: "#C8102E", logo: "/branding/logo.svg" });
  expect(parseBody(EbtConfiguration, body)).toEqual({ ok: true, value: body });
  const whole = {
    ...{ ...look, THEME_LOGO_DARK: "/branding/logo-dark.svg", THEME_ICON: "/branding/icon.png" },
    ...{ THEME_LOGO_WITH_NAME: "yes" },
  };
  expect((await (await startService(whole)).fetch(CONFIGURATION)).body.theme).toEqual({
    ...{ ...body.theme, logoDark: "/branding/logo-dark.svg", icon: "/branding/icon.png" },
    nameBesideLogo: true,
  });
});

it("names the ways out for browsers without Bluetooth, where there are some", async () => {
  const none = (await (await startService()).fetch(CONFIGURATION)).body;
  expect(none).not.toHaveProperty("kiosks");
  expect(none).not.toHaveProperty("iosBrowser");
  expect(none).not.toHaveProperty("iosApp");
  const { body } = await (
    await startService({
      KIOSKS: "OSL Departure hall, row C\n  ARN Terminal 5\\nCPH  Gate B4 \n",
      IOS_BROWSER: "https://apps.example/browser",
      IOS_APP: "https://apps.example/airline",
    })
  ).fetch(CONFIGURATION);
  expect(body.kiosks).toEqual([
    { airport: "OSL", place: "Departure hall, row C" },
    { airport: "ARN", place: "Terminal 5" },
    { airport: "CPH", place: "Gate B4" },
  ]);
  expect(body.iosBrowser).toBe("https://apps.example/browser");
  expect(body.iosApp).toBe("https://apps.example/airline");
  expect(parseBody(EbtConfiguration, body)).toEqual({ ok: true, value: body });
});

const APPLE = "/.well-known/apple-app-site-association";
const ANDROID = "/.well-known/assetlinks.json";
const FINGERPRINTS = [0x14, 0xa9].map((byte) =>
  Array.from({ length: 32 }, () => byte.toString(16).toUpperCase()).join(":"),
);

it("an airline's app and its App Clip open the links of tags, and no other link of the page", async () => {
  const ids = ["A1B2C3D4E5.com.airline.app", "A1B2C3D4E5.com.airline.app.Clip"];
  const service = await startService({ APPLE_APPS: ids.join("\n") });
  const { status, headers, body } = await service.fetch(APPLE);
  expect([status, headers.get("Content-Type")]).toEqual([200, "application/json"]);
  expect(body).toEqual({
    applinks: { details: [{ appIDs: [ids[0]], components: [{ "/": "/t/*" }] }] },
    appclips: { apps: [ids[1]] },
  });
});

it("Android finds each app with every certificate that signs it", async () => {
  const [first, second] = FINGERPRINTS;
  const lines = `com.airline.app ${first} ${second}\\ncom.airline.crew ${second}\n`;
  const { headers, body } = await (await startService({ ANDROID_APPS: lines })).fetch(ANDROID);
  expect(headers.get("Content-Type")).toBe("application/json");
  const relation = ["delegate_permission/common.handle_all_urls"];
  const target = { namespace: "android_app", package_name: "com.airline.app" };
  expect(body).toEqual([
    { relation, target: { ...target, sha256_cert_fingerprints: FINGERPRINTS } },
    { relation, target: { ...target, package_name: "com.airline.crew", sha256_cert_fingerprints: [second] } },
  ]);
});

it.each([APPLE, ANDROID])("%s is not there without an app", async (path) => {
  expect((await (await startService()).fetch(path)).status).toBe(404);
});

const SECURITY_TEXT = "/.well-known/security.txt";
const DAY = 86_400_000;

it("names where to report a vulnerability, for less than a year", async () => {
  const service = await startService({
    SECURITY_CONTACT: "mailto:security@airline.example https://airline.example/report",
    PUBLIC_ORIGIN: "https://tags.example.com",
  });
  const { status, headers, text } = await service.fetch(SECURITY_TEXT);
  expect([status, headers.get("Content-Type")]).toEqual([200, "text/plain; charset=utf-8"]);
  const [, expires = ""] = /^Expires: (.*)$/m.exec(text) ?? [];
  expect(text).toBe(
    `Contact: mailto:security@airline.example\nContact: https://airline.example/report\nExpires: ${expires}\nPreferred-Languages: en\nCanonical: https://tags.example.com${SECURITY_TEXT}\n`,
  );
  const left = Date.parse(expires) - service.now();
  expect(left).toBeGreaterThan(88 * DAY);
  expect(left).toBeLessThan(365 * DAY);
});

it("is not there without a configured contact", async () => {
  const service = await startService();
  expect((await service.fetch(SECURITY_TEXT)).status).toBe(404);
});

it("no deployment starts with a contact that is none, or that would add a line", async () => {
  for (const contact of ["security@airline.example", "http://airline.example", "javascript:alert(1)"]) {
    await expect(startService({ SECURITY_CONTACT: contact })).rejects.toThrow("SECURITY_CONTACT");
  }
  const two = await startService({ SECURITY_CONTACT: "mailto:a@b.example\nhttps://c.example/" });
  const { text } = await two.fetch(SECURITY_TEXT);
  expect(text.match(/^\w[\w-]*: /gm)).toEqual([
    "Contact: ",
    "Contact: ",
    "Expires: ",
    "Preferred-Languages: ",
  ]);
});
