import { type SQL, sql } from "drizzle-orm";
import { deviceAliases, devices } from "../../db/schema.ts";
import { type DeviceNames, lookupKeys } from "./identity.ts";

/**
 * The id under which the service knows the tag a caller calls `uniqueDeviceId`, or null: an expression, so that
 * finding the tag costs no round trip of its own (rules §5, "Device identity").
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
