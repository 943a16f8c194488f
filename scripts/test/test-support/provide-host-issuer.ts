import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { exportJWK, generateKeyPair, type JWK } from "jose";
import type { Provider } from "oidc-provider";
import type { TestProject } from "vitest/node";

/**
 * A host airline's identity provider as tests need one: oidc-provider on a port of this machine, with its discovery, its key
 * set and the ID tokens that it signs.
 */

const CLIENT = "taglatch";
type HostAlgorithm = "ES256" | "RS256";

/** The provider behind its control paths: `/test/token`, `/test/rotate`, `/test/fetches`. */
class HostIssuer {
  #provider: Provider | undefined;
  #fetches = 0;
  readonly #server: Server;

  constructor() {
    this.#server = createServer((request, response) => void this.#handle(request, response));
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  async listen(): Promise<void> {
    await new Promise<void>((resolve) => this.#server.listen(0, "127.0.0.1", resolve));
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  async #handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { pathname, searchParams } = new URL(request.url ?? "/", this.url);
    try {
      if (pathname === "/jwks") this.#fetches += 1;
      if (pathname.startsWith("/test/"))
        response.end(JSON.stringify(await this.#control(pathname, searchParams)));
      else await (await this.#running()).callback()(request, response);
    } catch (error) {
      response.writeHead(500).end(String(error));
    }
  }

  async #control(path: string, search: URLSearchParams): Promise<unknown> {
    switch (path) {
      case "/test/token":
        return this.#idToken(search.get("sub") ?? "traveller");
      case "/test/rotate":
        this.#provider = await newProvider(this.url, (search.get("alg") ?? "ES256") as HostAlgorithm);
        return null;
      case "/test/fetches":
        return this.#fetches;
      default:
        throw new Error(`no switch ${path}`);
    }
  }

  async #running(): Promise<Provider> {
    this.#provider ??= await newProvider(this.url, "ES256");
    return this.#provider;
  }

  /** As the token endpoint answers it. The host vouches for a booking in the ID token itself (rules §3). */
  async #idToken(sub: string): Promise<string> {
    const provider = await this.#running();
    const client = await provider.Client.find(CLIENT);
    const claims = { sub, travel_plans: [{ recordLocator: "ABC123", surname: "Lovelace" }] };
    const token = new provider.IdToken(claims, { client } as never);
    return Object.assign(token, { scope: "openid" }).issue({ use: "idtoken" });
  }
}

/** A provider with a fresh signing key, and none of the keys before it. */
async function newProvider(issuer: string, algorithm: HostAlgorithm): Promise<Provider> {
  // Loaded when first needed: most test runs need no host.
  const { default: OidcProvider } = await import("oidc-provider");
  const { privateKey } = await generateKeyPair(algorithm, { extractable: true });
  const key: JWK = { ...(await exportJWK(privateKey)), kid: crypto.randomUUID(), alg: algorithm, use: "sig" };
  // Keeps all in memory, and warns that it does.
  return new OidcProvider(issuer, {
    clients: [
      {
        client_id: CLIENT,
        redirect_uris: ["https://app.example/callback"],
        token_endpoint_auth_method: "none",
        id_token_signed_response_alg: algorithm,
      },
    ],
    jwks: { keys: [key] as never },
    cookies: { keys: ["test"] },
    claims: { openid: ["sub", "travel_plans"] },
    features: { devInteractions: { enabled: false } },
    ttl: { IdToken: 86_400 },
  });
}

/** For tests in workerd: a host's identity provider runs beside them in Node, at the address `hostIssuer`. */

export default async function provideHostIssuer({ provide }: TestProject): Promise<() => Promise<void>> {
  const issuer = new HostIssuer();
  await issuer.listen();
  provide("hostIssuer", issuer.url);
  return () => issuer.close();
}

declare module "vitest" {
  interface ProvidedContext {
    hostIssuer: string;
  }
}
