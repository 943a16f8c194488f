import { fromPem } from "../../core/pki/pem.ts";
import type { TagConfig, TokenKey } from "../../sim/tag/tag-types.ts";
import type { TagStore } from "./tag-store.ts";

/** No service answers, and this tag has not met one yet. */
export class ServiceUnreachable extends Error {
  override readonly name = "ServiceUnreachable";
}

interface Trust {
  readonly clientRoots: readonly string[];
  readonly tokenKeys: { readonly keys: readonly TokenKey[] };
}

/**
 * Whom the tag trusts: the client roots and token keys of the service at `baseUrl`, else those that it gave last. A
 * maker's tag has them from the factory (protocol.md, Credentials).
 *
 * @throws ServiceUnreachable
 */
export async function trustOf(
  baseUrl: string,
  store: TagStore,
): Promise<Pick<TagConfig, "clientRoots" | "tokenKeys"> & { readonly isStored: boolean }> {
  const given = await ask(baseUrl);
  if (given instanceof Error) {
    const stored = store.trust as Trust | undefined;
    if (stored === undefined) throw new ServiceUnreachable(baseUrl, { cause: given });
    return { ...pinned(stored), isStored: true };
  }
  const { clientRoots, tokenKeys } = given;
  store.saveTrust({ clientRoots, tokenKeys } satisfies Trust);
  return { ...pinned(given), isStored: false };
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
