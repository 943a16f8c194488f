import { env } from "cloudflare:workers";
import { eq } from "drizzle-orm";
import { beforeEach, describe, expect, it } from "vitest";
import { fromBase64Url, fromUtf8, utf8 } from "../../core/encoding/bytes.ts";
import { deviceTicketLocks, pushEndpoints } from "../../db/schema.ts";
import { readSettings } from "../config/env.ts";
import { pushService } from "../http/web-push.ts";
import { ADA, guestSession, staffSession, type TestSession, withBookings } from "../test-support/logins.ts";
import { expectError, scheduledRun, startClean, type TestService } from "../test-support/service.ts";
import { newPushKey } from "../test-support/webhooks.ts";

/** Web Push for a found bag (rules §5, "Found"): with a push service of our own, which checks what browsers' services check. */

const TAG = "ebt-21-0001";
const PHONE = "http://localhost:4321/push/phone";
const DAY = 86_400;

let service: TestService;
let guest: TestSession;
let stranger: TestSession;
let pushes: { readonly url: string; readonly init: RequestInit }[];
let answer: () => Response | Promise<Response>;
let publicKey: string;

async function start(vars: Record<string, unknown> = {}): Promise<void> {
  const fetcher = (async (url: string, init: RequestInit) => {
    pushes.push({ url, init });
    return answer();
  }) as typeof fetch;
  const contact = "tel:+4712345678 mailto:security@airline.example";
  service = await startClean({ VAPID_KEY: await newPushKey(), SECURITY_CONTACT: contact, ...vars }, fetcher);
  [guest, stranger] = await Promise.all([guestSession(service), guestSession(service)]);
  guest = await withBookings(service, guest);
}

beforeEach(async () => {
  pushes = [];
  answer = () => new Response(null, { status: 201 });
  await start();
  publicKey = (await service.fetch("/.well-known/ebt-configuration")).body.pushKey;
});

const attach = (session = guest, baggageId = 1) =>
  session.call("deviceAttachment", { device: { uniqueID: TAG }, baggageId });
const change = (fields: object, session = guest) =>
  session.call("bagTraceChange", { uniqueDeviceId: TAG, ...fields });
const ask = (session = guest, pushEndpoint = PHONE) => change({ pushEndpoint }, session);
let network = 0;
/** A report from a network of its own, and what was sent for it. */
async function report(address = `198.51.${network++ % 250}.1`, id = TAG) {
  const said = { uniqueDeviceId: id, desk: "4" };
  const answered = await service.post("/v2/found-reports", said, { "CF-Connecting-IP": address });
  const before = pushes.length;
  await service.settled();
  return { answered, sent: pushes.length - before };
}
const stored = () => service.db.$count(pushEndpoints);

describe("a message", () => {
  it("is an empty message, signed for that push service", async () => {
    await attach();
    expect((await ask()).body).toMatchObject({ uniqueDeviceId: TAG, pushed: true });
    expect((await report()).sent).toBe(1);
    const [{ url, init } = { url: "", init: {} }] = pushes;
    const { Authorization = "", ...headers } = init.headers as Record<string, string>;
    expect([url, init.method, init.redirect, init.body]).toEqual([PHONE, "POST", "manual", undefined]);
    expect(headers).toEqual({ TTL: "86400", Urgency: "high", Topic: "news" });
    const [, jwt = "", k = ""] = /^vapid t=([\w.-]+), k=([\w-]+)$/.exec(Authorization) ?? [];
    expect(k).toBe(publicKey);
    const [head = "", claims = "", signature = ""] = jwt.split(".");
    const algorithm = { name: "ECDSA", namedCurve: "P-256", hash: "SHA-256" };
    const key = await crypto.subtle.importKey("raw", fromBase64Url(k), algorithm, false, ["verify"]);
    const signed = utf8(`${head}.${claims}`);
    expect(await crypto.subtle.verify(algorithm, key, fromBase64Url(signature), signed)).toBe(true);
    expect(JSON.parse(fromUtf8(fromBase64Url(head)))).toEqual({ alg: "ES256", typ: "JWT" });
    const { aud, sub, exp } = JSON.parse(fromUtf8(fromBase64Url(claims)));
    expect([aud, sub]).toEqual(["http://localhost:4321", "mailto:security@airline.example"]);
    const seconds = exp - service.now() / 1_000;
    expect(seconds > 3_600 && seconds <= DAY).toBe(true);
  });

  it("is sent three times a UTC day, however often a holder subscribes again", async () => {
    await attach();
    await ask();
    const sent = [];
    for (let i = 0; i < 5; i++) {
      sent.push((await report()).sent);
      await ask();
    }
    expect(sent).toEqual([1, 1, 1, 0, 0]);
    service.advance(DAY);
    expect((await report()).sent).toBe(1);
  });

  it("is sent for the first report of a network alone, as the holder sees it", async () => {
    await attach();
    await ask();
    expect([(await report("192.0.2.1")).sent, (await report("192.0.2.9")).sent]).toEqual([1, 0]);
    expect((await report("203.0.113.1")).sent).toBe(1);
    service.advance(DAY);
    expect((await report("192.0.2.1")).sent).toBe(1);
  });

  it("is not sent where the holder has muted it or removed the endpoint; it is sent for a lost tag", async () => {
    await attach();
    await ask();
    await change({ muted: true });
    expect((await report()).sent).toBe(0);
    await change({ muted: false });
    expect((await report()).sent).toBe(1);
    await guest.call("deviceLoss", { uniqueDeviceId: TAG, lost: true });
    expect((await report()).sent).toBe(1);
    expect((await change({ pushEndpoint: "" })).body).not.toHaveProperty("pushed");
    expect([(await report()).sent, await stored()]).toEqual([0, 0]);
  });

  it.each([404, 410])("that is gone (%i) gets no further message", async (status) => {
    await attach();
    await ask();
    answer = () => new Response(null, { status });
    await report();
    expect(await stored()).toBe(0);
  });

  it("that is gone does not remove another that the holder has set in between", async () => {
    await attach();
    await ask();
    answer = async () => {
      await ask(guest, `${PHONE}-of-today`);
      return new Response(null, { status: 410 });
    };
    expect((await report()).sent).toBe(1);
    answer = () => new Response(null, { status: 201 });
    expect([await stored(), (await report()).sent]).toEqual([1, 1]);
    expect(pushes.at(-1)?.url).toBe(`${PHONE}-of-today`);
  });

  it("that fails otherwise changes nothing, is not sent again, and no log names where it went", async () => {
    await attach();
    await ask();
    for (const failing of [
      () => new Response(null, { status: 500 }),
      () => Response.redirect("https://evil.example/", 307),
      () => Promise.reject(new TypeError(`cannot reach ${PHONE}`)),
    ]) {
      answer = failing;
      expect((await report()).sent).toBe(1);
    }
    expect(await stored()).toBe(1);
    expect(JSON.stringify(service.log)).not.toMatch(/:4321|phone/);
    expect(JSON.stringify(await service.db.select().from(pushEndpoints))).not.toMatch(/localhost|phone/);
  });
});

describe("a finder", () => {
  it("is answered alike, in body, headers and work, with and without subscribers, and before they are notified", async () => {
    await attach();
    const seen = [];
    for (const isAsked of [false, true]) {
      if (isAsked) await ask();
      const before = pushes.length;
      const { status, text, headers } = await service.post(
        "/v2/found-reports",
        { uniqueDeviceId: TAG, desk: "4" },
        { "CF-Connecting-IP": isAsked ? "192.0.2.1" : "198.51.100.1" },
      );
      const { calls, statements } = service.log.at(-1) as Record<string, unknown>;
      seen.push(JSON.stringify([status, text, [...headers.keys()].sort(), calls, statements]));
      expect(pushes.length).toBe(before);
      await service.settled();
    }
    expect([new Set(seen).size, pushes.length]).toEqual([1, 1]);
  });

  it("that is refused notifies no holder", async () => {
    await start({ ENVIRONMENT: "production" });
    await attach();
    const phone = "https://fcm.googleapis.com/fcm/send/x";
    expect((await ask(guest, phone)).status).toBe(200);
    const sent = [];
    for (let i = 0; i < 4; i++) sent.push((await report("192.0.2.1")).sent);
    expect([sent, pushes[0]?.url]).toEqual([[1, 0, 0, 0], phone]);
  });
});

describe("a subscription", () => {
  it("is no stranger, no claimant and no staff", async () => {
    await attach();
    expectError(await ask(stranger), "not_lock_holder");
    expectError(await ask(await staffSession(service)), "not_lock_holder");
    await service.db.delete(deviceTicketLocks);
    await attach(stranger, 3);
    expectError(await ask(stranger), "not_lock_holder");
    expect(await stored()).toBe(0);
  });

  it("is each holder for themselves, four at most", async () => {
    await attach();
    await ask();
    for (let i = 0; i < 4; i++) {
      const other = await guestSession(service);
      await other.call("journeyFromRecordLocator", ADA);
      expect((await ask(other, `${PHONE}${i}`)).body.pushed).toBe(i < 3 ? true : undefined);
    }
    expect((await report()).sent).toBe(4);
    await change({ pushEndpoint: "" });
    expect((await report()).sent).toBe(3);
    // One that does not open any more costs no other its message.
    const [first] = await service.db.select().from(pushEndpoints);
    const isFirst = eq(pushEndpoints.holderSub, first?.holderSub ?? "");
    await service.db.update(pushEndpoints).set({ endpointSealed: "lost" }).where(isFirst);
    expect((await report()).sent).toBe(2);
  });

  it("is notified by no service without a key", async () => {
    await start({ VAPID_KEY: "" });
    await attach();
    expectError(await ask(), "invalid_request");
    expect((await service.fetch("/.well-known/ebt-configuration")).body).not.toHaveProperty("pushKey");
    expect((await report()).sent).toBe(0);
  });
});

it.each([
  ["an unlock", () => guest.call("ebtUnlock", { uniqueDeviceId: TAG })],
  ["being reunited", () => guest.call("deviceLoss", { uniqueDeviceId: TAG, lost: false })],
  ["its time", () => scheduledRun(service.now() + 400 * DAY * 1_000, {})],
])("all rows are deleted with the lock, by %s", async (_, end) => {
  await attach();
  await ask();
  await end();
  expect(await stored()).toBe(0);
});

it("a lock that replaced another does not inherit its subscribers", async () => {
  await attach();
  await ask();
  await report("192.0.2.1");
  await attach(guest, 2);
  expect((await guest.call("bagTrace", { uniqueDeviceId: TAG })).body).not.toHaveProperty("pushed");
  expect((await report()).sent).toBe(0);
  await ask();
  expect((await report("192.0.2.1")).sent).toBe(1);
});

describe("an endpoint", () => {
  const rules = async (environment: string) =>
    ({ settings: { ...(await readSettings({ ...env })), environment } }) as Parameters<typeof pushService>[0];

  it.each([
    "https://fcm.googleapis.com/fcm/send/abc:def",
    "https://updates.push.services.mozilla.com/wpush/v2/abc",
    "https://web.push.apple.com/abc",
    "https://wns2-am3p.notify.windows.com/w/?token=abc",
  ])("is of a browser's push service: %s", async (endpoint) => {
    expect(pushService(await rules("production"), endpoint)?.href).toBe(endpoint);
  });

  it.each([
    "http://fcm.googleapis.com/a",
    "https://fcm.googleapis.com:8443/a",
    "https://fcm.googleapis.com:443/a",
    "https://user@fcm.googleapis.com/a",
    "https://fcm.googleapis.com@evil.example/a",
    "https://fcm.googleapis.com.evil.example/a",
    "https://fcm.googleapis.com\\@evil.example/a",
    "https://evil.example/fcm.googleapis.com",
    "https://evilpush.apple.com/a",
    "https://push.apple.com/a",
    "https://a.fcm.googleapis.com/a",
    "https://FCM.googleapis.com/a",
    "https://fcm.googleapis.com/a#b",
    "https://fcm.googleapis.com/../a",
    "https://fcm.googleapis.com./a",
    "https://127.0.0.1/a",
    "http://localhost:4321/a",
    "javascript:alert(1)",
    "",
  ])("is nowhere else: %s", async (endpoint) => {
    expect(pushService(await rules("production"), endpoint)).toBeUndefined();
  });

  it("in development may be on this machine, and is no more than that", async () => {
    const context = await rules("development");
    expect(pushService(context, PHONE)).toBeDefined();
    expect(pushService(context, "http://localhost:80@evil.example/")).toBeUndefined();
    expect(pushService(context, "http://localhost.evil.example:80/")).toBeUndefined();
  });

  it("of an unknown service is refused, and the one before stays", async () => {
    await attach();
    await ask();
    expectError(await ask(guest, "https://evil.example/"), "invalid_request");
    expectError(await ask(guest, `${PHONE}${"x".repeat(1_024)}`), "invalid_request");
    expect((await report()).sent).toBe(1);
  });
});

it("a key without a contact starts nothing", async () => {
  await expect(start({ SECURITY_CONTACT: "tel:+4712345678" })).rejects.toThrow("SECURITY_CONTACT");
  await expect(start({ VAPID_KEY: "{}" })).rejects.toThrow("VAPID_KEY");
});

describe("a lock that ends", () => {
  const proof = { uniqueDeviceId: TAG, ...ADA };
  const sentAfter = async (end: () => Promise<{ status: number }>) => {
    expect((await end()).status).toBe(200);
    await service.settled();
    return pushes.map(({ url }) => url);
  };
  beforeEach(async () => {
    await attach();
    await ask();
  });

  it("by another person's proof is news for its holder, once", async () => {
    expect(await sentAfter(() => stranger.call("ebtCustodyProof", proof))).toEqual([PHONE]);
    expect(await stored()).toBe(0);
  });

  it("by staff is news, too", async () => {
    const staff = await staffSession(service);
    const release = { uniqueDeviceId: TAG, reason: "left behind" };
    expect(await sentAfter(() => staff.call("lockRelease", release))).toEqual([PHONE]);
  });

  it("by a holder is none", async () => {
    expect(await sentAfter(() => guest.call("ebtUnlock", { uniqueDeviceId: TAG }))).toEqual([]);
  });

  it("by a proof that was sent again is one message", async () => {
    const keyed = () => stranger.call("ebtCustodyProof", proof, { "Idempotency-Key": "once" });
    await sentAfter(keyed);
    expect(await sentAfter(keyed)).toEqual([PHONE]);
  });

  it("stays when the proof is wrong", async () => {
    expectError(await stranger.call("ebtCustodyProof", { ...proof, surname: "X" }), "custody_proof_invalid");
    await service.settled();
    expect([pushes, await stored()]).toEqual([[], 1]);
  });
});
