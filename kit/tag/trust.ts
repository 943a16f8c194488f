import { fromPem } from "../../core/pki/pem.ts";
import type { TagConfig, TokenKey } from "../../sim/tag/tag-types.ts";
import type { Keeping } from "./tag-store.ts";

/** No service answers, and this tag has not met one yet. */
export class ServiceUnreachable extends Error {
  override readonly name = "ServiceUnreachable";
}

interface Trust {
  readonly clientRoots: readonly string[];
  readonly tokenKeys: { readonly keys: readonly TokenKey[] };
}

/**
 * Whom the tag trusts: the client roots and token keys of the service at `baseUrl`, else those that it told last. A
 * maker's tag has them from the factory (protocol.md, Credentials).
 *
 * @throws ServiceUnreachable
 */
export async function trustOf(
  baseUrl: string,
  keeping: Keeping,
): Promise<Pick<TagConfig, "clientRoots" | "tokenKeys"> & { readonly isKept: boolean }> {
  const heard = await ask(baseUrl);
  if (heard instanceof Error) {
    const kept = keeping.trust as Trust | undefined;
    if (kept === undefined) throw new ServiceUnreachable(baseUrl, { cause: heard });
    return { ...pinned(kept), isKept: true };
  }
  const { clientRoots, tokenKeys } = heard;
  keeping.keepTrust({ clientRoots, tokenKeys } satisfies Trust);
  return { ...pinned(heard), isKept: false };
}

async function ask(baseUrl: string): Promise<Trust | Error> {
  try {
    const response = await fetch(`${baseUrl}/.well-known/ebt-configuration`);
    return response.ok ? ((await response.json()) as Trust) : new Error(`answered ${response.status}`);
  } catch (cause) {
    return new Error("no answer", { cause });
  }
}

const pinned = ({ clientRoots, tokenKeys }: Trust) => ({
  clientRoots: clientRoots.flatMap(fromPem),
  tokenKeys: tokenKeys.keys,
});
