import { eq } from "drizzle-orm";
import { beforeAll, beforeEach, describe, expect, it } from "vitest";
import { type Bytes, concat, toBase64Url } from "../../core/encoding/bytes.ts";
import { auditLog, clients } from "../../db/schema.ts";
import { attestationObject, newAppInstance } from "../test-support/app-instance.ts";
import { interruption } from "../test-support/guarded-database.ts";
import { challengeFor, expectRefused, newNonce, platformLogin } from "../test-support/logins.ts";
import {
  type AssertionChanges,
  assertion,
  cbor,
  cborMap,
  FLAGS,
  newPasskey,
  ORIGIN,
  type Passkey,
  packedStatement,
  passkeyCeremonies,
  type RegistrationChanges,
  registration,
  signDer,
} from "../test-support/passkey.ts";
import { changeRow, credentialsNamed, lastSession } from "../test-support/rows.ts";
import { expectError, PARTNER_KEY, startService, type TestService } from "../test-support/service.ts";

const { UP, UV, BE, BS, AT, ED } = FLAGS;

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

  it("may sign its own statement", async () => {
    const answer = await register({
      fmt: "packed",
      attStmt: async (signed) => packedStatement(await signDer(passkey.privateKey, signed)),
    });
    expect(answer.status).toBe(200);
  });

  it("may bring extensions", async () => {
    const extensions = cbor(cborMap({ credProtect: 2 }));
    expect((await register({ flags: UP | UV | AT | ED, surplus: extensions })).status).toBe(200);
    expect((await assert({ flags: UP | UV | ED, surplus: extensions })).status).toBe(200);
  });

  it("of ten registrations at once becomes one row", async () => {
    const answers = await Promise.all(Array.from({ length: 10 }, () => register()));
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
    expect(await stored()).toHaveLength(1);
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
  ])("refuses every login when it %s", (_, policy) =>
    withPolicy(policy, async () => expectRefused(service, await register(), "policy_malformed")),
  );
});

const bytes = (length: number, fill = 0) => new Uint8Array(length).fill(fill);

const cose = (alg: number) => concat(passkey.cose.slice(0, 4), cbor(alg), passkey.cose.slice(5));

const clientData = (members: Readonly<Record<string, unknown>>) => () => ({ clientData: members });
/** Signed over `change` of what is to be signed. */
const packed = (change: (signed: Bytes) => Bytes, alg?: number) => (it: Passkey) => ({
  fmt: "packed",
  attStmt: async (signed: Bytes) => packedStatement(await signDer(it.privateKey, change(signed)), alg),
});

describe("a registration is refused", () => {
  it.each<[string, string, (it: Passkey) => RegistrationChanges]>([
    ["with another challenge", "webauthn_challenge", clientData({ challenge: "A".repeat(43) })],
    ["with no challenge", "webauthn_client_data", clientData({ challenge: undefined })],
    ["whose client data is no JSON", "webauthn_client_data", () => ({ clientDataJson: "{" })],
    ["on a page of another host", "webauthn_origin", clientData({ origin: "https://evil.example" })],
    [
      "on a host that begins alike",
      "webauthn_origin",
      clientData({ origin: "http://localhost.evil.example" }),
    ],
    ["on another scheme", "webauthn_origin", clientData({ origin: "https://localhost:5173" })],
    [
      "on a listed address, which is no RP ID",
      "webauthn_origin",
      () => ({ clientData: { origin: "http://127.0.0.1:5173" }, rpId: "127.0.0.1" }),
    ],
    ["on an origin with a path", "webauthn_origin", clientData({ origin: `${ORIGIN}/` })],
    ["on the star itself", "webauthn_origin", clientData({ origin: "http://localhost:*" })],
    ["within another's frame", "webauthn_cross_origin", clientData({ crossOrigin: true })],
    ["below another page", "webauthn_cross_origin", clientData({ topOrigin: "https://evil.example" })],
    ["for another RP ID", "webauthn_rp_id", () => ({ rpId: "evil.example" })],
    ["without user presence", "webauthn_user_presence", () => ({ flags: UV | AT })],
    ["without a check of who is present", "webauthn_user_verification", () => ({ flags: UP | AT })],
    ["backed up and not eligible for it", "webauthn_backup_flags", () => ({ flags: UP | UV | AT | BS })],
    ["without a credential", "webauthn_authenticator_data", () => ({ flags: UP | UV | BE })],
    ["with bytes behind the key", "webauthn_authenticator_data", () => ({ surplus: bytes(1) })],
    ["that promises extensions", "webauthn_authenticator_data", () => ({ flags: UP | UV | AT | ED })],
    ["whose key is no CBOR map", "webauthn_authenticator_data", () => ({ cose: bytes(77, 0xff) })],
    ["with a TPM's statement", "webauthn_statement_format", () => ({ fmt: "tpm" })],
    [
      "with a statement where there is none",
      "webauthn_statement_format",
      () => ({ attStmt: (signed) => packedStatement(signed) }),
    ],
    [
      "with a maker's certificates",
      "webauthn_statement_format",
      () => ({ fmt: "packed", attStmt: (sig) => cborMap({ alg: -7, sig, x5c: [sig] }) }),
    ],
    [
      "whose own statement is about something else",
      "webauthn_unverified",
      packed((signed) => signed.slice(1)),
    ],
    [
      "whose own statement names another algorithm",
      "webauthn_statement_format",
      packed((signed) => signed, -257),
    ],
    ["with a key for SHA-1", "webauthn_unverified", () => ({ cose: cose(-65_535) })],
    ["of one credential under another's name", "webauthn_credential_id", () => ({ credentialId: bytes(32) })],
    ["under two names", "webauthn_credential_id", () => ({ json: { rawId: "AAAA" } })],
    ["under a name that is not base64url", "webauthn_shape", () => ({ json: { id: "a+b=" } })],
  ])("%s: %s", async (_, reason, changes) => {
    await expectRefused(service, await register(changes(passkey)), reason);
    expect(await stored()).toEqual([]);
  });

  it("for another nonce, or by another app key", async () => {
    const other = { nonce: "another", jkt: (await newAppInstance()).jkt };
    const changed = (change: Partial<typeof other>) =>
      platformLogin(service, async ({ nonce, app }) =>
        registration(passkey, {
          challenge: await challengeFor(change.nonce ?? nonce, change.jkt ?? app.jkt),
        }),
      );
    await expectRefused(service, await changed({ nonce: other.nonce }), "webauthn_challenge");
    await expectRefused(service, await changed({ jkt: other.jkt }), "webauthn_challenge");
  });

  it("of a credential that is registered already, even with the same key", async () => {
    await register();
    await expectRefused(service, await register(), "webauthn_already_registered");
    const forger = await newPasskey();
    const forged = { ...forger, id: passkey.id };
    await expectRefused(
      service,
      await platformLogin(service, (input) => registration(forged, input)),
      "webauthn_already_registered",
    );
    expect(await stored()).toMatchObject([{ publicKey: toBase64Url(passkey.cose) }]);
  });

  it("with an assertion beside it", async () => {
    const answer = await platformLogin(service, async (input) => ({
      ...(await registration(passkey, input)),
      ...(await assertion(passkey, input)),
    }));
    await expectRefused(service, answer, "webauthn_shape");
  });
});

describe("an assertion is refused", () => {
  beforeEach(async () => {
    await register({ counter: 5 });
  });

  it.each<[string, string, AssertionChanges]>([
    ["of another ceremony", "webauthn_ceremony", { clientData: { type: "webauthn.create" } }],
    ["that claims to bring a credential", "webauthn_authenticator_data", { flags: UP | UV | AT, counter: 6 }],
    ["with bytes behind the counter", "webauthn_authenticator_data", { counter: 6, surplus: bytes(3) }],
    ["that promises extensions", "webauthn_authenticator_data", { flags: UP | UV | ED, counter: 6 }],
    ["with the count of the last use", "webauthn_counter", { counter: 5 }],
    ["that no longer counts", "webauthn_counter", { counter: 0 }],
    ["with no signature to speak of", "webauthn_signature", { counter: 6, signature: () => bytes(70) }],
    ["whose count was raised after signing", "webauthn_signature", { counter: 4, sentCounter: 6 }],
    ["under another name in rawId", "webauthn_credential_id", { counter: 6, json: { rawId: "AAAA" } }],
  ])("%s: %s", async (_, reason, changes) => {
    await expectRefused(service, await assert(changes), reason);
    expect(await stored()).toMatchObject([{ counter: 5 }]);
  });

  it("by another key", async () => {
    const { privateKey } = await newPasskey();
    await expectRefused(service, await assert({ counter: 6, signer: privateKey }), "webauthn_signature");
  });

  it("whose client data were rewritten after signing", async () => {
    const answer = await platformLogin(service, (input) => {
      const honest = { type: "webauthn.get", challenge: toBase64Url(input.challenge), origin: ORIGIN };
      return assertion(passkey, input, { counter: 6, sentClientData: JSON.stringify(honest) });
    });
    await expectRefused(service, answer, "webauthn_signature");
  });

  it("of an earlier nonce, replayed", async () => {
    const app = await newAppInstance();
    let earlier: unknown;
    const first = await platformLogin(
      service,
      async (input) => {
        earlier = await assertion(passkey, input, { counter: 6 });
        return earlier;
      },
      { app },
    );
    expect(first.status).toBe(200);
    await expectRefused(service, await platformLogin(service, () => earlier, { app }), "webauthn_challenge");
  });

  it("of an unknown credential", async () => {
    passkey = await newPasskey();
    await expectRefused(service, await assert(), "webauthn_unknown_credential");
  });

  it("at another client", async () => {
    const allowed = { loginMethods: ["attestation"], evidenceKinds: ["webauthn"] } as const;
    await changeRow(service.db, clients, "client-partner", allowed);
    const answer = await platformLogin(service, (input) => assertion(passkey, input, { counter: 6 }), {
      clientKey: PARTNER_KEY,
    });
    await expectRefused(service, answer, "webauthn_unknown_credential");
  });
});
