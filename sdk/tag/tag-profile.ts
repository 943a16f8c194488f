import { PROFILE } from "../../core/gatt/profile.ts";

/** Platforms that give out services one by one must be asked for these, too. */
export const OPTIONAL_SERVICES = [PROFILE.battery.service, PROFILE.deviceInformation.service] as const;

/** What a radio must know of tags. UUIDs are lower case, of 128 bits with dashes. */
export const TAG_PROFILE = {
  /** The service that every tag advertises: the filter of a scan or of a chooser. */
  service: PROFILE.service,
  /** The characteristics of that service, by name. A v2.0 tag has no SEC. */
  characteristics: PROFILE.characteristics,
  /** Battery and Device Information: platforms that give out services one by one must be asked for these too. */
  optionalServices: OPTIONAL_SERVICES,
} as const;
