/** Calls the service as our own page does: one key for the app, a DPoP proof on each request, keys for what may be repeated. */
import { exportJWK, type JWK, type JWTPayload, SignJWT } from "jose";
import { HEADER } from "../../core/api/index.ts";
import { toBase64Url } from "../../core/encoding/bytes.ts";
import { sha256Text } from "../../db/lookup-keys.ts";
import { post } from "../../e2e/support/caller.ts";

/** What is sent; `once` gives it an Idempotency-Key. */
interface Sent {
  readonly body?: unknown;
  readonly once?: true;
}

export class PageCaller {
  readonly #url: string;
  readonly #keys: CryptoKeyPair;
  readonly #jwk: JWK;
  #accessToken: string | undefined;

  static async at(url: string): Promise<PageCaller> {
    const keys = await crypto.subtle.generateKey({ name: "ECDSA", namedCurve: "P-256" }, true, [
      "sign",
      "verify",
    ]);
    return new PageCaller(url, keys, await exportJWK(keys.publicKey));
  }

  private constructor(url: string, keys: CryptoKeyPair, { kty, crv, x, y }: JWK) {
    this.#url = url;
    this.#keys = keys;
    this.#jwk = { kty, crv, x, y } as JWK;
  }

  /** Opens a session as a guest: two requests. */
  async login(): Promise<void> {
    this.#accessToken = undefined;
    const { nonce } = await this.post("/v2/auth/nonces");
    const claims = { nonce, aud: "taglatch", iat: seconds(), evidence: { fmt: "none" } };
    const attestationObject = await this.#sign("ebt-attestation+jwt", claims);
    const login = await this.post("/v2/auth/guest/sessions", { body: { nonce, attestationObject } });
    this.#accessToken = String(login.accessToken);
  }

  /** The answer's body; throws unless it is 200. */
  async post(path: string, { body = {}, once }: Sent = {}): Promise<Record<string, unknown>> {
    const answer = await post(this.#url, path, body, {
      [HEADER.clientKey]: "demo-passenger-key",
      [HEADER.dpop]: await this.#proof(path),
      ...(this.#accessToken && { Authorization: `DPoP ${this.#accessToken}` }),
      ...(once && { [HEADER.idempotencyKey]: crypto.randomUUID() }),
    });
    if (answer.status !== 200) throw new Error(`${path}: ${JSON.stringify(answer.body)}`);
    return answer.body;
  }

  async #proof(path: string): Promise<string> {
    const ath = this.#accessToken && (await sha256Text(this.#accessToken));
    return this.#sign("dpop+jwt", {
      jti: toBase64Url(crypto.getRandomValues(new Uint8Array(12))),
      htm: "POST",
      htu: this.#url + path,
      iat: seconds(),
      ...(ath && { ath }),
    });
  }

  #sign(typ: string, claims: JWTPayload): Promise<string> {
    const header = { alg: "ES256", typ, jwk: this.#jwk as never };
    return new SignJWT(claims).setProtectedHeader(header).sign(this.#keys.privateKey);
  }
}

const seconds = () => Math.floor(Date.now() / 1_000);
