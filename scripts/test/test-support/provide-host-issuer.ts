import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { exportJWK, generateKeyPair, type JWK } from "jose";
import type { Provider } from "oidc-provider";
import type { TestProject } from "vitest/node";

/**
 * A host airline's identity provider as tests in workerd need one: oidc-provider in Node beside them, at the address
 * `hostIssuer`, with its discovery, its key set and the ID tokens that it signs. Tests work it by paths below `/test`.
 */

const CLIENT = "taglatch";
type HostAlgorithm = "ES256" | "RS256";

export default async function provideHostIssuer({ provide }: TestProject): Promise<() => Promise<void>> {
  let provider: Promise<Provider> | undefined;
  let fetches = 0;
  const rotate = (algorithm: HostAlgorithm) => {
    provider = newProvider(url, algorithm);
    return provider;
  };
  const running = () => provider ?? rotate("ES256");
  const controls: Readonly<Record<string, (search: URLSearchParams) => unknown>> = {
    "/test/token": async (search) => idToken(await running(), search.get("sub") ?? "traveller"),
    "/test/rotate": async (search) => void (await rotate((search.get("alg") ?? "ES256") as HostAlgorithm)),
    "/test/fetches": () => fetches,
  };
  const server = createServer(async (request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? "/", url);
    const control = controls[pathname];
    if (pathname === "/jwks") fetches += 1;
    try {
      if (control === undefined) await (await running()).callback()(request, response);
      else response.end(JSON.stringify((await control(searchParams)) ?? null));
    } catch (error) {
      response.writeHead(500).end(String(error));
    }
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  provide("hostIssuer", url);
  return async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  };
}

/** As the token endpoint answers it. The host vouches for a booking in the ID token itself (rules §3). */
async function idToken(provider: Provider, sub: string): Promise<string> {
  const client = await provider.Client.find(CLIENT);
  const claims = { sub, travel_plans: [{ recordLocator: "ABC123", surname: "Lovelace" }] };
  const token = new provider.IdToken(claims, { client } as never);
  return Object.assign(token, { scope: "openid" }).issue({ use: "idtoken" });
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

declare module "vitest" {
  interface ProvidedContext {
    hostIssuer: string;
  }
}
