import { type Bytes, utf8 } from "../../core/encoding/bytes.ts";
import { type GattVersion, GENERIC_ATTRIBUTE, PROFILE } from "../../core/gatt/profile.ts";
import type { GattCharacteristic, GattService, TagCharacteristicName } from "./tag-types.ts";

/** The services of a tag; SEC is present exactly when it speaks v2.1. */
export function tagServices(generation: GattVersion): readonly GattService[] {
  const tag = rows(PROFILE.characteristics).filter(({ name }) => name !== "SEC" || generation === "2.1");
  return [
    { uuid: PROFILE.service, characteristics: tag },
    { uuid: PROFILE.battery.service, characteristics: rows(PROFILE.battery.characteristics) },
    {
      uuid: PROFILE.deviceInformation.service,
      characteristics: rows(PROFILE.deviceInformation.characteristics),
    },
    {
      uuid: GENERIC_ATTRIBUTE.service,
      characteristics: rows(GENERIC_ATTRIBUTE.characteristics),
    },
  ];
}

/**
 * 16 bytes that change with the table. Not AES-CMAC (Core, Vol 3, Part G, §7.3): a table without handles has no such
 * value, and a central only compares it with the one before.
 */
export async function databaseHash(services: readonly GattService[]): Promise<Bytes> {
  const digest = await crypto.subtle.digest("SHA-256", utf8(JSON.stringify(services)));
  return new Uint8Array(digest, 0, 16);
}

function rows(
  table: Readonly<Partial<Record<TagCharacteristicName, Omit<GattCharacteristic, "name">>>>,
): GattCharacteristic[] {
  return (Object.keys(table) as TagCharacteristicName[]).flatMap((name) => {
    const row = table[name];
    return row === undefined ? [] : [{ name, ...row }];
  });
}
