import { type SQL, sql } from "drizzle-orm";
import type { DeviceModel } from "../../core/api/index.ts";
import { deviceKey } from "../../db/lookup-keys.ts";
import { deviceAliases, devices } from "../../db/schema.ts";

/**
 * One tag under its several names (rules §5, "Device identity"). A key is what names are compared by: trimmed,
 * NFC, lower case. MAC addresses and GUIDs are compared without their separators as well, and their keys live apart
 * from those of device ids, so that no free text given as a MAC can pass for the id of another tag.
 */

export { deviceKey };

/** Key of a MAC address or GUID. */
export const hardwareKey = (address: string) => `hw:${deviceKey(address).replace(/[:-]/g, "")}`;

/** The keys under which a caller may have meant `uniqueDeviceId`; the first that is known counts. */
export const lookupKeys = (uniqueDeviceId: string): readonly [id: string, hardware: string] => [
  deviceKey(uniqueDeviceId),
  hardwareKey(uniqueDeviceId),
];

/** What endpoint 9 says a tag is called. */
export interface DeviceNames {
  /** The name that counts, as sent: uniqueID, else guid, else mac. */
  readonly shown: string;
  /** The uniqueID as sent, where that is the name that counts. */
  readonly uniqueID?: string;
  /** Its key; a device nobody knows yet is registered under it. */
  readonly key: string;
  /** Keys of all the names sent, the one that counts first; the others become aliases while they are free. */
  readonly keys: readonly string[];
}

/** The names in `device`, or undefined where it has none that is not blank. */
export function deviceNames(device: DeviceModel): DeviceNames | undefined {
  const present = (name: string | undefined) => (name?.trim() ? name : undefined);
  const uniqueID = present(device.uniqueID);
  const guid = present(device.guid);
  const mac = present(device.mac);
  const shown = uniqueID ?? guid ?? mac;
  if (shown === undefined) return undefined;
  const keys = [
    ...(uniqueID ? [deviceKey(uniqueID)] : []),
    ...[guid, mac].flatMap((address) => (address ? [hardwareKey(address)] : [])),
  ];
  return { shown, ...(uniqueID ? { uniqueID } : {}), key: keys[0] as string, keys };
}

/**
 * The id under which the service knows the tag a caller calls `uniqueDeviceId`, or null: an expression, so that
 * finding the tag costs no D1 call of its own (rules §5, "Device identity").
 */
export const knownDeviceId = (uniqueDeviceId: string): SQL<string | null> =>
  firstKnown(lookupKeys(uniqueDeviceId));

/**
 * The same for the tag endpoint 9 names: the name that counts decides alone. A uniqueID is found as lookups find it;
 * a GUID or MAC only among GUIDs and MACs.
 */
export const namedDeviceId = ({ key, uniqueID }: DeviceNames): SQL<string | null> =>
  firstKnown(uniqueID === undefined ? [key] : lookupKeys(uniqueID));

function firstKnown(keys: readonly string[]): SQL<string | null> {
  const found = keys.flatMap((key) => [
    sql`(select ${devices.id} from ${devices} where ${devices.id} = ${key})`,
    sql`(select ${deviceAliases.deviceId} from ${deviceAliases} where ${deviceAliases.alias} = ${key})`,
  ]);
  return sql<string | null>`coalesce(${sql.join(found, sql`, `)})`;
}
