import { type SQL, sql } from "drizzle-orm";
import type { DeviceModel } from "../../core/api/index.ts";
import { deviceKey } from "../../db/lookup-keys.ts";
import { deviceAliases, devices } from "../../db/schema.ts";

/**
 * One tag under its several names (rules §5, "Device identity"). Names are compared by their keys: trimmed,
 * NFC, lower case. MAC addresses and GUIDs are also compared without their separators. Their keys are kept
 * apart from those of device ids, so that no free text given as a MAC can pass for the id of another tag.
 */

export { deviceKey };

/** Key of a MAC address or GUID. */
export const hardwareKey = (address: string) => `hw:${deviceKey(address).replace(/[:-]/g, "")}`;

/** The keys that a caller may have meant by `uniqueDeviceId`; the first known one counts. */
export const lookupKeys = (uniqueDeviceId: string): readonly [id: string, hardware: string] => [
  deviceKey(uniqueDeviceId),
  hardwareKey(uniqueDeviceId),
];

/** The names that endpoint 9 gives for a tag. */
export interface DeviceNames {
  /** The name that counts, as sent: uniqueID, else guid, else mac. */
  readonly shown: string;
  /** The uniqueID as sent, where that is the name that counts. */
  readonly uniqueID?: string;
  /** Its key, under which a new device is registered. */
  readonly key: string;
  /**
   * Keys of all the names sent, starting with the one that counts; the others become aliases if they are
   * free.
   */
  readonly keys: readonly string[];
}

/** The names in `device`, or undefined where all of them are blank or absent. */
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
 * The id under which the service knows the caller's `uniqueDeviceId`, or null. It is an expression, so that
 * finding the tag costs no D1 call of its own (rules §5, "Device identity").
 */
export const knownDeviceId = (uniqueDeviceId: string): SQL<string | null> =>
  firstKnown(lookupKeys(uniqueDeviceId));

/**
 * The same for the tag that endpoint 9 names: the name that counts decides alone. A uniqueID is found as
 * lookups find it; a GUID or MAC only among GUIDs and MACs.
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
