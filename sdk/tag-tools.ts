/**
 * For tools that talk to tags themselves, such as a tag maker's checks: the same radio, certificate and
 * tokens as a transfer has, without its flow.
 */
import type { Bytes } from "../core/encoding/bytes.ts";
import type { TaglatchConfig } from "./api.ts";
import { assemble } from "./client.ts";
import { transactionToken } from "./service/session.ts";
import type { TagRadio } from "./tag/link.ts";
import { webBluetoothRadio } from "./tag/web-bluetooth-link.ts";
import type { TransactionTokenRequest } from "./types.ts";

export interface TagTools {
  readonly radio: TagRadio;
  /** What client and tag present to each other. Throws ServiceError, ConfigurationError, `cancelled`. */
  prepare(signal: AbortSignal): Promise<{
    /** DER, leaf first, and the leaf's private key. */
    readonly credential: { readonly chain: readonly Bytes[]; readonly privateKey: CryptoKey };
    /** DER of the pinned roots above tags. */
    readonly tagRoots: readonly Bytes[];
  }>;
  /** A transaction token (endpoint 8). Throws ServiceError, `cancelled`. */
  transactionToken(tokenRequest: TransactionTokenRequest, signal: AbortSignal): Promise<Bytes>;
}

/** Tools for tags picked by hand, without an account and without a journey. */
export function createTagTools(config: TaglatchConfig): TagTools {
  const { context, api } = assemble(config);
  return {
    radio: config.radio ?? webBluetoothRadio(),
    async prepare(signal) {
      const { configuration, credential } = await context.prepare(signal);
      return { credential, tagRoots: configuration.tagRoots };
    },
    transactionToken: async (tokenRequest, signal) =>
      (await transactionToken(api, tokenRequest, signal)).token,
  };
}
