import { createExecutionContext } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { describe, expect, it } from "vitest";
import { fromBase64 } from "../../core/encoding/bytes.ts";
import { toPem } from "../../core/pki/pem.ts";
import worker from "../index.ts";
import { readSettings, SettingsError } from "./env.ts";

const without = (name: string) => ({ ...env, [name]: undefined });

describe("settings", () => {
  it.each([
    "ENVIRONMENT",
    "ACCESS_TOKEN_KEYS",
    "TRANSACTION_TOKEN_KEYS",
    "AUDIT_SEAL_KEYS",
    "CA_ROOT_CERT",
    "CA_INTERMEDIATE_CERT",
    "CA_INTERMEDIATE_KEY",
    "REFRESH_KEY",
    "CTI_KEYS",
    "DATA_KEY",
    "PEPPER",
    "DEFAULT_CLIENT_ID",
  ])("are refused without %s", async (name) => {
    await expect(readSettings(without(name))).rejects.toThrow(`${name} is missing or malformed`);
  });

  it.each([
    ["ENVIRONMENT", "staging"],
    ["ACCESS_TOKEN_KEYS", '{"keys":[]}'],
    ["ACCESS_TOKEN_KEYS", "[]"],
    ["TRANSACTION_TOKEN_KEYS", '{"keys":[{"kid":"a"}]}'],
    ["CA_INTERMEDIATE_KEY", "{}"],
    ["CA_ROOT_CERT", "%"],
    ["REFRESH_KEY", "c2hvcnQ"],
    ["CTI_KEYS", "T2xkZXIgZGF0YWJhc2VzOiB0aGUgcGVwcGVyLCAzMmI"],
    ["CTI_KEYS", "7.c2hvcnQ"],
    [
      "CTI_KEYS",
      "7.T2xkZXIgZGF0YWJhc2VzOiB0aGUgcGVwcGVyLCAzMmI 7.T2xkZXIgZGF0YWJhc2VzOiB0aGUgcGVwcGVyLCAzMmI",
    ],
    ["PEPPER", "not base64url!"],
    ["TAG_ROOTS", "-----BEGIN CERTIFICATE-----\n%\n-----END CERTIFICATE-----"],
    ["TAG_ROOT_IDS", "acme-"],
    ["TAG_ROOT_IDS", '["acme-"]'],
    ["TAG_ROOT_IDS", '[["acme-"]]'],
    ["APPLE_APP_ATTEST_ROOTS", "-----BEGIN CERTIFICATE-----\n%\n-----END CERTIFICATE-----"],
    ["DEVICE_REGISTRY", "ajar"],
    ["ACCESS_TOKEN_SECONDS", "soon"],
    ["CHAOS_NONCE_REJECT", "2"],
    ["THEME_ACCENT", "rebeccapurple"],
    ["THEME_LOGO", "https://elsewhere.example/logo.svg"],
    ["THEME_LOGO", "//elsewhere.example/logo.svg"],
    ["THEME_LOGO_WITH_NAME", "maybe"],
    ["THEME_ICON", "/branding/icon.webp"],
    ["KIOSKS", "Oslo Departure hall"],
    ["KIOSKS", "OSL"],
    ["KIOSKS", `OSL ${"x".repeat(81)}`],
    ["IOS_BROWSER", "javascript:alert(1)"],
    ["IOS_APP", "http://apps.example/airline"],
    ["APPLE_APPS", "com.airline.app"],
    ["APPLE_APPS", "A1B2C3D4E5.com.airline.app A1B2C3D4E5.com.airline.other"],
    ["ANDROID_APPS", "com.airline.app"],
    ["ANDROID_APPS", `airline ${"AB:".repeat(31)}AB`],
  ])("are refused with %s = %s, without repeating it", async (name, value) => {
    const error = await readSettings({ ...env, [name]: value }).catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(SettingsError);
    expect(String(error)).toContain(name);
    expect(String(error)).not.toContain(value);
  });

  it.each<[string, string | undefined, boolean]>([
    ["one tag CA without a list", undefined, true],
    ["the same tag CA twice", undefined, true],
    ["two tag CAs without lists", undefined, false],
    ["two tag CAs with lists", '[["acme-"], ["globex-"]]', true],
    ["two tag CAs whose lists overlap", '[["acme-"], ["acme-1"]]', false],
  ])("with %s start, or do not", async (name, ids, starts) => {
    const [one, two] = [env.CA_ROOT_CERT, env.CA_INTERMEDIATE_CERT].map((der) =>
      toPem(fromBase64(String(der))),
    );
    const roots = name.startsWith("one") ? one : `${one}${name.startsWith("the same") ? one : two}`;
    const settings = readSettings({ ...env, TAG_ROOTS: roots, TAG_ROOT_IDS: ids });
    if (starts) await settings;
    else await expect(settings).rejects.toThrow("TAG_ROOT_IDS is missing or malformed");
  });

  it("take limits from vars of the same name", async () => {
    const { limits } = await readSettings({ ...env, ACCESS_TOKEN_SECONDS: "60" });
    expect(limits).toMatchObject({ accessTokenSeconds: 60, refreshTokenSeconds: 86_400 });
  });

  it("close the keyless logins with DEFAULT_CLIENT_ID=none", async () => {
    expect((await readSettings({ ...env, DEFAULT_CLIENT_ID: "none" })).defaultClientId).toBeUndefined();
  });
});

describe("the Worker", () => {
  const ask = (bindings: typeof env) =>
    worker.fetch(
      new Request("https://taglatch.test/v2/auth/nonces", { method: "POST" }) as never,
      bindings,
      createExecutionContext(),
    );

  it("serves what it is configured for", async () => {
    expect((await ask(env)).status).toBe(200);
  });

  it("answers 503 without details while it is not configured", async () => {
    const response = await ask(without("PEPPER") as typeof env);
    expect(response.status).toBe(503);
    expect(response.headers.get("Retry-After")).toBe("5");
    expect(response.headers.get("X-Request-Id")).toMatch(/^[0-9a-f]{16}$/);
    expect(await response.json()).toMatchObject({ errorCode: "service_unavailable", errors: [] });
  });
});
