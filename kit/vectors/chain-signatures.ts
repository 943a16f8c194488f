/**
 * The check of a chain whose certificates are not ours: names and signatures up to given anchors, and none of
 * the rules of our own profiles (usages, lifetimes, path lengths, algorithms). It verifies recorded handshakes of other
 * implementations, whose test certificates come from any CA. Sessions are verified by chain.ts, never by this.
 */
import "reflect-metadata/lite";
import { type Name, X509Certificate } from "@peculiar/x509";
import { type Bytes, copyBytes, equalBytes } from "../../core/encoding/bytes.ts";
import { onlyValue } from "../../core/encoding/der.ts";
import { refuse } from "../../core/pki/certificate.ts";

/**
 * Verifies `chain` (DER, leaf first; the anchor may be sent along as the last) and gives the leaf's public key, usage
 * `verify`, of whatever algorithm the certificate names. `anchors` are CA certificates (DER).
 *
 * @throws PkiError `CHAIN`, its message naming the certificate by its place in the chain
 */
export async function verifyChainSignatures(
  chain: readonly Bytes[],
  anchors: readonly Bytes[],
): Promise<{ readonly publicKey: CryptoKey }> {
  const certificates = chain.map((der, place) => parsed(der, `certificate ${place}`));
  const pinned = anchors.map((der) => parsed(der, "a trust anchor"));
  const [leaf] = certificates;
  if (leaf === undefined) refuse("the chain is empty");
  for (const [place, certificate] of certificates.entries()) {
    const above = certificates[place + 1];
    if (above === undefined) await endAtAnchor(certificate, place, pinned);
    else if (!(await issued(above, certificate)))
      refuse(`certificate ${place} was not issued by certificate ${place + 1}`);
  }
  try {
    return { publicKey: await leaf.publicKey.export() };
  } catch (cause) {
    refuse("the key of certificate 0 is of no use here", cause);
  }
}

async function endAtAnchor(
  last: X509Certificate,
  place: number,
  anchors: readonly X509Certificate[],
): Promise<void> {
  for (const anchor of anchors) {
    if (last.equal(anchor) || (await issued(anchor, last))) return;
  }
  refuse(`certificate ${place} is not, and was not issued by, a trust anchor`);
}

async function issued(issuer: X509Certificate, child: X509Certificate): Promise<boolean> {
  if (!equalBytes(bytesOf(issuer.subjectName), bytesOf(child.issuerName))) return false;
  try {
    return await child.verify({ publicKey: issuer.publicKey, signatureOnly: true });
  } catch (cause) {
    refuse("a signature cannot be checked", cause);
  }
}

const bytesOf = (name: Name): Bytes => copyBytes(name.toArrayBuffer());

function parsed(der: Bytes, which: string): X509Certificate {
  try {
    // The library leaves bytes behind a certificate alone; CRED_x would contain them.
    onlyValue(der);
    return new X509Certificate(der);
  } catch (cause) {
    refuse(`${which} is not exactly one certificate`, cause);
  }
}
