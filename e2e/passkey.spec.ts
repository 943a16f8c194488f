import type { CDPSession, Page } from "@playwright/test";
import { oneFile } from "../scripts/build/bundle.ts";
import type { PasskeyRequest } from "../sdk/index.ts";
import { test as base, expect } from "./support/test.ts";

/** Chromium's own authenticator in software (CDP domain WebAuthn): a platform authenticator that knows its person. */
class VirtualAuthenticator {
  readonly #session: CDPSession;
  readonly #id: string;

  static async install(page: Page): Promise<VirtualAuthenticator> {
    const session = await page.context().newCDPSession(page);
    await session.send("WebAuthn.enable");
    const { authenticatorId } = await session.send("WebAuthn.addVirtualAuthenticator", {
      options: {
        protocol: "ctap2",
        transport: "internal",
        hasResidentKey: true,
        hasUserVerification: true,
        isUserVerified: true,
        automaticPresenceSimulation: true,
      },
    });
    return new VirtualAuthenticator(session, authenticatorId);
  }

  constructor(session: CDPSession, id: string) {
    this.#session = session;
    this.#id = id;
  }

  /** Its passkeys, each with the number of times it signed. */
  async passkeys(): Promise<readonly { readonly rpId?: string; readonly signCount: number }[]> {
    const { credentials } = await this.#session.send("WebAuthn.getCredentials", {
      authenticatorId: this.#id,
    });
    return credentials;
  }

  /** From now on it signs wrongly, or says that no user was verified. */
  async misbehave(bits: { readonly isBogusSignature?: boolean; readonly isBadUV?: boolean }): Promise<void> {
    await this.#session.send("WebAuthn.setResponseOverrideBits", { authenticatorId: this.#id, ...bits });
  }

  /** Whether its person is recognised. */
  async recognise(isUserVerified: boolean): Promise<void> {
    await this.#session.send("WebAuthn.setUserVerified", { authenticatorId: this.#id, isUserVerified });
  }

  /** Counts backwards: the state of a copy that was made a while ago. */
  async turnBack(): Promise<void> {
    const { credentials } = await this.#session.send("WebAuthn.getCredentials", {
      authenticatorId: this.#id,
    });
    for (const credential of credentials) {
      const { credentialId } = credential;
      await this.#session.send("WebAuthn.removeCredential", { authenticatorId: this.#id, credentialId });
      await this.#session.send("WebAuthn.addCredential", {
        authenticatorId: this.#id,
        credential: { ...credential, signCount: 0 },
      });
    }
  }
}

declare global {
  /** Put there by {@link loadSdk}. */
  var createTaglatch: typeof import("../sdk/index.ts").createTaglatch;
}

const PATH = "/sdk-under-test.js";
/** As text: what `page` imports is no file of ours to the checks of imports. */
const LOAD = `import("${PATH}").then((sdk) => { globalThis.createTaglatch = sdk.createTaglatch; })`;

/** Opens `url` and gives its page the SDK as `createTaglatch`, from the page's own origin as a host app would. */
async function loadSdk(page: Page, url: string): Promise<void> {
  const body = await oneFile("sdk/index.ts");
  await page.route(`**${PATH}`, (route) => route.fulfill({ body, contentType: "text/javascript" }));
  await page.goto(url);
  await page.evaluate(LOAD);
}

// A host page with the SDK, Chromium's authenticator and the real service: nothing between them is ours.

const EMAIL = "ada@example.org";

/** What an app instance, named by its storage, did. */
interface Outcome {
  /** `ok`, or class and code of the error. */
  readonly login: string;
  /** Record locators of the person's own journeys. */
  readonly journeys: readonly string[];
}

class HostPage {
  readonly #page: Page;
  readonly authenticator: VirtualAuthenticator;

  static async open(page: Page, service: string): Promise<HostPage> {
    const authenticator = await VirtualAuthenticator.install(page);
    // A passkey is for a name; an address has none.
    await loadSdk(page, service.replace("127.0.0.1", "localhost"));
    return new HostPage(page, authenticator);
  }

  constructor(page: Page, authenticator: VirtualAuthenticator) {
    this.#page = page;
    this.authenticator = authenticator;
  }

  /** Logs in by passkey as the app instance with storage `name`; `load` loads Ada's booking then. */
  logIn(name: string, passkey: NonNullable<PasskeyRequest["passkey"]>, load = false): Promise<Outcome> {
    return this.#page.evaluate(
      async ({ databaseName, request, load }) => {
        const { session, journeys } = createTaglatch({ baseUrl: "", databaseName });
        const login = await session.loginWithPasskey(request);
        if (!login.ok) return { login: `${login.error.name}:${login.error.code}`, journeys: [] };
        if (load) await journeys.fromRecordLocator("ABC123", "Lovelace");
        const own = await journeys.list();
        return {
          login: "ok",
          journeys: own.ok ? own.value.map((journey) => journey.recordLocator) : [own.error.code],
        };
      },
      { databaseName: name, request: { email: EMAIL, passkey }, load },
    );
  }
}

const test = base.extend<{ host: HostPage }>({
  host: async ({ page, service }, use) => {
    await use(await HostPage.open(page, service));
  },
});

const OWN = { login: "ok", journeys: ["ABC123"] };
const STRANGER = { login: "ok", journeys: [] };

test("a passkey is registered at the first login and is the same person at every later one", async ({
  host,
}) => {
  expect(await host.logIn("first", "remembered", true)).toEqual(OWN);
  const [made] = await host.authenticator.passkeys();
  expect(made).toMatchObject({ rpId: "localhost" });
  // A new session by the passkey remembered here.
  expect(await host.logIn("first", "remembered")).toEqual(OWN);
  // An app instance with a key and storage of its own, which only has the passkey.
  expect(await host.logIn("second", "existing")).toEqual(OWN);
  const passkeys = await host.authenticator.passkeys();
  expect(passkeys).toHaveLength(1);
  expect(passkeys[0]?.signCount).toBeGreaterThan(made?.signCount ?? 0);
});

test("another passkey is another person, whatever the e-mail", { tag: "@nightly" }, async ({ host }) => {
  expect(await host.logIn("first", "new", true)).toEqual(OWN);
  expect(await host.logIn("second", "new")).toEqual(STRANGER);
});

test("a copy whose count is behind is refused", { tag: "@nightly" }, async ({ host }) => {
  await host.logIn("first", "new", true);
  await host.logIn("first", "remembered");
  await host.authenticator.turnBack();
  expect((await host.logIn("first", "remembered")).login).toBe("ServiceError:invalid_attestation");
});

test("a wrong signature, a person unchecked or unrecognised, and an answer changed on its way, are refused", {
  tag: "@nightly",
}, async ({ host, page }) => {
  await host.logIn("first", "new", true);
  for (const [fault, none, end] of [
    [{ isBogusSignature: true }, { isBogusSignature: false }, "ServiceError:invalid_attestation"],
    [{ isBadUV: true }, { isBadUV: false }, "ServiceError:invalid_attestation"],
  ] as const) {
    await host.authenticator.misbehave(fault);
    expect((await host.logIn("first", "remembered")).login).toBe(end);
    await host.authenticator.misbehave(none);
    expect(await host.logIn("first", "remembered")).toEqual(OWN);
  }
  // Who is not recognised by their device has merely not logged in.
  await host.authenticator.recognise(false);
  expect((await host.logIn("first", "remembered")).login).toBe("OperationError:cancelled");
  await host.authenticator.recognise(true);
  expect(await host.logIn("first", "remembered")).toEqual(OWN);

  await page.evaluate(() => {
    const ask = navigator.credentials.get.bind(navigator.credentials);
    navigator.credentials.get = async (options) => {
      const credential = (await ask(options)) as PublicKeyCredential;
      const { authenticatorData } = credential.response as AuthenticatorAssertionResponse;
      // The counter, so that it looks used more often than it was.
      new DataView(authenticatorData).setUint32(33, 1_000_000);
      const { clientDataJSON, signature } = credential.response as AuthenticatorAssertionResponse;
      const response = { clientDataJSON, authenticatorData, signature };
      return { rawId: credential.rawId, response } as unknown as Credential;
    };
  });
  expect((await host.logIn("first", "remembered")).login).toBe("ServiceError:invalid_attestation");
});
