import type { CDPSession, Page } from "@playwright/test";

/** Chromium's own authenticator in software (CDP domain WebAuthn): a platform authenticator that knows its person. */
export class VirtualAuthenticator {
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
