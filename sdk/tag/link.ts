import type { Bytes } from "../../core/encoding/bytes.ts";
import { GENERIC_ATTRIBUTE, PROFILE } from "../../core/gatt/profile.ts";

/**
 * The layer below tags: one radio, its devices, and bytes to and from characteristics. It knows nothing of
 * tags' messages, of sessions or of the service.
 */

/** A characteristic's properties in the GATT table; `write` is the write with response. */
export interface CharacteristicProperties {
  readonly read: boolean;
  readonly write: boolean;
  readonly writeWithoutResponse?: boolean;
  readonly notify: boolean;
}

/**
 * One connection to one device, dead for good once it fell: its users get `link_lost` and can
 * never touch the handles of a later connection. Operations queue up; one is in flight at a time. Each has 8
 * s. If it takes longer, or is cancelled in flight, the connection is closed, because an operation cannot be
 * withdrawn.
 */
export interface TagConnection {
  readonly open: boolean;
  /** Milliseconds of `performance.now()`. */
  readonly openedAt: number;
  /** Whether the tag service has this characteristic. */
  has(uuid: string): boolean;
  /** Properties of a characteristic of the tag service; undefined where the tag does not have it. */
  properties(uuid: string): CharacteristicProperties | undefined;
  /** Throws {@link BluetoothError} `link_lost`, `timeout`, `operation_refused`, `not_a_tag`, `link_busy`; or `cancelled`. */
  read(uuid: string, signal: AbortSignal): Promise<Bytes>;
  /**
   * Writes with response; at most 512 bytes. Throws as {@link read} does. `goesOn`: another write follows at once, so that
   * this one needs no response of its own where tag and platform are safe without.
   */
  write(uuid: string, value: Bytes, signal: AbortSignal, goesOn?: boolean): Promise<void>;
  /** Whether a write that says `goesOn` goes without response: tag and platform are safe without. */
  sparesResponses?(uuid: string): boolean;
  /** Closes the connection. Idempotent, immediate. */
  close(): void;
}

/** A device the person chose. */
export interface TagLink {
  readonly deviceId: string;
  readonly name: string;
  /**
   * Connects and discovers. A device from an earlier visit must advertise first: it has at most 5 s. Failures
   * that are common at first are retried silently, never with a second chooser. Throws {@link BluetoothError}
   * `out_of_reach`, `not_a_tag`, `permission_refused`; or `cancelled`.
   */
  connect(signal: AbortSignal, onRetry: () => void): Promise<TagConnection>;
}

export interface TagRadio {
  /**
   * Opens the chooser; if an id is given, only for tags with that id's name. Needs a tap. Throws
   * {@link BluetoothError}, or `cancelled` when it was closed.
   */
  choose(uniqueDeviceId: string | undefined, signal: AbortSignal): Promise<TagLink>;
  /** A device chosen before (also in an earlier visit where the browser remembers). */
  find(deviceId: string): Promise<TagLink | undefined>;
  /** Every device chosen before, as far as the browser remembers; none where it does not. */
  remembered(): Promise<readonly TagLink[]>;
}

/** Platforms that give out services one by one must be asked for these, too. */
export const OPTIONAL_SERVICES = [
  PROFILE.battery.service,
  PROFILE.deviceInformation.service,
  // Only conformance reads it, and many systems show it to no app.
  GENERIC_ATTRIBUTE.service,
] as const;

/** What a radio must know of tags. UUIDs are lower case, of 128 bits with dashes. */
export const TAG_PROFILE = {
  /** The service that every tag advertises: the filter of a scan or of a chooser. */
  service: PROFILE.service,
  /** The characteristics of that service, by name. A v2.0 tag has no SEC. */
  characteristics: PROFILE.characteristics,
  /** Battery, Device Information, Generic Attribute: platforms that give out services one by one must be asked for these too. */
  optionalServices: OPTIONAL_SERVICES,
} as const;
