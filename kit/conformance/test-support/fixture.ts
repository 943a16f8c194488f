import { payloadDigest } from "../../../core/bag/payload.ts";
import { equalBytes } from "../../../core/encoding/bytes.ts";
import { type GattVersion, TAG_TIMER } from "../../../core/gatt/profile.ts";
import { webBluetoothRadio } from "../../../sdk/tag/web-bluetooth-link.ts";
import { fakeBluetooth } from "../../../sim/radio/fake-bluetooth.ts";
import { TagSimulator } from "../../../sim/tag/tag-simulator.ts";
import type { TagConfig, TagWorld, VirtualTag } from "../../../sim/tag/tag-types.ts";
import { NOW, type Parties, parties, TAG_ID } from "../../../sim/test-support/parties.ts";
import { type LeapingWorld, leapingWorld, restedWhenSpent } from "../../../sim/test-support/virtual-time.ts";
import { CHECKS, type CheckId } from "../checks.ts";
import { CLEAR_BYTES } from "../desk.ts";
import type { Bench } from "../probe.ts";
import { type CheckResult, runChecks } from "../runner.ts";
import { makeThrowAway, type ThrowAway } from "../throw-away.ts";
import { type CheckOutcome, NotPermitted } from "../types.ts";

/** A tag on the desk with all parties it knows: what a run of the checks needs, without page and service. */

/** How many times sooner than other tags these give up a held read: only tests wait for it. */
const HASTE = 10;

/** Only held reads are shorter: a slow machine must have the time that a client has. */
export function hastyWorld(): LeapingWorld {
  const world = leapingWorld();
  return {
    ...world,
    after: (milliseconds, action) =>
      world.after(milliseconds === TAG_TIMER.deferredRead ? milliseconds / HASTE : milliseconds, action),
  };
}

export interface Fixture {
  readonly people: Parties;
  readonly throwAway: ThrowAway;
}

export async function fixture(): Promise<Fixture> {
  const [people, throwAway] = await Promise.all([parties(), makeThrowAway(NOW)]);
  return { people, throwAway };
}

export const V20_ID = "ebt-20-0001";

/** A blank tag of the fixture, with all the behaviour of its simulator, which is rested when its allowance is spent. */
export async function tagOf(
  here: Fixture,
  generation: GattVersion,
  changes: Partial<TagConfig> = {},
  world: LeapingWorld = hastyWorld(),
): Promise<TagSimulator> {
  return restedWhenSpent(await slowTagOf(here, generation, changes, world), world);
}

/** The same in any world, with the allowance of a real one. */
export function slowTagOf(
  { people }: Fixture,
  generation: GattVersion,
  changes: Partial<TagConfig>,
  world: TagWorld,
): Promise<TagSimulator> {
  const { clients, tokens, credential } = people;
  const own = generation === "2.1" ? { id: TAG_ID, credential } : { id: V20_ID };
  const trust = { clientRoots: [clients.root], tokenKeys: tokens.keys };
  const config = { generation, displayMs: 40, ...trust, ...own, ...changes };
  return TagSimulator.create(config, world);
}

/**
 * Everything that a run needs. The service signs every token it is asked for; a token to clear is for the clear payload only.
 */
export async function benchOf({ people, throwAway }: Fixture, tag: VirtualTag): Promise<Bench> {
  const radio = webBluetoothRadio(() => fakeBluetooth([tag], async () => tag));
  return {
    link: await radio.choose(undefined, new AbortController().signal),
    credential: people.client,
    tagRoots: [people.tags.root],
    throwAway,
    pause: 100,
    requestToken: async ({ uniqueDeviceId, generation, ...claims }) => {
      if (claims.operation === "clear" && !equalBytes(claims.payloadDigest, await payloadDigest(CLEAR_BYTES)))
        throw new NotPermitted("payload_mismatch");
      return people.tokens.sign({ aud: uniqueDeviceId, version: generation, ...claims });
    },
  };
}

export async function run(
  bench: Bench,
  { optional = true, checks = CHECKS }: { optional?: boolean; checks?: Parameters<typeof runChecks>[0] } = {},
  signal = new AbortController().signal,
) {
  const ignore = () => undefined;
  return runChecks(checks, bench, { signal, optional, onTag: ignore, onStart: ignore, onResult: ignore });
}

/** Sorted: checks run in the order in which they share sessions. */
export function idsOf(results: readonly CheckResult[], outcome: CheckOutcome): CheckId[] {
  return results
    .filter((result) => result.outcome === outcome)
    .map(({ id }) => id)
    .toSorted();
}

/** For messages of failing tests. */
export function report(results: readonly CheckResult[]): string {
  return results
    .map(({ id, outcome, seen, took }) => `${id} ${outcome} ${seen.join(" ")} (${took})`)
    .join("\n");
}

/**
 * The result of the checks for a good tag, of v2.1 without a commit yet: how many it passes, and which are skipped because
 * they are about a generation that it does not serve, or about tags that do not sign. A check that is skipped for any
 * other reason has tested nothing. C74 is not counted: it locks the tag and runs only on request. Nor is C92.
 */
export const GOOD_TAG = {
  "2.1": {
    passed: 88,
    skipped: ["C84", "C92"],
  },
  "2.0": {
    passed: 47,
    skipped: [
      ...["C11", "C20", "C21", "C22", "C23", "C24", "C25", "C26", "C27", "C28", "C30", "C31", "C32"],
      ...["C33", "C34", "C35", "C36", "C37", "C41", "C42", "C54", "C55", "C56", "C57", "C59", "C60", "C62"],
      ...["C63", "C75", "C76", "C77", "C78", "C79", "C80", "C81", "C82", "C83", "C84"],
      ...["C85", "C86", "C88", "C90", "C92"],
    ],
  },
} as const;
/** The host stack of `npm run tag` has no Database Hash. */
export const HASH_CHECK = "C91";
export const LOCKOUT_CHECK = "C74";
/** Applies where the host stack says what the tag has asked for: over ATT of our own. */
export const INTERVAL_CHECK = "C92";
/** Is about radios that take writes without response; the numbers above are of one. */
export const RESPONSES_CHECK = "C90";
