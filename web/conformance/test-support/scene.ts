/** A tag on the desk with everybody it knows: what a run of the checks needs, without page and service. */
import type { GattVersion } from "../../../core/gatt/profile.ts";
import { webBluetoothRadio } from "../../sdk/ble/web-bluetooth-link.ts";
import { fakeBluetooth } from "../../sim/fake-bluetooth.ts";
import { realTimeWorld } from "../../sim/real-time-world.ts";
import { TagSimulator } from "../../sim/tag-simulator.ts";
import type { TagConfig, TagWorld, VirtualTag } from "../../sim/tag-types.ts";
import { NOW, type Parties, parties, TAG_ID } from "../../sim/test-support/parties.ts";
import { CHECKS, type CheckId } from "../checks.ts";
import type { Bench } from "../probe.ts";
import { type CheckResult, runChecks } from "../runner.ts";
import { makeThrowAway, type ThrowAway } from "../throw-away.ts";
import type { Outcome } from "../types.ts";

/** How much faster a tag's waits are than in the world: whoever waits for them is a test. */
const HASTE = { waits: 20, clock: 60 } as const;

/** Short waits pass faster, and the clock runs faster, so that the message_1 allowance refills within the test. */
export function hastyWorld(): TagWorld {
  const world = realTimeWorld();
  return {
    ...world,
    now: () => world.now() * HASTE.clock,
    after: (milliseconds, action) =>
      world.after(milliseconds <= 5_000 ? milliseconds / HASTE.waits : milliseconds, action),
  };
}

export interface Scene {
  readonly people: Parties;
  readonly throwAway: ThrowAway;
}

export async function scene(): Promise<Scene> {
  const [people, throwAway] = await Promise.all([parties(), makeThrowAway(NOW)]);
  return { people, throwAway };
}

export const V20_ID = "ebt-20-0001";

/** A blank tag of the scene, as good as its simulator. */
export function tagOf(
  { people }: Scene,
  generation: GattVersion,
  changes: Partial<TagConfig> = {},
  world: TagWorld = hastyWorld(),
): Promise<TagSimulator> {
  const { clients, tokens, credential } = people;
  const own = generation === "2.1" ? { id: TAG_ID, credential } : { id: V20_ID };
  const trust = { clientRoots: [clients.root], tokenKeys: tokens.keys };
  return TagSimulator.create({ generation, displayMs: 40, ...trust, ...own, ...changes }, world);
}

/** Everything a run needs; the service permits what it is asked. */
export async function benchOf({ people, throwAway }: Scene, tag: VirtualTag): Promise<Bench> {
  const radio = webBluetoothRadio(() => fakeBluetooth([tag], async () => tag));
  return {
    link: await radio.choose(undefined, new AbortController().signal),
    credential: people.client,
    tagRoots: [people.tags.root],
    throwAway,
    pause: 100,
    permit: ({ deviceId, generation, ...claims }) =>
      people.tokens.sign({ aud: deviceId, version: generation, ...claims }),
  };
}

export async function run(bench: Bench, optional = true, signal = new AbortController().signal) {
  const ignore = () => undefined;
  return runChecks(CHECKS, bench, { signal, optional, onTag: ignore, onStart: ignore, onResult: ignore });
}

export function idsOf(results: readonly CheckResult[], outcome: Outcome): CheckId[] {
  return results.filter((result) => result.outcome === outcome).map(({ id }) => id);
}

/** For messages of failing tests. */
export function report(results: readonly CheckResult[]): string {
  return results
    .map(({ id, outcome, seen, took }) => `${id} ${outcome} ${seen.join(" ")} (${took})`)
    .join("\n");
}
