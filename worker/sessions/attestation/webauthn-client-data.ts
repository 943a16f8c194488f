import * as v from "valibot";
import { type Bytes, fromUtf8, toBase64Url } from "../../../core/encoding/bytes.ts";
import { listsOrigin } from "../../auth/origins.ts";
import type { Client } from "../../context.ts";
import { attestationRefused, orRefuse } from "./refusal.ts";

/**
 * The browser's account of a WebAuthn ceremony (WebAuthn Level 3 §5.8.1), and where that ceremony may take
 * place.
 */

const clientData = v.object({
  type: v.string(),
  challenge: v.string(),
  origin: v.string(),
  crossOrigin: v.optional(v.boolean(), false),
  topOrigin: v.optional(v.string()),
});

/** The ceremony that is required. */
export interface Ceremony {
  readonly type: "webauthn.create" | "webauthn.get";
  readonly challenge: Bytes;
  readonly client: Client;
  /** The policy's RP ID, where it has one. */
  readonly rpId: string | undefined;
}

/** Where a valid ceremony took place. */
export interface Place {
  readonly origin: string;
  readonly rpId: string;
}

/** Verifies the bytes of `clientDataJSON`. Throws `invalid_attestation`. */
export function verifyClientData(bytes: Bytes, ceremony: Ceremony): Place {
  const data = orRefuse("webauthn_client_data", () => v.parse(clientData, JSON.parse(fromUtf8(bytes))));
  if (data.type !== ceremony.type) throw attestationRefused("webauthn_ceremony");
  if (data.challenge !== toBase64Url(ceremony.challenge)) throw attestationRefused("webauthn_challenge");
  const host = hostOf(data.origin);
  if (host === undefined || !listsOrigin(ceremony.client, data.origin))
    throw attestationRefused("webauthn_origin");
  const { rpId = host } = ceremony;
  if (host !== rpId && !host.endsWith(`.${rpId}`)) throw attestationRefused("webauthn_origin");
  // Pages of others never frame ours.
  if (data.crossOrigin || data.topOrigin !== undefined) throw attestationRefused("webauthn_cross_origin");
  return { origin: data.origin, rpId };
}

/**
 * Host of an origin on which a browser would offer WebAuthn: https on any named host, http only on this
 * machine, and spelt as browsers spell it. So a listed `http://localhost:*` matches any port there,
 * written out or left out, and for nothing else; `http://127.0.0.1:*` for nothing, as an address is no RP ID.
 */
function hostOf(origin: string): string | undefined {
  const url = URL.parse(origin);
  if (url === null || url.origin !== origin) return undefined;
  const isLocal = url.hostname === "localhost" || url.hostname.endsWith(".localhost");
  if (url.protocol !== "https:" && !(url.protocol === "http:" && isLocal)) return undefined;
  return /^[\d.]+$|^\[/.test(url.hostname) ? undefined : url.hostname;
}
