import { type GattVersion, PROFILE } from "../../core/gatt/profile.ts";
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
  ];
}

function rows(
  table: Readonly<Partial<Record<TagCharacteristicName, Omit<GattCharacteristic, "name">>>>,
): GattCharacteristic[] {
  return (Object.keys(table) as TagCharacteristicName[]).flatMap((name) => {
    const row = table[name];
    return row === undefined ? [] : [{ name, ...row }];
  });
}
