/** Reads certificate requests (PKCS#10, RFC 2986) as tags send them out of the factory. */
import "reflect-metadata/lite";
import { Pkcs10CertificateRequest } from "@peculiar/x509";
import type { Bytes } from "../../core/encoding/bytes.ts";
import { CHAIN_LIMIT } from "../../core/pki/profiles.ts";
import { UsageError } from "../command-line.ts";

/** A request whose sender holds the key: its signature has verified. */
export interface CertificateRequest {
  /** ECDSA P-256. */
  readonly publicKey: CryptoKey;
  /** The subject's attribute serialNumber (2.5.4.5), which is to be the device id; undefined where there is none. */
  readonly serialNumber: string | undefined;
}

const P256 = { name: "ECDSA", namedCurve: "P-256" } as const;
const SERIAL_NUMBER = "2.5.4.5";

/**
 * Reads a request (DER) and checks that its key has signed it. Everything else that it asks for is ignored: the profile
 * decides what a tag's certificate holds. Throws UsageError.
 */
export async function readCertificateRequest(der: Bytes): Promise<CertificateRequest> {
  const request = parsed(der);
  let publicKey: CryptoKey;
  try {
    publicKey = await request.publicKey.export(P256, []);
  } catch (cause) {
    throw new UsageError("the key of the request is not on P-256", { cause });
  }
  // The library throws where an algorithm and a key do not fit.
  const signed = await request.verify().catch(() => false);
  if (!signed) throw new UsageError("the request is not signed by its key");
  const [serialNumber, ...more] = request.subjectName.getField(SERIAL_NUMBER);
  if (more.length > 0) throw new UsageError("the request names several serial numbers");
  return { publicKey, serialNumber };
}

function parsed(der: Bytes): Pkcs10CertificateRequest {
  if (der.length > CHAIN_LIMIT.bytes) throw new UsageError("the request is too long");
  try {
    return new Pkcs10CertificateRequest(der);
  } catch (cause) {
    throw new UsageError("not a certificate request (PKCS#10)", { cause });
  }
}
