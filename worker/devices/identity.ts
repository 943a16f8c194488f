import { type SQL, sql } from "drizzle-orm";
import type { DeviceModel } from "../../core/api/index.ts";
import { foldDeviceId } from "../../core/pki/tag-roots.ts";
import { deviceAliases, devices } from "../../db/schema.ts";
import { ApiError } from "../errors.ts";

/**
 * One tag under its several names (rules §5, "Device identity"). Names are compared by their keys: trimmed,
 * NFC, lower case. MAC addresses and GUIDs are also compared without their separators. Their keys have
 * a prefix of their own, so that no free text sent as a MAC can pass for the id of another tag.
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
    ...{ uniqueDeviceId, deviceId, aliases },
    ...(uniqueID ? { uniqueID } : {}),
    ...(ownAlias ? { ownAlias } : {}),
  };
}

/**
 * The stored id that `uniqueDeviceId` means, or null. It is an expression, so that
 * finding the tag costs no D1 call of its own (rules §5, "Device identity").
 */
export const knownDeviceId = (uniqueDeviceId: string): SQL<string | null> =>
  firstKnown(lookupKeys(uniqueDeviceId));

function firstKnown(keys: readonly string[]): SQL<string | null> {
  const found = keys.flatMap((key) => [
    sql`(select ${devices.id} from ${devices} where ${devices.id} = ${key})`,
    ...aliased(key).map((alias) => sql`(${alias})`),
  ]);
  // With a null to fall back on: coalesce takes two at least.
  return sql<string | null>`coalesce(${sql.join(found, sql`, `)}, null)`;
}

/** The tag with the alias `key`; no select for a key that is no address, as most device ids are. */
const aliased = (key: string): SQL[] =>
  isAddress(key)
    ? [sql`select ${deviceAliases.deviceId} from ${deviceAliases} where ${deviceAliases.alias} = ${key}`]
    : [];

/**
 * Every row that `uniqueDeviceId` can mean: a subselect of ids. A lock on any of them counts. A tag that a
 * certificate has proven is its own row and no other: a caller who claims its MAC for another tag gains nothing.
 */
export function rowsNamed(uniqueDeviceId: string): SQL {
  const [id, hardware] = lookupKeys(uniqueDeviceId);
  const isProven = sql`exists (select 1 from ${devices} where ${devices.id} = ${id}
    and ${devices.tagSpkiHash} is not null)`;
  return joined([
    sql`select ${devices.id} from ${devices} where ${devices.id} = ${id}`,
    sql`select ${devices.id} from ${devices} where ${devices.id} = ${hardware} and not ${isProven}`,
    ...aliased(hardware).map((alias) => sql`${alias} and not ${isProven}`),
  ]);
}

const joined = (selects: readonly SQL[]) => sql`(${sql.join([...selects], sql` union all `)})`;
