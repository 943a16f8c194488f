import { expect, it } from "vitest";
import { startService } from "../test-support/service.ts";

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
