/** The keys of other parties as the SDK meets them: the operator's and the tag maker's CAs, the token service. */
import { clientCa, tagCa, tokenService } from "../../sim/test-support/parties.ts";

export type Authorities = Awaited<ReturnType<typeof makeAuthorities>>;

export async function makeAuthorities() {
  const now = Date.now();
  const [clients, tags, tokens] = await Promise.all([clientCa(now), tagCa(now), tokenService()]);
  const [tokenJwk] = tokens.keys;
  return {
    clientRoot: clients.root,
    intermediate: clients.issuer,
    client: clients.issue,
    tagRoot: tags.root,
    tokenKey: { kid: tokenJwk.kid, privateKey: tokens.privateKey },
    tokenJwk,
    tag: tags.issue,
  };
}

let shared: Promise<Authorities> | undefined;

/** Those of a whole test file, because keys cost time. */
export function sharedAuthorities(): Promise<Authorities> {
  shared ??= makeAuthorities();
  return shared;
}
