import { describe, expect, test } from "vitest";
import { type Bytes, utf8 } from "../../core/encoding/bytes.ts";
import { neverCancelled } from "../abort.ts";
import { platformPasskeys } from "./passkeys.ts";

const challenge = utf8("challenge");
const created: readonly [string, object] = [
  "create",
  { clientDataJSON: utf8("c").buffer, attestationObject: utf8("a").buffer, getTransports: () => ["usb"] },
];
const used: readonly [string, object] = [
  "get",
  { clientDataJSON: utf8("c").buffer, authenticatorData: utf8("d").buffer, signature: utf8("s").buffer },
];

/** A browser that answers every question with `answer`, and the questions. */
function browser(answer: () => unknown) {
  const questions: PublicKeyCredentialCreationOptions[] & PublicKeyCredentialRequestOptions[] = [];
  const ask = async ({ publicKey }: { publicKey?: never }) => {
    questions.push(publicKey as never);
    return answer();
  };
  const container = { create: ask, get: ask } as unknown as CredentialsContainer;
  return { passkeys: platformPasskeys(() => container), questions };
}

const credential = (response: object) => ({ rawId: utf8("id").buffer, response });
const thrown = (name: string) => () => {
  throw new DOMException("no", name);
};

describe("the platform's passkeys", () => {
  test("are made discoverable, verified and without a maker's statement", async () => {
    const { passkeys, questions } = browser(() => credential(created[1]));
    const passkey = { challenge, userId: utf8("u") as Bytes, userName: "ada@example.org", relyingParty: {} };
    const answer = await passkeys.create(passkey, neverCancelled());
    expect(questions[0]).toEqual({
      challenge,
      rp: { name: "Taglatch" },
      user: { id: passkey.userId, name: "ada@example.org", displayName: "ada@example.org" },
      pubKeyCredParams: [-7, -8, -257].map((alg) => ({ type: "public-key", alg })),
      attestation: "none",
      authenticatorSelection: { residentKey: "preferred", userVerification: "required" },
      timeout: 240_000,
    });
    expect(questions[0]?.rp).not.toHaveProperty("id");
    const response = { clientDataJSON: "Yw", attestationObject: "YQ", transports: ["usb"] };
    expect(answer).toEqual({ id: "aWQ", rawId: "aWQ", type: "public-key", response });
  });

  test("are used verified, one or whichever the person chooses", async () => {
    const { passkeys, questions } = browser(() => credential(used[1]));
    const answer = await passkeys.use(
      { challenge, id: "aWQ", relyingParty: { id: "example.org" } },
      neverCancelled(),
    );
    await passkeys.use({ challenge, id: undefined, relyingParty: {} }, neverCancelled());
    expect(questions[0]).toEqual({
      challenge,
      timeout: 240_000,
      rpId: "example.org",
      userVerification: "required",
      allowCredentials: [{ type: "public-key", id: utf8("id") }],
    });
    expect(questions[1]).not.toHaveProperty("allowCredentials");
    expect(questions[1]).not.toHaveProperty("rpId");
    expect(answer.response).toEqual({ clientDataJSON: "Yw", authenticatorData: "ZA", signature: "cw" });
  });

  test("may not know how they are reached", async () => {
    const { passkeys } = browser(() => credential({ ...created[1], getTransports: undefined }));
    const passkey = { challenge, userId: utf8("u") as Bytes, userName: "a@b", relyingParty: {} };
    expect((await passkeys.create(passkey, neverCancelled())).response.transports).toEqual([]);
  });

  test.each([
    ["NotAllowedError", "OperationError", "cancelled"],
    ["AbortError", "OperationError", "cancelled"],
    ["NotSupportedError", "PasskeyError", "passkeys_unsupported"],
    ["SecurityError", "PasskeyError", "passkey_refused"],
    ["InvalidStateError", "PasskeyError", "passkey_refused"],
    ["UnknownError", "PasskeyError", "passkey_refused"],
  ])("%s is %s %s", async (exception, name, code) => {
    const { passkeys } = browser(thrown(exception));
    const use = passkeys.use({ challenge, id: undefined, relyingParty: {} }, neverCancelled());
    await expect(use).rejects.toMatchObject({ name, code });
  });

  test("are none where there is no such thing, and what is no passkey is refused", async () => {
    const absent = platformPasskeys(() => undefined);
    const question = { challenge, id: undefined, relyingParty: {} };
    await expect(absent.use(question, neverCancelled())).rejects.toMatchObject({
      code: "passkeys_unsupported",
    });
    const { passkeys } = browser(() => null);
    await expect(passkeys.use(question, neverCancelled())).rejects.toMatchObject({ code: "passkey_refused" });
  });

  test("are not waited for by who has cancelled", async () => {
    const { passkeys } = browser(() => new Promise(() => undefined));
    const controller = new AbortController();
    const use = passkeys.use({ challenge, id: undefined, relyingParty: {} }, controller.signal);
    controller.abort();
    await expect(use).rejects.toMatchObject({ code: "cancelled" });
  });
});
