import { type SQL, sql } from "drizzle-orm";
import type { DeviceModel } from "../../core/api/index.ts";
import {
  type Bytes,
  concat,
  EncodingError,
  fromBase64,
  fromBase64Url,
  toBase64Url,
} from "../../core/encoding/bytes.ts";
import {
  PkiError,
  publicKeyThumbprint,
  readCertificate,
  spkiThumbprint,
} from "../../core/pki/certificate.ts";
import { verifyChain } from "../../core/pki/chain.ts";
import { EKU_TAG } from "../../core/pki/profiles.ts";
import { foldDeviceId, type IdPrefixes, rootsFor } from "../../core/pki/tag-roots.ts";
import demoTagCa from "../../db/demo/tag-ca.json" with { type: "json" };
import { deviceAliases, devices } from "../../db/schema.ts";
import type { Settings } from "../config/env.ts";
import type { RequestContext } from "../context.ts";
import { ApiError } from "../errors.ts";

/**
 * One tag under its several names, its key, and what its certificate proves (rules §5, "Device identity"). Names are
 * compared by their keys: trimmed, NFC, lower case. MAC addresses and GUIDs are also compared without their separators.
 * Their keys have a prefix of their own, so that no free text sent as a MAC can pass for the id of another tag.
 */

/** The key of a name, which `devices.id` holds. */
export const deviceKey = foldDeviceId;

/** Key of a MAC address or GUID. */
export const hardwareKey = (address: string) => `${HARDWARE}${deviceKey(address).replace(/[:-]/g, "")}`;
const HARDWARE = "hw:";

/** Whether a key is of that kind, although it came as a uniqueID: no tag has such an id. */
export const isHardwareKey = (key: string) => key.startsWith(HARDWARE);

/** Whether a hardware key is that of a MAC address or a GUID; free text is no alias. */
const isAddress = (key: string) => /^hw:(?:[0-9a-f]{12}|[0-9a-f]{32})$/.test(key);

/** The keys that `uniqueDeviceId` can mean; the first stored one counts. */
export const lookupKeys = (uniqueDeviceId: string): readonly [id: string, hardware: string] => [
  deviceKey(uniqueDeviceId),
  hardwareKey(uniqueDeviceId),
];

/** The names of a tag in a request of endpoint 9. */
export interface DeviceNames {
  /** The name that counts, as sent: uniqueID, else guid, else mac. */
  readonly uniqueDeviceId: string;
  /** The uniqueID as sent, where that is the name that counts. */
  readonly uniqueID?: string;
  /** Its key, under which a new device is registered. */
  readonly deviceId: string;
  /** Keys of a MAC and a GUID that look like one: they become aliases if they are free, which the tag's own key is not. */
  readonly aliases: readonly string[];
  /** Key of the name that counts where it is a uniqueID that looks like a MAC or GUID. */
  readonly ownAlias?: string;
}

/** The names in `device`. Throws `required_info_not_provided` where all of them are blank or absent. */
export function deviceNames(device: DeviceModel): DeviceNames {
  const present = (name: string | undefined) => (name?.trim() ? name : undefined);
  const uniqueID = present(device.uniqueID);
  const guid = present(device.guid);
  const mac = present(device.mac);
  const uniqueDeviceId = uniqueID ?? guid ?? mac;
  if (uniqueDeviceId === undefined) throw new ApiError("required_info_not_provided");
  const deviceId = uniqueID ? deviceKey(uniqueID) : hardwareKey(uniqueDeviceId);
  const addresses = [guid, mac].flatMap((address) => (address ? [hardwareKey(address)] : []));
  const ownAlias = uniqueID ? [hardwareKey(uniqueID)].find(isAddress) : undefined;
  const aliases = addresses.filter(isAddress);
  return {
    uniqueDeviceId,
    deviceId,
    aliases,
    ...(uniqueID ? { uniqueID } : {}),
    ...(ownAlias ? { ownAlias } : {}),
  };
}

/**
 * The stored id that `uniqueDeviceId` means, or null. It is an expression, so that
 * finding the tag costs no D1 call of its own (rules §5, "Device identity").
 */
export function knownDeviceId(uniqueDeviceId: string): SQL<string | null> {
  const [id, hardware] = lookupKeys(uniqueDeviceId);
  return knownDevice(sql`${id}`, sql`${hardware}`);
}

/** The same for its keys as they are bound. */
export const knownDevice = (id: SQL, hardware: SQL) =>
  sql<string | null>`coalesce((${rowOf(id)}), (${rowOf(hardware)}), (${aliased(hardware)}))`;

const rowOf = (id: SQL) => sql`select ${devices.id} from ${devices} where ${devices.id} = ${id}`;
const aliased = (hardware: SQL) =>
  sql`select ${deviceAliases.deviceId} from ${deviceAliases} where ${deviceAliases.alias} = ${hardware}`;

/**
 * Every row that the tag of these keys can mean: a subselect of ids. A lock on any of them counts. A tag that a
 * certificate has proven is its own row and no other: a caller who claims its MAC for another tag gains nothing.
 */
export function rowsNamed(id: SQL, hardware: SQL): SQL {
  const isProven = sql`exists (${rowOf(id)} and coalesce(${devices.tagKey}, ${devices.tagSpkiHash}) is not null)`;
  const others = sql`${rowOf(hardware)} and not ${isProven} union all ${aliased(hardware)} and not ${isProven}`;
  return sql`(${rowOf(id)} union all ${others})`;
}

/** A tag's key as its row keeps it: the compressed point (SEC 1, 2.3.3), base64url, 44 characters. Its hash is computed. */

/** What a row has of the tag's key. Rows from before migration 0007 have the whole SubjectPublicKeyInfo instead. */
export type StoredKey = Pick<typeof devices.$inferSelect, "tagKey" | "tagSpkiHash" | "tagSpki">;

const ES256 = { name: "ECDSA", namedCurve: "P-256" } as const;
const COORDINATE = 32;

/** The key in the SubjectPublicKeyInfo of a P-256 key, which ends in its uncompressed point. */
export function keyOfSpki(spki: Bytes): string {
  const sign = 2 + ((spki.at(-1) ?? 0) & 1);
  return toBase64Url(concat(Uint8Array.of(sign), spki.slice(-2 * COORDINATE, -COORDINATE)));
}

export const importTagKey = (key: string): Promise<CryptoKey> =>
  crypto.subtle.importKey("raw", fromBase64Url(key), ES256, true, ["verify"]);

/** The tag's key, whichever form its row has; null while only its hash is known, or nothing. */
export const keyOf = ({ tagKey, tagSpki }: StoredKey): string | null =>
  tagKey ?? (tagSpki === null ? null : keyOfSpki(fromBase64Url(tagSpki)));

/** Whether a certificate or an import has said which key is the tag's. */
export const isKeyKnown = ({ tagKey, tagSpkiHash }: StoredKey): boolean =>
  tagKey !== null || tagSpkiHash !== null;

/** SHA-256 of the SubjectPublicKeyInfo of the tag's key, base64url; null if the key is unknown. */
export async function keyHashOf(stored: StoredKey): Promise<string | null> {
  const key = keyOf(stored);
  return key === null ? stored.tagSpkiHash : toBase64Url(await publicKeyThumbprint(await importTagKey(key)));
}

/** The columns of an unknown key. */
export const NO_KEY: StoredKey = { tagKey: null, tagSpkiHash: null, tagSpki: null };

/** The columns of a key that a certificate has shown. */
export const storedKey = (key: string): StoredKey => ({ tagKey: key, tagSpkiHash: null, tagSpki: null });

/** What else an update of a row writes: today's form of its key, where the row has the older one. */
export const keyInTodaysForm = (row: StoredKey): Partial<StoredKey> =>
  row.tagSpki === null ? {} : storedKey(keyOf(row) as string);

/** What a tag's certificate proves: a tag with this id speaks v2.1 and has this key. */
export interface TagEvidence {
  /** Key of the device id in the certificate. */
  readonly deviceId: string;
  /** The compressed point, and the hash of the SubjectPublicKeyInfo, as base64url. */
  readonly key: string;
  readonly spkiHash: string;
}

/**
 * The evidence in `tagCertificate` (base64 DER of the tag's leaf, rules §5). A certificate that does not
 * verify to a trusted tag CA that may name its id counts as absent: it proves nothing, and its sender may have read it off a tag
 * of another maker. So does one of a key that is stored: it says nothing new of `devices`, and its chain is not verified.
 */
export async function tagEvidence(
  ctx: RequestContext,
  tagCertificate: string | undefined,
  devices: readonly KnownDevice[],
): Promise<TagEvidence | undefined> {
  if (tagCertificate === undefined) return undefined;
  const { settings } = ctx;
  try {
    const certificate = readCertificate(fromBase64(tagCertificate));
    const { subjectSerialNumbers, spki } = certificate;
    const [subjectSerialNumber] = subjectSerialNumbers;
    if (subjectSerialNumber === undefined) return undefined;
    const known = devices.find(({ id }) => id === deviceKey(subjectSerialNumber));
    if (known && keyOf(known) === keyOfSpki(spki)) return undefined;
    const anchors = rootsFor(trustedTagRoots(settings), trustedTagRootIds(settings), subjectSerialNumber);
    await verifyChain({ chain: [certificate], anchors, eku: EKU_TAG, at: new Date(ctx.now) });
    const deviceId = deviceKey(subjectSerialNumber);
    return { deviceId, key: keyOfSpki(spki), spkiHash: toBase64Url(await spkiThumbprint(spki)) };
  } catch (error) {
    if (error instanceof PkiError || error instanceof EncodingError) return undefined;
    throw error;
  }
}

/** Whether the certificate's key is the tag's; also if nothing is known of that yet. */
function isSameKey(stored: StoredKey, { key, spkiHash }: Pick<TagEvidence, "key" | "spkiHash">): boolean {
  const known = keyOf(stored);
  return known === null ? (stored.tagSpkiHash ?? spkiHash) === spkiHash : known === key;
}

/** What is stored of a tag, as far as its certificate is compared with it. */
type KnownDevice = StoredKey & Pick<typeof devices.$inferSelect, "id">;

/**
 * Whether `evidence` is about the tag that the caller means, and does not contradict a key already proven:
 * only an operator's import can give a tag a second key. `key` is compared with the caller's name for an
 * unknown tag.
 */
export function provesV21(
  evidence: TagEvidence | undefined,
  device: KnownDevice | undefined,
  key: string,
): evidence is TagEvidence {
  if (evidence === undefined || evidence.deviceId !== (device?.id ?? key)) return false;
  return device === undefined || isSameKey(device, evidence);
}

/**
 * DER of the CAs that tags may chain to: the operator's, and in development also the demo tags' (rules §8).
 */
export function trustedTagRoots({ environment, tagRoots }: Settings): readonly Bytes[] {
  return environment === "development" ? [...tagRoots, fromBase64(demoTagCa.certificate)] : tagRoots;
}

/** The ids that each of them may name, where there are lists; the demo's CA may name all. */
export function trustedTagRootIds({ environment, tagRootIds }: Settings): readonly IdPrefixes[] | undefined {
  return environment === "development" && tagRootIds !== undefined ? [...tagRootIds, [""]] : tagRootIds;
}
