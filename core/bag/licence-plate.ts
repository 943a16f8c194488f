import { BagError } from "./errors.ts";

/**
 * The ten-digit licence plate `L CCC SSSSSS` of a bag (IATA Resolution 740, Resolution 751 on interline): leading
 * digit, numeric code of the issuing carrier, serial. There is no check digit, and serials recycle: a plate
 * identifies a bag only together with the flight date.
 */
export interface LicencePlate {
  /** All ten digits, as barcode and tag carry them. */
  readonly digits: string;
  /** 0 interline or online, 1 fallback, 2 rush, 3–9 for the carrier's own use. */
  readonly leading: number;
  /** Three digits: 117 is SK, 220 is LH. */
  readonly carrier: string;
  /** Six digits. */
  readonly serial: string;
}

/** What readers report when they read no plate; never the plate of a bag. */
const UNREAD = "0000000000";

/** The parts of `text`; throws {@link BagError} `LICENCE_PLATE` unless it is ten ASCII digits and not all zero. */
export function parseLicencePlate(text: string): LicencePlate {
  if (!isLicencePlate(text)) throw new BagError("LICENCE_PLATE", "not a ten-digit licence plate");
  return { digits: text, leading: Number(text[0]), carrier: text.slice(1, 4), serial: text.slice(4) };
}

/** Whether `text` is a licence plate a bag may carry. */
export function isLicencePlate(text: string): boolean {
  return /^[0-9]{10}$/.test(text) && text !== UNREAD;
}

/** The plate made of `parts`; throws {@link BagError} `LICENCE_PLATE` where they do not fit. */
export function formatLicencePlate(parts: Omit<LicencePlate, "digits">): LicencePlate {
  const plate = parseLicencePlate(`${parts.leading}${parts.carrier}${parts.serial}`);
  // A long part must not make up for a short one.
  if (plate.carrier !== parts.carrier) throw new BagError("LICENCE_PLATE", "parts of the wrong length");
  return plate;
}
