import { env } from "cloudflare:workers";
import { decodeProtectedHeader } from "jose";
import { beforeEach, describe, expect, it } from "vitest";
import { limits } from "../../core/api/index.ts";
import { fromBase64Url } from "../../core/encoding/bytes.ts";
import { decodeToken, verifyTokenSignature } from "../../core/sec/token.ts";
import { importVerifyKey } from "../config/keys.ts";
import { guestSession, type TestSession } from "../test-support/logins.ts";
import { expectError, startService, type TestService } from "../test-support/service.ts";

/**
 * A signing key is changed in three deployments (docs/security.md, Rotation): announced, used, and the old one dropped
 * once nothing it signed is alive. The same database serves all of them, and no session ends.
 */

type Var = "ACCESS_TOKEN_KEYS" | "TRANSACTION_TOKEN_KEYS";
type Jwk = { readonly kid: string; readonly d: string };

const keysOf = (text: unknown): readonly Jwk[] => JSON.parse(String(text)).keys;
const [OLD] = keysOf(env.ACCESS_TOKEN_KEYS);
const [NEW] = keysOf(env.TRANSACTION_TOKEN_KEYS);
if (OLD === undefined || NEW === undefined) throw new Error("no development keys");

/** The deployment whose var holds these keys, the first of which signs; its clock is `seconds` ahead. */
async function deploy(variable: Var, keys: readonly Jwk[], seconds = 0): Promise<TestService> {
  const other =
    variable === "ACCESS_TOKEN_KEYS" ? {} : { ACCESS_TOKEN_KEYS: JSON.stringify({ keys: [OLD] }) };
  const service = await startService({ ...other, [variable]: JSON.stringify({ keys }) });
  service.advance(seconds);
  return service;
}

const kidsAt = async (service: TestService) =>
  (await service.fetch("/.well-known/jwks.json")).body.keys.map(({ kid }: Jwk) => kid);
const use = (service: TestService, accessToken: string) =>
  service.call("deviceClientCertificate", undefined, { Authorization: `Bearer ${accessToken}` });
const refresh = async (service: TestService, refreshToken: string) =>
  (await service.call("refresh", { refreshToken })).body as { accessToken: string; refreshToken: string };

describe("the keys of access tokens", () => {
  let before: TestService;
  let session: TestSession;
  beforeEach(async () => {
    before = await deploy("ACCESS_TOKEN_KEYS", [OLD]);
    session = await guestSession(before);
    expect(decodeProtectedHeader(session.accessToken).kid).toBe(OLD.kid);
  });

  it("are announced before they are used", async () => {
    const announced = await deploy("ACCESS_TOKEN_KEYS", [OLD, NEW]);
    expect(await kidsAt(announced)).toEqual([OLD.kid, NEW.kid]);
    expect(decodeProtectedHeader((await guestSession(announced)).accessToken).kid).toBe(OLD.kid);
  });

  it("change without ending a session: tokens of the old one are valid, the new one signs new ones", async () => {
    const rotated = await deploy("ACCESS_TOKEN_KEYS", [NEW, OLD]);
    expect(await kidsAt(rotated)).toEqual([NEW.kid, OLD.kid]);
    expect((await use(rotated, session.accessToken)).status).toBe(200);
    const { accessToken } = await refresh(rotated, session.refreshToken);
    expect(decodeProtectedHeader(accessToken).kid).toBe(NEW.kid);
    expect((await use(rotated, accessToken)).status).toBe(200);
    // A part of the world that still runs the announcing deployment takes the new one's tokens.
    expect((await use(await deploy("ACCESS_TOKEN_KEYS", [OLD, NEW]), accessToken)).status).toBe(200);
  });

  it("may go once the last token of the old one has ended; its sessions refresh into the new one", async () => {
    const later = await deploy("ACCESS_TOKEN_KEYS", [NEW], limits.accessTokenSeconds);
    expect(await kidsAt(later)).toEqual([NEW.kid]);
    expectError(await use(later, session.accessToken), "unauthorized_token");
    const next = await refresh(later, session.refreshToken);
    expect((await use(later, next.accessToken)).status).toBe(200);
    expect((await refresh(later, next.refreshToken)).accessToken).toBeDefined();
  });
});

describe("the keys of transaction tokens", () => {
  const request = { uniqueDeviceId: "ebt-20-0005", nonce: "AAAAAAAAAAAAAAAAAAAAAA" };

  it.each([
    ["announced", [OLD, NEW], OLD],
    ["rotated", [NEW, OLD], NEW],
    ["alone", [NEW], NEW],
  ] as const)("are published while they are %s, and one of them signs", async (_, keys, signing) => {
    const service = await deploy("TRANSACTION_TOKEN_KEYS", keys);
    const session = await guestSession(service);
    const { transactionToken } = (await session.call("ebtAuthorization", request)).body;
    const token = decodeToken(fromBase64Url(transactionToken));
    expect(token.kid).toBe(signing.kid);
    const { tokenKeys } = (await service.fetch("/.well-known/ebt-configuration")).body;
    expect(tokenKeys.keys.map(({ kid }: Jwk) => kid)).toEqual(keys.map(({ kid }) => kid));
    const published = tokenKeys.keys.find(({ kid }: Jwk) => kid === token.kid);
    expect(await verifyTokenSignature(token, await importVerifyKey(published))).toBe(true);
  });
});
