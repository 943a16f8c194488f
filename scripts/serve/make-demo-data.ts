/**
 * Makes the keys and certificates of the demo world (rules §9) and writes them to db/demo. They are committed,
 * private halves included: nothing but a development service trusts them. Running it again replaces them all.
 */
import { writeFileSync } from "node:fs";
import { pathToFileURL } from "node:url";
import { type Bytes, toBase64 } from "../../core/encoding/bytes.ts";
import type { GattVersion } from "../../core/gatt/profile.ts";
import { createTagCa, type Issuer, issueTagLeaf } from "../../core/pki/issue.ts";
import { VALIDITY } from "../../core/pki/profiles.ts";
import { generateKeys, type PrivateJwk, privateJwk, type Random, systemRandom } from "./keys.ts";

/** A row of db/demo/tags.json. A v2.0 tag has no credential: it neither authenticates nor is authenticated. */
interface DemoTag {
  readonly id: string;
  readonly generation: GattVersion;
  readonly privateJwk: PrivateJwk | null;
  /** Base64 DER, leaf first; the leaf alone, because its issuer is pinned. */
  readonly certificateChain: readonly string[] | null;
}

const DEMO_TAGS = [
  { id: "ebt-21-0001", generation: "2.1" },
  { id: "ebt-21-0002", generation: "2.1" },
  { id: "ebt-21-0003", generation: "2.1" },
  { id: "ebt-21-0004", generation: "2.1" },
  { id: "ebt-20-0005", generation: "2.0" },
  { id: "ebt-20-0006", generation: "2.0" },
] as const satisfies readonly { id: string; generation: GattVersion }[];

/** When the demo's certificates begin: long ago, so that no slow clock refuses them. */
const DEMO_EPOCH = new Date(Date.UTC(2025, 0, 1));

/** A fresh tag CA of the demo's kind. */
async function demoTagAuthority(random: Random): Promise<Issuer> {
  const keys = await generateKeys();
  const certificate = await createTagCa({
    commonName: "Taglatch Demo Tag CA",
    serial: random(16),
    notBefore: DEMO_EPOCH,
    notAfter: new Date(DEMO_EPOCH.getTime() + VALIDITY.root),
    keys,
  });
  return { certificate, privateKey: keys.privateKey };
}

/** The tag `id` of `generation`; a v2.1 tag gets a key and a leaf by `issuer`. */
async function demoTag(
  { id, generation }: { readonly id: string; readonly generation: GattVersion },
  issuer: Issuer,
  random: Random,
): Promise<DemoTag> {
  if (generation === "2.0") return { id, generation, privateJwk: null, certificateChain: null };
  const { privateKey, publicKey } = await generateKeys();
  const leaf = await issueTagLeaf({
    issuer,
    deviceId: id,
    publicKey,
    serial: random(8),
    notBefore: DEMO_EPOCH,
  });
  return { id, generation, privateJwk: await privateJwk(privateKey), certificateChain: [toBase64(leaf)] };
}

/** File name → JSON content of everything in db/demo that this script makes. */
async function demoData(random: Random): Promise<Record<string, unknown>> {
  const issuer = await demoTagAuthority(random);
  const [hostAirline, attester] = [await generateKeys(), await generateKeys()];
  return {
    "tags.json": await Promise.all(DEMO_TAGS.map((tag) => demoTag(tag, issuer, random))),
    "tag-ca.json": certificateFile(issuer.certificate),
    "tag-ca.jwk.json": await privateJwk(issuer.privateKey, "demo-tag-ca"),
    "host-airline.jwk.json": await privateJwk(hostAirline.privateKey, "host-airline-1"),
    "attester.jwk.json": await privateJwk(attester.privateKey, "attester-1"),
  };
}

function certificateFile(certificate: Bytes): { certificate: string } {
  return { certificate: toBase64(certificate) };
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? "").href) {
  const folder = new URL("../../db/demo/", import.meta.url);
  for (const [name, content] of Object.entries(await demoData(systemRandom))) {
    writeFileSync(new URL(name, folder), `${JSON.stringify(content, null, 2)}\n`);
    console.log(`db/demo/${name}`);
  }
}
