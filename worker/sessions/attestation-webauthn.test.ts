import { eq } from "drizzle-orm";
import { beforeAll, beforeEach, describe, expect, it } from "vitest";
import { toBase64Url } from "../../core/encoding/bytes.ts";
import { encodeInt, encodeMap, encodeTstr } from "../../core/encoding/cbor.ts";
import { auditLog, clients } from "../../db/schema.ts";
import { attestationObject, newAppInstance } from "../test-support/app-instance.ts";
import { interruption } from "../test-support/guarded-database.ts";
import { newNonce } from "../test-support/logins.ts";
import {
  assertion,
  FLAGS,
  newPasskey,
  type Passkey,
  packedStatement,
  passkeyCeremonies,
  registration,
  signDer,
} from "../test-support/passkey.ts";
import { challengeFor, expectRefused, platformLogin } from "../test-support/platform-login.ts";
import { changeRow, credentialsNamed, lastSession } from "../test-support/rows.ts";
import { expectError, startService, type TestService } from "../test-support/service.ts";

const { UP, UV, AT, ED } = FLAGS;

let service: TestService;
let passkey: Passkey;
beforeAll(async () => {
  service = await startService();
});
beforeEach(async () => {
  passkey = await newPasskey();
});

const { register, assert, stored } = passkeyCeremonies(
  () => service,
  () => passkey,
);

describe("a passkey", () => {
  it("opens a session when it is registered and whenever it is used later, as the same person", async () => {
    expect((await register()).status).toBe(200);
    const { sub } = await lastSession(service);
    // Another app key each time: the credential is the person.
    expect((await assert()).status).toBe(200);
    expect(await lastSession(service)).toMatchObject({ sub, evidence: "webauthn", method: "attestation" });
    expect((await assert()).status).toBe(200);
    expect((await lastSession(service)).sub).toBe(sub);
  });

  it("that was used on a second day is stored for 400 days; one of a single day for thirty", async () => {
    const DAY = 86_400;
    await register();
    service.advance(29 * DAY);
    expect((await assert()).status).toBe(200);
    service.advance(399 * DAY);
    expect((await assert()).status).toBe(200);
    service.advance(400 * DAY);
    await expectRefused(service, await assert(), "webauthn_unknown_credential");
    passkey = await newPasskey();
    await register();
    service.advance(30 * DAY);
    await expectRefused(service, await assert(), "webauthn_unknown_credential");
  });

  it("is stored with its public key, counter and transports, and without an e-mail", async () => {
    await register({ counter: 7 });
    const [row] = await stored();
    expect(row).toMatchObject({
      clientId: "client-passenger",
      format: "webauthn",
      publicKey: toBase64Url(passkey.cose),
      counter: 7,
      transports: ["internal"],
      sub: (await lastSession(service)).sub,
      usedAt: service.now(),
    });
    expect(JSON.stringify(row)).not.toMatch(/"ada"|ada@/);
  });

  it("of two people makes two people, whatever e-mail they send", async () => {
    await register();
    const { sub } = await lastSession(service);
    passkey = await newPasskey();
    await register();
    expect((await lastSession(service)).sub).not.toBe(sub);
  });

  it("is the same person at a guest login, which needs no e-mail", async () => {
    await register();
    const { sub } = await lastSession(service);
    const guest = { endpoint: "guestSession", email: null } as const;
    const answer = await platformLogin(service, (input) => assertion(passkey, input), guest);
    expect(answer.status).toBe(200);
    expect(await lastSession(service)).toMatchObject({ sub, method: "guest", evidence: "webauthn" });
  });

  it("needs an e-mail at the identified login", async () => {
    const answer = await platformLogin(service, (input) => registration(passkey, input), {
      email: null,
    });
    await expectRefused(service, answer, "statement_no_email");
    expect(await stored()).toEqual([]);
  });

  it("counts, and its count is remembered", async () => {
    await register({ counter: 3 });
    expect((await assert({ counter: 4 })).status).toBe(200);
    expect((await assert({ counter: 9 })).status).toBe(200);
    expect(await stored()).toMatchObject([{ counter: 9 }]);
  });

  it("may sign its own statement", async () => {
    const answer = await register({
      fmt: "packed",
      attStmt: async (signed) => packedStatement(await signDer(passkey.privateKey, signed)),
    });
    expect(answer.status).toBe(200);
  });

  it("may bring extensions", async () => {
    const extensions = encodeMap([encodeTstr("credProtect"), encodeInt(2)]);
    expect((await register({ flags: UP | UV | AT | ED, surplus: extensions })).status).toBe(200);
    expect((await assert({ flags: UP | UV | ED, surplus: extensions })).status).toBe(200);
  });

  it("of ten registrations at once becomes one row", async () => {
    const answers = await Promise.all(Array.from({ length: 10 }, () => register()));
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
    expect(await stored()).toHaveLength(1);
  });

  it("cloned and used at once with one count is accepted once", async () => {
    await register({ counter: 1 });
    const answers = await Promise.all(Array.from({ length: 6 }, () => assert({ counter: 2 })));
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
  });

  it("used elsewhere while a login was looked at is refused, and the audit log records it once", async () => {
    await register({ counter: 1 });
    const { database, beforeCall } = interruption();
    const slow = await startService({}, undefined, { database });
    await service.db.delete(auditLog);
    // After the client and the credential have been read.
    beforeCall(3, () => assert({ counter: 2 }));
    const answer = await platformLogin(slow, (input) => assertion(passkey, input, { counter: 2 }));
    await expectRefused(slow, answer, "credential_changed_meanwhile");
    const ofReason = eq(auditLog.reason, "credential_changed_meanwhile");
    const refusals = await service.db.select().from(auditLog).where(ofReason);
    expect(refusals).toMatchObject([{ event: "invalid_attestation", clientId: "client-passenger" }]);
  });

  it("may be sent once more with the same nonce where it could not be looked up", async () => {
    await register();
    const { database, beforeCall } = interruption();
    const shaky = await startService({}, undefined, { database });
    const app = await newAppInstance();
    const nonce = await newNonce(shaky);
    const evidence = await assertion(passkey, { challenge: await challengeFor(nonce, app.jkt) });
    const statement = await attestationObject(app, {
      nonce,
      now: shaky.now(),
      email: "ada@example.org",
      evidence,
    });
    const send = () => shaky.call("attestationSession", { nonce, attestationObject: statement });
    // After the client has been read.
    beforeCall(2, () => Promise.reject(new Error("D1_ERROR: Network connection lost.")));
    expectError(await send(), "service_unavailable");
    expect((await send()).status).toBe(200);
  });

  it("that is used leaves every other as it was, and no refusal in the audit log", async () => {
    const used = passkey;
    await register({ counter: 1 });
    passkey = await newPasskey();
    await register({ counter: 1 });
    const [before] = await stored();
    const idle = passkey;
    passkey = used;
    const later = await startService();
    later.advance(60);
    await service.db.delete(auditLog);
    const use = (counter: number) => platformLogin(later, (input) => assertion(passkey, input, { counter }));
    expect((await use(7)).status).toBe(200);
    expect(await stored()).toMatchObject([{ counter: 7, usedAt: later.now() }]);
    expect(await credentialsNamed(service, toBase64Url(idle.id))).toEqual([before]);
    expect(await service.db.select().from(auditLog)).toEqual([]);
  });
});

describe("the client's policy", () => {
  const change = (row: Partial<typeof clients.$inferInsert>) =>
    changeRow(service.db, clients, "client-passenger", row);
  const withPolicy = async (attestationPolicy: object, attempt: () => Promise<void>) => {
    await change({ attestationPolicy });
    await attempt();
    await change({ attestationPolicy: {} });
  };

  it("may do without user verification", () =>
    withPolicy({ webauthn: { userVerification: "preferred" } }, async () => {
      expect((await register({ flags: UP | AT })).status).toBe(200);
      expect((await assert({ flags: UP })).status).toBe(200);
      await expectRefused(service, await assert({ flags: UV }), "webauthn_user_presence");
    }));

  it("may name an RP ID above the page's host, and no other", () =>
    withPolicy({ webauthn: { rpId: "localhost" } }, async () => {
      const origin = "http://app.localhost:1";
      expect((await register()).status).toBe(200);
      await expectRefused(service, await register({ clientData: { origin } }), "webauthn_origin");
      await withPolicy({ webauthn: { rpId: "example.org" } }, async () => {
        await expectRefused(service, await register({ rpId: "example.org" }), "webauthn_origin");
      });
    }));

  it("may trust e-mails, but never a passkey's", async () => {
    await change({ flags: { emailTrusted: true } });
    await register();
    const { sub } = await lastSession(service);
    passkey = await newPasskey();
    await register();
    expect((await lastSession(service)).sub).not.toBe(sub);
    await change({ flags: {} });
  });

  it.each([
    ["misspells a rule", { webauthn: { userVerifcation: "preferred" } }],
    ["invents a format", { tpm: {} }],
    ["gives a rule no value it can have", { webauthn: { userVerification: "maybe" } }],
    ["is no object", "webauthn" as unknown as object],
  ])("refuses every login when it %s", (_, policy) =>
    withPolicy(policy, async () => expectRefused(service, await register(), "policy_malformed")),
  );
});
