import tags from "../../db/demo/tags.json" with { type: "json" };

/** The certificate (base64 DER) of a v2.1 tag of the development data. */
export function tagCertificateOf(id: string): string {
  const certificate = tags.find((tag) => tag.id === id)?.certificateChain?.[0];
  if (certificate === undefined) throw new Error(`${id} has no certificate`);
  return certificate;
}
