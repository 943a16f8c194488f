import { and, eq, type SQL } from "drizzle-orm";
import type { DeviceModel } from "../../core/api/index.ts";
import { type Bytes, EncodingError, fromBase64, toBase64Url } from "../../core/encoding/bytes.ts";
import { readCertificate, spkiThumbprint } from "../../core/pki/certificate.ts";
import { verifyChain } from "../../core/pki/chain.ts";
import { PkiError } from "../../core/pki/errors.ts";
import { EKU_TAG } from "../../core/pki/profiles.ts";
import { rootsFor } from "../../core/pki/tag-roots.ts";
import { deviceAliases, devices } from "../../db/schema.ts";
import { sql } from "../../db/sql.ts";
import { trustedTagRootIds, trustedTagRoots } from "../config/tag-roots.ts";
import type { RequestContext } from "../context.ts";
import { insertFrom } from "../database/statements.ts";
import { ApiError } from "../errors.ts";
import { type DeviceNames, deviceKey } from "./identity.ts";

/** The tags that the service has met, and what is proven of them. */

/** What a tag's certificate proves: a tag with this id speaks v2.1 and has this key. */
export interface TagEvidence {
  /** Key of the device id in the certificate. */
  readonly deviceId: string;
  /** The SubjectPublicKeyInfo (DER), and its hash as base64url. */
  readonly spki: Bytes;
  readonly spkiHash: string;
}

/**
 * The evidence in `tagCertificate` (base64 DER of the tag's leaf, rules §5). A certificate that does not
 * verify to a trusted tag CA that may name its id counts as absent: it proves nothing, and its sender may have read it off a tag
 * of another maker.
 */
export async function tagEvidence(
  ctx: RequestContext,
  tagCertificate: string | undefined,
): Promise<TagEvidence | undefined> {
  if (tagCertificate === undefined) return undefined;
  const { settings } = ctx;
  try {
    const certificate = fromBase64(tagCertificate);
    const [subjectSerialNumber] = readCertificate(certificate).subjectSerialNumbers;
    if (subjectSerialNumber === undefined) return undefined;
    const anchors = rootsFor(trustedTagRoots(settings), trustedTagRootIds(settings), subjectSerialNumber);
    const leaf = await verifyChain({ chain: [certificate], anchors, eku: EKU_TAG, at: new Date(ctx.now) });
    const deviceId = deviceKey(subjectSerialNumber);
    const { spki } = leaf;
    return { deviceId, spki, spkiHash: toBase64Url(await spkiThumbprint(spki)) };
  } catch (error) {
    if (error instanceof PkiError || error instanceof EncodingError) return undefined;
    throw error;
  }
}

/** What is known of a tag; a statement. */
export const readDevice = ({ db }: RequestContext, device: SQL<string | null>) =>
  db
    .select({
      id: devices.id,
      gattVersion: devices.gattVersion,
      tagSpkiHash: devices.tagSpkiHash,
      tagSpki: devices.tagSpki,
      commits: devices.commits,
      spentCommits: devices.spentCommits,
    })
    .from(devices)
    .where(eq(devices.id, device));

export type KnownDevice = Awaited<ReturnType<typeof readDevice>>[number];

/** If the registry is closed, only the tags in it exist. Throws `device_not_found`. */
export function requireRegistered({ settings }: RequestContext, device: KnownDevice | undefined): void {
  if (device === undefined && settings.registry === "closed") throw new ApiError("device_not_found");
}

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
  return (device?.tagSpkiHash ?? evidence.spkiHash) === evidence.spkiHash;
}

/**
 * Keeps what `evidence` proves: statements. Registers the tag if it is not known yet. From then on the tag is
 * known by its serialNumber alone, so names that callers gave it are forgotten.
 */
export const recordEvidence = ({ db, now }: RequestContext, evidence: TagEvidence, label: string) => {
  const { deviceId, spkiHash } = evidence;
  const isOfKey = sql`exists (select 1 from ${devices} where ${devices.id} = ${deviceId}
    and ${devices.tagSpkiHash} = ${spkiHash})`;
  return [
    db
      .insert(devices)
      .values({ id: deviceId, label, registeredAt: now, ...proven(evidence) })
      .onConflictDoUpdate({ target: devices.id, set: proven(evidence), setWhere: isUncontested(evidence) }),
    db.delete(deviceAliases).where(and(eq(deviceAliases.deviceId, deviceId), isOfKey)),
  ];
};

/** No other key is known of the tag, and something is still to be learnt. */
const isUncontested = ({ spkiHash }: TagEvidence): SQL =>
  sql`coalesce(${devices.tagSpkiHash}, ${spkiHash}) = ${spkiHash} and ${devices.tagSpki} is null`;

const proven = ({ spki, spkiHash }: TagEvidence) => ({
  gattVersion: "2.1" as const,
  tagSpkiHash: spkiHash,
  tagSpki: toBase64Url(spki),
  reviewAt: null,
});

interface Registration {
  /** The id that the tag has or will get. */
  readonly device: SQL<string>;
  /** `from … where …`: one row where it may be registered. */
  readonly from: SQL;
  /** Whether whoever attaches it is entitled to the bag, over that row. */
  readonly isEntitled: SQL;
}

/**
 * Registers a tag under the name that counts, unless it is known; and keeps one that somebody entitled has attached as
 * long as one that is used, for which the first time is enough. A statement.
 */
export function registerDevice(
  { db, now, settings }: RequestContext,
  { shown }: DeviceNames,
  { device, from, isEntitled }: Registration,
) {
  const { deviceUnusedSeconds, claimedDeviceSeconds } = settings.limits;
  const isFirst = sql`excluded.entitled_at is not null and ${devices.entitledAt} is null`;
  return insertFrom(
    db,
    devices,
    {
      id: device,
      label: shown,
      spentCommits: 0,
      registeredAt: now,
      entitledAt: sql`case when ${isEntitled} then ${now} end`,
      reviewAt: sql`${now} + case when ${isEntitled} then ${deviceUnusedSeconds * 1_000}
        else ${claimedDeviceSeconds * 1_000} end`,
    },
    from,
  ).onConflictDoUpdate({
    target: devices.id,
    set: {
      entitledAt: now,
      reviewAt: sql`case when ${devices.reviewAt} is not null then excluded.review_at end`,
    },
    setWhere: isFirst,
  });
}

/** What an attachment tells about a tag. */
interface Learnt {
  readonly names: DeviceNames;
  readonly model: DeviceModel;
  readonly evidence: TagEvidence | undefined;
}

/**
 * Keeps what `device` tells about a tag, if `when` holds: its other names that are free, its make, and what
 * its certificate proves. Statements.
 */
export function learnDevice(
  { db }: RequestContext,
  { names, model, evidence }: Learnt,
  { device, when }: { readonly device: SQL<string>; readonly when: SQL },
) {
  const isDevice = eq(devices.id, device);
  const isKnownByCertificate = sql`exists (select 1 from ${devices} where ${isDevice}
    and ${devices.tagSpkiHash} is not null)`;
  const aliases = names.aliases.map((alias) => {
    const isTaken = sql`exists (select 1 from ${devices} where ${devices.id} = ${alias})`;
    const row = { alias, deviceId: device };
    const may = sql`where ${when} and not ${isTaken} and not ${isKnownByCertificate}`;
    return insertFrom(db, deviceAliases, row, may).onConflictDoNothing();
  });
  // Who holds the tag by its own name has its address, too: a lock on a tag of that address must not count for it.
  const own = (names.ownAlias === undefined ? [] : [names.ownAlias]).map((alias) =>
    insertFrom(
      db,
      deviceAliases,
      { alias, deviceId: device },
      sql`where ${when} and not ${isKnownByCertificate}`,
    ).onConflictDoUpdate({ target: deviceAliases.alias, set: { deviceId: sql`excluded.device_id` } }),
  );
  const make = makeOf(model);
  return [
    ...(evidence === undefined
      ? []
      : [
          db
            .update(devices)
            .set(proven(evidence))
            .where(and(isDevice, eq(devices.id, evidence.deviceId), isUncontested(evidence), when)),
        ]),
    ...aliases,
    ...own,
    ...(make === undefined ? [] : [db.update(devices).set({ model: make }).where(and(isDevice, when))]),
  ];
}

/** The parts of a DeviceModel that are about the tag. `phoneMac` is about a person and is not kept. */
function makeOf(model: DeviceModel): Record<string, string | number> | undefined {
  const { ccid, tagName, bagTagModel, batteryPercentage, firmwareVersion, serialNumber } = model;
  const fields = { ccid, tagName, bagTagModel, batteryPercentage, firmwareVersion, serialNumber };
  const said = Object.entries(fields).filter(
    (entry): entry is [string, string | number] => entry[1] !== undefined,
  );
  return said.length === 0 ? undefined : Object.fromEntries(said);
}
