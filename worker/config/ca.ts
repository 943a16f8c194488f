import { type Bytes, concat } from "../../core/encoding/bytes.ts";
import { issueClientLeaf } from "../../core/pki/issue.ts";
import type { Settings } from "./env.ts";

/** The service's certification authority: the intermediate below the operator's root (rules §7). */

/**
 * A random 128-bit serial number, positive and of full length, as the certificate and the database show it.
 */
export function newSerial(random: (length: number) => Bytes): Bytes {
  const serial = random(16);
  serial[0] = ((serial[0] ?? 0) & 0x7f) | 0x40;
  return serial;
}

/** DER of a client leaf for `publicKey`; `now` in milliseconds. */
export function issueLeaf(
  { ca, limits }: Settings,
  leaf: {
    readonly publicKey: CryptoKey;
    readonly serial: Bytes;
    readonly now: number;
    readonly pseudonym: string;
  },
): Promise<Bytes> {
  return issueClientLeaf({
    issuer: { certificate: ca.intermediate, privateKey: ca.privateKey },
    commonName: leaf.pseudonym,
    publicKey: leaf.publicKey,
    serial: leaf.serial,
    now: new Date(leaf.now),
    validity: {
      backdate: limits.certificateBackdateSeconds * 1_000,
      lifetime: limits.certificateSeconds * 1_000,
    },
  });
}

/** Endpoint 7's bytes: intermediate first, leaf second (DeviceClientCertificateResponse). */
export const certificateChain = ({ ca }: Settings, leaf: Bytes): Bytes => concat(ca.intermediate, leaf);
