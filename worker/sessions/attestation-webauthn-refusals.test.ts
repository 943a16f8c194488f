import { beforeAll, beforeEach, describe, expect, it } from "vitest";
import { type Bytes, concat, toBase64Url } from "../../core/encoding/bytes.ts";
import { encodeArray, encodeBstr, encodeInt, encodeMap, encodeTstr } from "../../core/encoding/cbor.ts";
import { clients } from "../../db/schema.ts";
import { newAppInstance } from "../test-support/app-instance.ts";
import {
  type AssertionChanges,
  assertion,
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
import {
  challengeFor,
  type EvidenceInput,
  expectRefused,
  platformLogin,
} from "../test-support/platform-login.ts";
import { changeRow } from "../test-support/rows.ts";
import { PARTNER_KEY, startService, type TestService } from "../test-support/service.ts";

const { UP, UV, BE, BS, AT, ED } = FLAGS;
const bytes = (length: number, fill = 0) => new Uint8Array(length).fill(fill);

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

const flipped = (der: Bytes) => der.with(-1, (der.at(-1) as number) ^ 1) as Bytes;
const cose = (alg: number) => concat(passkey.cose.slice(0, 4), encodeInt(alg), passkey.cose.slice(5));

const clientData = (members: Readonly<Record<string, unknown>>) => () => ({ clientData: members });
/** Signed over `change` of what is to be signed. */
const packed = (change: (signed: Bytes) => Bytes, alg?: number) => (it: Passkey) => ({
  fmt: "packed",
  attStmt: async (signed: Bytes) => packedStatement(await signDer(it.privateKey, change(signed)), alg),
});

describe("a registration is refused", () => {
  it.each<[string, string, (it: Passkey) => RegistrationChanges]>([
    ["of another ceremony", "webauthn_ceremony", clientData({ type: "webauthn.get" })],
    ["with another challenge", "webauthn_challenge", clientData({ challenge: "A".repeat(43) })],
    ["with no challenge", "webauthn_client_data", clientData({ challenge: undefined })],
    ["whose client data is no JSON", "webauthn_client_data", () => ({ clientDataJson: "{" })],
    ["on a page of another host", "webauthn_origin", clientData({ origin: "https://evil.example" })],
    [
      "on a host that begins alike",
      "webauthn_origin",
      clientData({ origin: "http://localhost.evil.example" }),
    ],
    [
      "on a host with a listed name for user",
      "webauthn_origin",
      clientData({ origin: "http://localhost:1@evil.example" }),
    ],
    ["on another scheme", "webauthn_origin", clientData({ origin: "https://localhost:5173" })],
    [
      "on a listed address, which is no RP ID",
      "webauthn_origin",
      () => ({ clientData: { origin: "http://127.0.0.1:5173" }, rpId: "127.0.0.1" }),
    ],
    ["on an origin with a path", "webauthn_origin", clientData({ origin: `${ORIGIN}/` })],
    ["on an origin in capitals", "webauthn_origin", clientData({ origin: "http://LOCALHOST:5173" })],
    ["on a port there is not", "webauthn_origin", clientData({ origin: "http://localhost:99999" })],
    ["on a default port written out", "webauthn_origin", clientData({ origin: "http://localhost:80" })],
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
    ["cut short", "webauthn_attestation_object", () => ({ object: (object) => object.slice(0, -1) })],
    ["with a TPM's statement", "webauthn_statement_format", () => ({ fmt: "tpm" })],
    ["with a phone's statement", "webauthn_statement_format", () => ({ fmt: "android-safetynet" })],
    [
      "with a statement where there is none",
      "webauthn_statement_format",
      () => ({ attStmt: (signed) => packedStatement(signed) }),
    ],
    [
      "with a maker's certificates",
      "webauthn_statement_format",
      () => ({ fmt: "packed", attStmt: (signed) => certified(signed) }),
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
    ["with a key for key agreement", "webauthn_unverified", () => ({ cose: cose(-25) })],
    ["of one credential under another's name", "webauthn_credential_id", () => ({ credentialId: bytes(32) })],
    ["under two names", "webauthn_credential_id", () => ({ json: { rawId: "AAAA" } })],
    ["under a name longer than names are", "webauthn_shape", () => ({ json: { id: "A".repeat(1_365) } })],
    ["under a name that is not base64url", "webauthn_shape", () => ({ json: { id: "a+b=" } })],
    ["of something else than a key", "webauthn_shape", () => ({ json: { type: "password" } })],
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

  it.each<[string, (it: Passkey, input: EvidenceInput) => Promise<unknown>]>([
    [
      "with an assertion beside it",
      async (it, o) => ({ ...(await registration(it, o)), ...(await assertion(it, o)) }),
    ],
    ["with nothing", async () => ({ fmt: "webauthn" })],
    ["with a list", async () => ({ fmt: "webauthn", registration: [] })],
  ])("%s", async (_, makeEvidence) => {
    await expectRefused(
      service,
      await platformLogin(service, (input) => makeEvidence(passkey, input)),
      "webauthn_shape",
    );
  });
});

const certified = (signed: Bytes) =>
  encodeMap(
    [encodeTstr("alg"), encodeInt(-7)],
    [encodeTstr("sig"), encodeBstr(signed)],
    [encodeTstr("x5c"), encodeArray(encodeBstr(signed))],
  );

describe("an assertion is refused", () => {
  beforeEach(async () => {
    await register({ counter: 5 });
  });

  it.each<[string, string, AssertionChanges]>([
    ["of another ceremony", "webauthn_ceremony", { clientData: { type: "webauthn.create" } }],
    ["for another RP ID", "webauthn_rp_id", { rpId: "evil.example" }],
    ["without a check of who is present", "webauthn_user_verification", { flags: UP }],
    ["that claims to bring a credential", "webauthn_authenticator_data", { flags: UP | UV | AT, counter: 6 }],
    ["with bytes behind the counter", "webauthn_authenticator_data", { counter: 6, surplus: bytes(3) }],
    ["that promises extensions", "webauthn_authenticator_data", { flags: UP | UV | ED, counter: 6 }],
    ["with the count of the last use", "webauthn_counter", { counter: 5 }],
    ["with an older count", "webauthn_counter", { counter: 4 }],
    ["that no longer counts", "webauthn_counter", { counter: 0 }],
    ["with a signature that is not quite it", "webauthn_signature", { counter: 6, signature: flipped }],
    ["with no signature to speak of", "webauthn_signature", { counter: 6, signature: () => bytes(70) }],
    ["whose count was raised after signing", "webauthn_signature", { counter: 4, sentCounter: 6 }],
    ["under another name in rawId", "webauthn_credential_id", { counter: 6, json: { rawId: "AAAA" } }],
    [
      "without authenticator data",
      "webauthn_shape",
      { json: { response: { clientDataJSON: "e30", signature: "AA" } } },
    ],
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
