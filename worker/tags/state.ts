import type { LockEvidence } from "../../core/api/events.ts";
import type { AuditedEvent, LockEnd } from "../../core/api/index.ts";
import { storedLabel } from "../../db/schema.ts";
import { type DeviceNames, deviceKey, hardwareKey, isKeyKnown, NO_KEY } from "../devices/identity.ts";
import type { Device, Lock } from "./facts.ts";

/** What a request may change, and the few ways in which it does. Pure: every function returns a new state. */

export interface State {
  readonly devices: Readonly<Record<string, Device>>;
  /** By device; rows past their end included. */
  readonly locks: Readonly<Record<string, Lock>>;
  /** Devices by the key of each further name. */
  readonly aliases: Readonly<Record<string, string>>;
  /** Devices that a certificate has proven: their id is their only name from now on. */
  readonly devicesWithoutAliases: readonly string[];
  /** Devices whose lock row is deleted before any other is written, and with it what hangs on it. */
  readonly removed: readonly string[];
  /** Those of them whose lock no holder has ended: its holders are notified. */
  readonly takenAway: readonly string[];
  /** Devices whose found reports and location link are deleted. */
  readonly reunited: readonly string[];
  /** Devices whose failed guesses are forgotten, because their lock has ended. */
  readonly clearedGuesses: readonly string[];
  /** Clears that found no lock, to store. */
  readonly clears: readonly Clear[];
  readonly audit: readonly AuditRow[];
}

/** A clear that found no lock: an attachment of the same person or booking from before it is late. */
export interface Clear {
  /** Key of the device id. */
  readonly deviceId: string;
  readonly sub: string;
  /** The booking of the bag named, if the caller has loaded it. */
  readonly planId: string | null;
  /** Hex, of the token that cleared the tag. */
  readonly cti: string;
  readonly clearedAt: number;
  readonly endsAt: number;
}

/** The actor of an audit row. */
export interface Actor {
  readonly sub: string | null;
  readonly clientId: string | null;
  readonly staffId?: string | null;
}

export interface AuditRow extends Actor {
  readonly event: AuditedEvent;
  readonly deviceId: string;
  readonly airline?: string | null;
  readonly reason?: string | null;
  readonly journeyId?: string;
  readonly baggageId?: number;
  readonly licencePlate?: string | null;
  readonly evidence?: LockEvidence;
}

interface Rows {
  readonly devices: readonly Device[];
  readonly locks: readonly Lock[];
  readonly aliases: readonly { readonly alias: string; readonly deviceId: string }[];
}

export const stateOf = ({ devices, locks, aliases }: Rows): State => ({
  devices: Object.fromEntries(devices.map((device) => [device.id, device])),
  locks: Object.fromEntries(locks.map((lock) => [lock.deviceId, lock])),
  aliases: Object.fromEntries(aliases.map(({ alias, deviceId }) => [alias, deviceId])),
  devicesWithoutAliases: [],
  removed: [],
  takenAway: [],
  reunited: [],
  clearedGuesses: [],
  clears: [],
  audit: [],
});

export const withDevice = (state: State, device: Device): State => ({
  ...state,
  devices: { ...state.devices, [device.id]: device },
});

export const withLock = (state: State, lock: Lock): State => ({
  ...state,
  locks: { ...state.locks, [lock.deviceId]: lock },
});

export function withoutLock(state: State, deviceId: string): State {
  const { [deviceId]: _removed, ...locks } = state.locks;
  return { ...state, locks, removed: [...state.removed, deviceId] };
}

export const audited = (state: State, row: AuditRow): State => ({ ...state, audit: [...state.audit, row] });

/** The evidence behind a lock. */
const evidenceOf = ({ entitled, commits }: Lock): LockEvidence =>
  entitled ? (commits === null ? "entitled" : "proven") : commits === null ? "claimed" : "confirmed";

/** A row about a lock, for the airline of its booking. */
export const auditedLock = (
  state: State,
  event: AuditedEvent,
  lock: Lock,
  { actor, reason = null }: { readonly actor: Actor; readonly reason?: string | null },
): State =>
  audited(state, {
    ...{
      event,
      ...actor,
      reason,
      deviceId: lock.deviceId,
      airline: lock.airline,
      evidence: evidenceOf(lock),
    },
    journeyId: lock.journeyId,
    baggageId: lock.baggageId,
    licencePlate: lock.licencePlate,
  });

/** The number that proved a lock proves nothing once the lock has ended. */
export function withSpentNumber(state: State, { deviceId, commits }: Lock): State {
  const device = state.devices[deviceId];
  if (device === undefined || commits === null || commits <= device.spentCommits) return state;
  return withDevice(state, { ...device, spentCommits: commits });
}

/** How a lock ends before its time. */
export interface Ending {
  readonly event: AuditedEvent;
  readonly end: LockEnd;
  readonly actor: Actor;
  readonly now: number;
  /** So long, a claim that ends does not replace what the holder before it has still to learn. */
  readonly claimSeconds: number;
  /** The `cti` (hex) of the token that cleared the tag, where one did. */
  readonly cti?: string | undefined;
  readonly reason?: string | null;
}

/** The one way in which a lock ends before its time (rules §5): audit row, number, notice, guesses, row. */
export function endLock(state: State, lock: Lock, ending: Ending): State {
  const { event, end, now, claimSeconds, cti } = ending;
  const spent = withSpentNumber(auditedLock(state, event, lock, ending), lock);
  const device = spent.devices[lock.deviceId];
  const isNotified = lock.entitled || device?.endedAt == null || device.endedAt <= now - claimSeconds * 1_000;
  const notified =
    device && isNotified
      ? withDevice(spent, {
          ...device,
          endedHolderSub: lock.holderSub,
          endedPlanId: lock.planId,
          endedReason: end,
          endedAt: now,
          endedCti: cti ?? lock.cti,
        })
      : spent;
  const ended = withoutLock(notified, lock.deviceId);
  return {
    ...ended,
    takenAway: end === "holder" ? ended.takenAway : [...ended.takenAway, lock.deviceId],
    clearedGuesses: [...ended.clearedGuesses, lock.deviceId],
  };
}

/** A device that is stored for the first time. */
export const newDevice = (deviceId: string, uniqueDeviceId: string, registeredAt: number): Device => ({
  ...{
    id: deviceId,
    label: storedLabel(deviceId, uniqueDeviceId),
    registeredAt,
    spentCommits: 0,
    commits: null,
    model: null,
  },
  gattVersion: null,
  ...NO_KEY,
  entitledAt: null,
  reviewAt: null,
  endedHolderSub: null,
  endedPlanId: null,
  endedReason: null,
  endedAt: null,
  endedCti: null,
});

/** The device that `uniqueDeviceId` names: the first of its names that is stored (rules §5, "Device identity"). */
export function deviceNamed({ devices, aliases }: State, uniqueDeviceId: string): Device | undefined {
  const hardware = hardwareKey(uniqueDeviceId);
  return devices[deviceKey(uniqueDeviceId)] ?? devices[hardware] ?? devices[aliases[hardware] ?? ""];
}

/**
 * Every device that `uniqueDeviceId` can mean: a lock on any of them counts. A tag that a certificate has proven is its own
 * row and no other.
 */
export function devicesNamed({ devices, aliases }: State, uniqueDeviceId: string): readonly Device[] {
  const hardware = hardwareKey(uniqueDeviceId);
  const own = devices[deviceKey(uniqueDeviceId)];
  if (own !== undefined && isKeyKnown(own)) return [own];
  return distinct([own, devices[hardware], devices[aliases[hardware] ?? ""]]);
}

/** The same for the names that endpoint 9 gives: a GUID or MAC alone names no uniqueID's row. */
export function devicesOf(state: State, { deviceId, uniqueID }: DeviceNames): readonly Device[] {
  if (uniqueID !== undefined) return devicesNamed(state, uniqueID);
  return distinct([state.devices[deviceId], state.devices[state.aliases[deviceId] ?? ""]]);
}

/** The device that endpoint 9 locks, if it is stored. */
export const deviceOf = (
  { devices, aliases }: State,
  { deviceId, uniqueID }: DeviceNames,
): Device | undefined =>
  devices[deviceId] ?? (uniqueID === undefined ? devices[aliases[deviceId] ?? ""] : undefined);

const distinct = (found: readonly (Device | undefined)[]) => [
  ...new Set(found.filter((device) => device !== undefined)),
];

/** The live locks of `devices` at `now` (milliseconds). */
export const liveLocks = (state: State, devices: readonly Device[], now: number): readonly Lock[] =>
  devices
    .map(({ id }) => state.locks[id])
    .filter((lock) => lock !== undefined && lock.endsAt > now) as Lock[];
