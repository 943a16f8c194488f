import type { DeviceAttachmentRequest } from "../../core/api/index.ts";
import type { Attempt } from "./attempt.ts";
import { deviceOf, type State, withDevice } from "./state.ts";
import { withEvidence } from "./tag-statement.ts";

type DeviceModel = DeviceAttachmentRequest["device"];

/**
 * What an accepted attachment stores of the tag: what its certificate proves, other names that are free, its make. Accepted
 * ones alone, because each name is a row.
 */
export function learnDevice(attempt: Attempt, before: State, model: DeviceModel): State {
  const { names, caller, report } = attempt;
  const { evidence } = report;
  const id = deviceOf(before, names)?.id;
  if (id === undefined) return before;
  const proven =
    evidence?.deviceId === id
      ? withEvidence(before, evidence, { label: names.shown, now: caller.now })
      : before;
  return withNames(attempt, withMake(proven, id, model), id);
}

function withMake(state: State, id: string, model: DeviceModel): State {
  const device = state.devices[id];
  const make = makeOf(model);
  if (device === undefined || make === undefined) return state;
  const isKnown = JSON.stringify(make) === JSON.stringify(device.model);
  return isKnown ? state : withDevice(state, { ...device, model: make });
}

/** A tag that a certificate has proven has its id alone. */
function withNames({ names }: Attempt, state: State, id: string): State {
  if (state.devices[id]?.tagSpkiHash !== null) return state;
  const free = names.aliases.filter((alias) => !(alias in state.aliases) && !(alias in state.devices));
  // Its own address is always its own, so that no lock on a tag of that address counts for it.
  const own = names.ownAlias === undefined ? [] : [names.ownAlias];
  const added = [...free, ...own].map((alias) => [alias, id] as const);
  return added.length === 0
    ? state
    : { ...state, aliases: { ...state.aliases, ...Object.fromEntries(added) } };
}

/** The parts of a DeviceModel that are about the tag. `phoneMac` is about a person and is not stored. */
function makeOf(model: DeviceModel): Record<string, string | number> | undefined {
  const { ccid, tagName, bagTagModel, batteryPercentage, firmwareVersion, serialNumber } = model;
  const fields = { ccid, tagName, bagTagModel, batteryPercentage, firmwareVersion, serialNumber };
  const given = Object.entries(fields).filter(
    (entry): entry is [string, string | number] => entry[1] !== undefined,
  );
  return given.length === 0 ? undefined : Object.fromEntries(given);
}
