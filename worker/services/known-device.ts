import { type SQL, sql } from "drizzle-orm";
import { deviceAliases, devices } from "../../db/schema.ts";
import { lookupKeys } from "./device-identity.ts";

/**
 * The id under which the service knows the tag a caller calls `uniqueDeviceId`, or null: an expression, so that
 * finding the tag costs no round trip of its own (decisions §5, "Device identity").
 */
export function knownDeviceId(uniqueDeviceId: string): SQL<string | null> {
  const found = lookupKeys(uniqueDeviceId).flatMap((key) => [
    sql`(select ${devices.id} from ${devices} where ${devices.id} = ${key})`,
    sql`(select ${deviceAliases.deviceId} from ${deviceAliases} where ${deviceAliases.alias} = ${key})`,
  ]);
  return sql<string | null>`coalesce(${sql.join(found, sql`, `)})`;
}
