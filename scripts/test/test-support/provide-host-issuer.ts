import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { exportJWK, generateKeyPair, type JWK } from "jose";
import type { Provider } from "oidc-provider";
import type { TestProject } from "vitest/node";

/**
 * A host airline's identity provider as tests need one: oidc-provider on a port of this machine, whole (discovery, key
 * set, code flow, signed ID tokens).
 */

const CALLBACK = "https://app.example/callback";
const CLIENT = "taglatch";
type HostAlgorithm = "ES256" | "RS256";

/** The provider behind its control paths: `/test/token`, `/test/rotate`, `/test/fetches`. */
class HostIssuer {
  #provider: Provider | undefined;
  #algorithm: HostAlgorithm = "ES256";
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
      if (pathname.startsWith("/test/")) {
        response.end(JSON.stringify(await this.#control(pathname, searchParams)));
        return;
      }
      if (pathname === "/jwks") this.#fetches += 1;
      const provider = await this.#running();
      if (!pathname.startsWith("/interaction/")) return void (await provider.callback()(request, response));
      const { params } = await provider.interactionDetails(request, response);
      const login = { login: { accountId: String(params.login_hint) } };
      await provider.interactionFinished(request, response, login, { mergeWithLastSubmission: false });
    } catch (error) {
      response.writeHead(500).end(String(error));
    }
  }

  async #control(path: string, search: URLSearchParams): Promise<unknown> {
    switch (path) {
      case "/test/token":
        return this.#idToken(search.get("sub") ?? "traveller");
      case "/test/rotate":
        this.#algorithm = (search.get("alg") ?? "ES256") as HostAlgorithm;
        this.#provider = await newProvider(this.url, this.#algorithm);
        return null;
      case "/test/fetches":
        return this.#fetches;
      default:
        throw new Error(`no switch ${path}`);
    }
  }

  async #running(): Promise<Provider> {
    this.#provider ??= await newProvider(this.url, this.#algorithm);
    return this.#provider;
  }

  /** The authorization code flow, as a traveller's browser and the host's app go through it. */
  async #idToken(sub: string): Promise<string> {
    const app = { client_id: CLIENT, redirect_uri: CALLBACK };
    const query = new URLSearchParams({ ...app, response_type: "code", scope: "openid", login_hint: sub });
    const code = await authorizationCode(new URL(`/auth?${query}`, this.url));
    const answer = await fetch(new URL("/token", this.url), {
      method: "POST",
      body: new URLSearchParams({ ...app, grant_type: "authorization_code", code }),
    });
    const { id_token } = (await answer.json()) as { readonly id_token?: string };
    if (id_token === undefined) throw new Error(`no ID token: ${answer.status}`);
    return id_token;
  }
}

/** Follows the redirects with the cookies they set, up to the app's own address. */
async function authorizationCode(start: URL): Promise<string> {
  const cookies = new Map<string, string>();
  for (let url = start; ; ) {
    if (url.href.startsWith(CALLBACK)) return url.searchParams.get("code") ?? "";
    const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join("; ");
    const answer = await fetch(url, { redirect: "manual", headers: { cookie } });
    for (const line of answer.headers.getSetCookie()) {
      const [, name = "", value = ""] = /^([^=]+)=([^;]*)/.exec(line) ?? [];
      cookies.set(name, value);
    }
    const location = answer.headers.get("Location");
    if (location === null) throw new Error(`the flow ended with ${answer.status}: ${await answer.text()}`);
    url = new URL(location, url);
  }
}

/** A provider with a fresh signing key, and none of the keys before it. */
async function newProvider(issuer: string, algorithm: HostAlgorithm): Promise<Provider> {
  // Loaded when first needed: most test runs need no host.
  const { default: OidcProvider } = await import("oidc-provider");
  const { privateKey } = await generateKeyPair(algorithm, { extractable: true });
  const key: JWK = { ...(await exportJWK(privateKey)), kid: crypto.randomUUID(), alg: algorithm, use: "sig" };
  // Keeps all in memory, and warns that it does.
  const provider = new OidcProvider(issuer, {
    clients: [
      {
        client_id: CLIENT,
        redirect_uris: [CALLBACK],
        response_types: ["code"],
        grant_types: ["authorization_code"],
        token_endpoint_auth_method: "none",
        id_token_signed_response_alg: algorithm,
      },
    ],
    jwks: { keys: [key] as never },
    cookies: { keys: ["test"] },
    // The host vouches for a booking in the ID token itself (rules §3).
    conformIdTokenClaims: false,
    claims: { openid: ["sub", "travel_plans"] },
    findAccount: (_context, accountId) => ({
      accountId,
      claims: () => ({ sub: accountId, travel_plans: [{ recordLocator: "ABC123", surname: "Lovelace" }] }),
    }),
    pkce: { required: () => false },
    features: { devInteractions: { enabled: false } },
    ttl: {
      IdToken: 86_400,
      AccessToken: 600,
      AuthorizationCode: 60,
      Session: 600,
      Interaction: 600,
      Grant: 600,
    },
    interactions: { url: (_context, { uid }) => `/interaction/${uid}` },
    loadExistingGrant: async ({ oidc }) => {
      const { client, session } = oidc;
      if (client === undefined || session?.accountId === undefined) return undefined;
      const grant = new provider.Grant({ clientId: client.clientId, accountId: session.accountId });
      grant.addOIDCScope("openid");
      await grant.save();
      return grant;
    },
  });
  return provider;
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
