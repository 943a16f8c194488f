/** The keys of other parties as the SDK meets them: the operator's and the tag maker's CAs, the token service. */
import { clientCa, tagCa, tokenService } from "../../sim/test-support/parties.ts";

export type Authorities = Awaited<ReturnType<typeof makeAuthorities>>;

export async function makeAuthorities() {
  const now = Date.now();
  const [clients, tags, tokens] = await Promise.all([clientCa(now), tagCa(now), tokenService()]);
  const [tokenJwk] = tokens.keys;
  if (tokenJwk === undefined) throw new Error("no token key");
  return {
    clientRoot: clients.root,
    intermediate: clients.issuer,
    tagRoot: tags.root,
    tokenKey: { kid: tokenJwk.kid, privateKey: tokens.privateKey },
    tokenJwk,
    tag: tags.issue,
  };
}
