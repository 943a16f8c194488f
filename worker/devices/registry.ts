import { and, eq, isNull, type SQL, sql } from "drizzle-orm";
import type { DeviceModel } from "../../core/api/index.ts";
import { deviceAliases, devices } from "../../db/schema.ts";
import type { RequestContext } from "../context.ts";
import { ApiError } from "../errors.ts";
import type { TagEvidence } from "./evidence.ts";
import type { DeviceNames } from "./identity.ts";

/** The tags the service has met, and what is proven of them. */

/** What is known of a tag; a statement. */
export const readDevice = ({ db }: RequestContext, device: SQL<string | null>) =>
  db
    .select({ id: devices.id, gattVersion: devices.gattVersion, tagSpkiHash: devices.tagSpkiHash })
    .from(devices)
    .where(eq(devices.id, device));

export type KnownDevice = Awaited<ReturnType<typeof readDevice>>[number];

/** Where the registry is closed only tags in it exist. Throws `device_not_found`. */
export function requireRegistered({ settings }: RequestContext, device: KnownDevice | undefined): void {
  if (device === undefined && settings.registry === "closed") throw new ApiError("device_not_found");
}

/**
 * Whether `evidence` is about the tag the caller means, and says no other key than what is already proven: a second
 * key for one tag takes an operator's import. `key` is what the caller's name for an unknown tag is compared by.
 */
export function provesV21(
  evidence: TagEvidence | undefined,
  device: KnownDevice | undefined,
  key: string,
): evidence is TagEvidence {
  if (evidence === undefined || evidence.deviceId !== (device?.id ?? key)) return false;
  return (device?.tagSpkiHash ?? evidence.spkiHash) === evidence.spkiHash;
}

/** Keeps what `evidence` proves: a statement. Registers the tag where it is not yet known. */
export const recordEvidence = ({ db, now }: RequestContext, evidence: TagEvidence, label: string) => {
  const row = { id: evidence.deviceId, label, registeredAt: now, ...proven(evidence) };
  return db
    .insert(devices)
    .values(row)
    .onConflictDoUpdate({
      target: devices.id,
      set: proven(evidence),
      setWhere: sql`${devices.tagSpkiHash} is null`,
    });
};

const proven = ({ spkiHash }: TagEvidence) => ({
  gattVersion: "2.1" as const,
  tagSpkiHash: spkiHash,
  reviewAt: null,
});

/** Registers a tag under the name that counts, unless it is `known`: a statement. */
export const registerDevice = (
  { db, now, settings }: RequestContext,
  { key, shown }: DeviceNames,
  { known, when }: { readonly known: SQL<string | null>; readonly when: SQL | undefined },
) =>
  db
    .insert(devices)
    .select(
      sql`select ${key}, ${shown}, null, null, null, ${now}, ${now + settings.limits.deviceUnusedSeconds * 1_000}
        where ${known} is null and ${when}`,
    )
    .onConflictDoNothing();

/** What an attachment says of a tag. */
interface Learnt {
  readonly names: DeviceNames;
  readonly model: DeviceModel;
  readonly evidence: TagEvidence | undefined;
}

/**
 * Keeps what is learnt of `device` if `when` holds: its other names as far as they are free, its make, and what its
 * certificate proves. Statements.
 */
export function learnDevice(
  { db }: RequestContext,
  { names, model, evidence }: Learnt,
  { device, when }: { readonly device: SQL<string>; readonly when: SQL },
) {
  const isDevice = eq(devices.id, device);
  const aliases = names.keys.slice(1).map((alias) => {
    const isTaken = sql`exists (select 1 from ${devices} where ${devices.id} = ${alias})`;
    return db
      .insert(deviceAliases)
      .select(sql`select ${alias}, ${device} where ${when} and not ${isTaken}`)
      .onConflictDoNothing();
  });
  const make = makeOf(model);
  return [
    ...aliases,
    ...(make === undefined ? [] : [db.update(devices).set({ model: make }).where(and(isDevice, when))]),
    ...(evidence === undefined
      ? []
      : [
          db
            .update(devices)
            .set(proven(evidence))
            .where(and(isDevice, eq(devices.id, evidence.deviceId), isNull(devices.tagSpkiHash), when)),
        ]),
  ];
}

/** The parts of a DeviceModel that are about the tag; `phoneMac` is about a person and not kept. */
function makeOf(model: DeviceModel): Record<string, string | number> | undefined {
  const { ccid, tagName, bagTagModel, batteryPercentage, firmwareVersion, serialNumber } = model;
  const fields = { ccid, tagName, bagTagModel, batteryPercentage, firmwareVersion, serialNumber };
  const said = Object.entries(fields).filter(
    (entry): entry is [string, string | number] => entry[1] !== undefined,
  );
  return said.length === 0 ? undefined : Object.fromEntries(said);
}
