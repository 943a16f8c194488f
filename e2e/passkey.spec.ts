/** A host page with the SDK, Chromium's authenticator in software and the real service: nothing between them is ours. */
import type { Page } from "@playwright/test";
import { oneFile } from "../scripts/build/bundle.ts";
import type { PasskeyRequest } from "../sdk/index.ts";
import { expect, test } from "./support/test.ts";

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

/** A platform authenticator that knows its person; gives its passkeys, each with the number of times it signed. */
async function installAuthenticator(page: Page) {
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
  return async () => (await session.send("WebAuthn.getCredentials", { authenticatorId })).credentials;
}

/** The record locators of the person's journeys, after a login by passkey as the app instance with storage `databaseName`. */
const logIn = (page: Page, databaseName: string, passkey: PasskeyRequest["passkey"], load = false) =>
  page.evaluate(
    async ({ databaseName, passkey, load }) => {
      const { session, journeys } = createTaglatch({ baseUrl: "", databaseName });
      const login = await session.loginWithPasskey({ email: "ada@example.org", ...(passkey && { passkey }) });
      if (!login.ok) return [`${login.error.name}:${login.error.code}`];
      if (load) await journeys.fromRecordLocator("ABC123", "Lovelace");
      const own = await journeys.list();
      return own.ok ? own.value.map((journey) => journey.recordLocator) : [own.error.code];
    },
    { databaseName, passkey, load },
  );

test("a passkey is registered at the first login and is the same person at every later one", async ({
  page,
  service,
}) => {
  const passkeys = await installAuthenticator(page);
  // A passkey is for a name; an address has none.
  await loadSdk(page, service.replace("127.0.0.1", "localhost"));
  expect(await logIn(page, "first", "remembered", true)).toEqual(["ABC123"]);
  const [made] = await passkeys();
  expect(made).toMatchObject({ rpId: "localhost" });
  // A new session by the passkey remembered here.
  expect(await logIn(page, "first", "remembered")).toEqual(["ABC123"]);
  // An app instance with a key and storage of its own, which only has the passkey.
  expect(await logIn(page, "second", "existing")).toEqual(["ABC123"]);
  const [used, ...others] = await passkeys();
  expect(others).toEqual([]);
  expect(used?.signCount).toBeGreaterThan(made?.signCount ?? 0);
});
