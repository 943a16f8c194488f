import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type Bytes, fromUtf8, toHex } from "../core/encoding/bytes.ts";
import { dailyOrFull } from "../core/full.test-support.ts";
import { STATUS, TAG_STATE, TAG_TIMER, type TagState } from "../core/gatt/profile.ts";
import { decodeStatus } from "../core/gatt/values.ts";
import { SecError } from "../core/sec/errors.ts";
import { Reassembler } from "../core/sec/framing.ts";
import type { TagSimulator } from "./tag/tag-simulator.ts";
import { AttError, type TagEvent, type TagSnapshot } from "./tag/tag-types.ts";
import { Central } from "./test-support/central.ts";
import { attacks, HostileCentral, type Step } from "./test-support/hostile-steps.ts";
import { tagOf } from "./test-support/parties.ts";
import { CLEAR, LABEL, PAYLOAD, people } from "./test-support/stages.ts";
import { drive, sleepIn } from "./test-support/virtual-time.ts";
import { VirtualWorld } from "./virtual-world.ts";

/** Of each generation. fast-check would never finish with a fraction. */
const ATTACKS = dailyOrFull(8, 500);

/** Where a state may lead (protocol.md, States of the tag, by hand); that any but two may end in IDLE is said once below. */
const LEADS_TO: Readonly<Record<TagState, readonly TagState[]>> = {
  IDLE: ["CONNECTED"],
  CONNECTED: ["WAIT_M3", "PRESENTED"],
  WAIT_M3: ["ESTABLISHED"],
  PRESENTED: ["AUTHORIZED", "LOCKOUT"],
  ESTABLISHED: ["AUTHORIZED", "LOCKOUT"],
  AUTHORIZED: ["RECEIVING"],
  RECEIVING: ["COMMITTING"],
  COMMITTING: ["COMMITTED"],
  COMMITTED: [],
  LOCKOUT: [],
};
const ENDS: Readonly<Partial<Record<TagState, string>>> = { COMMITTING: "reboot", LOCKOUT: "lockoutOver" };

/** Alerts and EDHOC errors that may be said in clear (protocol.md, Codes and who may see them), each of them alike for many reasons. */
const ALERTS: readonly number[] = [16, 17, 18, 19, 20, 80];
const EDHOC_ERRORS: readonly string[] = ["0160", "02820603", "03f5"];
/** What a label says, which nothing that leaves the tag may contain. */
const PRINTED = [LABEL.name, LABEL.licencePlate, LABEL.destinationCity, "SK1234"];

/** Follows a tag from outside and holds it to the protocol, event by event. */
class Watch {
  #state: TagState = "IDLE";
  #shown: unknown = null;
  #onV21 = false;
  #linked = false;
  /** What SEC says on this connection. */
  #said = new Reassembler(2048);
  #endedAt: number | undefined;
  readonly #nonces = new Set<string>();

  #failure: unknown;

  /** Thrown here it would be caught in the tag. */
  expectFine(now: number): void {
    if (this.#failure !== undefined) throw this.#failure;
    // A session that ended takes its link along, at the latest when its last word was not read for two seconds.
    expect(now - (this.#endedAt ?? now)).toBeLessThanOrEqual(TAG_TIMER.alert);
  }

  readonly event = (event: TagEvent): void => {
    try {
      this.#check(event);
    } catch (failure) {
      this.#failure ??= failure;
    }
  };

  #check(event: TagEvent): void {
    if (event.type === "link") this.#link(event.change === "connected");
    else if (event.type === "state") this.#move(event);
    else if (event.type === "display") this.#display(event.content);
    else if (event.type === "record" && event.name === "hello") this.#nonce(event.bytes.slice(4, 20));
    else if (event.type === "gatt" && event.operation !== "write" && event.error === undefined)
      this.#left(event.characteristic, event.value);
  }

  #link(connected: boolean): void {
    this.#linked = connected;
    this.#said = new Reassembler(2048);
    this.#onV21 = false;
    this.#endedAt = undefined;
  }

  #move({ at, from, to, because }: Extract<TagEvent, { type: "state" }>): void {
    expect(from).toBe(this.#state);
    const ends = to === "IDLE" && (ENDS[from] ?? because) === because;
    expect(ends || LEADS_TO[from].includes(to), `${from} → ${to} because of ${because}`).toBe(true);
    this.#state = to;
    if (to === "WAIT_M3") this.#onV21 = true;
    this.#endedAt = to === "IDLE" && this.#linked ? at : undefined;
  }

  #display(content: unknown): void {
    if (content !== this.#shown) expect(this.#state).toBe("COMMITTING");
    this.#shown = content;
  }

  #nonce(nonce: Bytes): void {
    expect(this.#nonces).not.toContain(toHex(nonce));
    this.#nonces.add(toHex(nonce));
  }

  #left(characteristic: string, value: Bytes): void {
    for (const text of PRINTED) expect(String.fromCharCode(...value)).not.toContain(text);
    if (characteristic === "STATUS" && value.length > 0) this.#status(value);
    if (characteristic === "SEC" && value.length > 0) this.#inClear(value);
    if (characteristic === "ID") expect(fromUtf8(value)).toBe("ebt-21-0001");
  }

  #status(value: Bytes): void {
    const { code } = decodeStatus(value);
    if (this.#onV21) expect(STATUS[code] <= STATUS.STATE || code === "LOCKOUT", code).toBe(true);
  }

  #inClear(value: Bytes): void {
    for (const { type, message } of this.#said.pushValue(value)) {
      if (type === "ALERT") expect(ALERTS).toContain(message[0]);
      else if (type === "EDHOC_ERROR") expect(EDHOC_ERRORS).toContain(toHex(message));
      else expect(["EDHOC", "APP"]).toContain(type);
    }
  }
}

/** What the tag refuses, and what this central cannot do now, is no failure; anything else would be. */
async function take(step: Step, attack: Parameters<Step["take"]>[0]): Promise<void> {
  try {
    await step.take(attack);
  } catch (error) {
    const refused = error instanceof AttError || error instanceof SecError;
    if (!refused && (error as Error).constructor !== Error) throw error;
  }
  // Whatever the tag itself did not foresee comes out here.
  await attack.tag.settled();
}

function expectSound({ state, connected, display, commits }: TagSnapshot): void {
  expect(Object.keys(TAG_STATE)).toContain(state);
  if (!connected) expect(["IDLE", "COMMITTING", "LOCKOUT"]).toContain(state);
  if (commits === 0) expect(display.content).toBeNull();
  if (display.content !== null) expect(display.content).toEqual(LABEL);
}

/** After everything has run out, an honest central gets through. */
async function expectUsable(
  tag: TagSimulator,
  world: VirtualWorld,
  generation: "2.0" | "2.1",
): Promise<void> {
  tag.disconnect();
  await sleepIn(world, 400_000);
  expect(tag.snapshot()).toMatchObject({ state: "IDLE", connected: false, lockoutLeft: 0 });
  const central = new Central(tag, world, people);
  await tag.connect();
  if (generation === "2.0") {
    await central.present();
    expect(await central.plainTransfer(PAYLOAD)).toMatchObject({ code: "COMMITTED", display: "LABEL" });
  } else {
    await central.handshake();
    expect(await central.transfer(CLEAR, "clear")).toBe(STATUS.COMMITTED);
    expect(tag.snapshot().display.content).toBeNull();
  }
}

async function attacked(steps: readonly Step[], generation: "2.0" | "2.1", seed: number): Promise<void> {
  const world = new VirtualWorld(seed);
  const tag = await tagOf(people, world, { generation });
  const central = new HostileCentral(tag, world, people);
  const watch = new Watch();
  tag.observe(watch.event);
  await drive(world, async () => {
    for (const step of steps) {
      await take(step, { world, tag, central });
      watch.expectFine(world.now());
      expectSound(tag.snapshot());
    }
    tag.faults.dropAt = null;
    await sleepIn(world, 3_000);
    watch.expectFine(world.now());
    await expectUsable(tag, world, generation);
    watch.expectFine(world.now());
  });
}

describe("a hostile central with a good certificate", () => {
  it.each(["2.1", "2.0"] as const)(
    "never moves a v%s tag off its table, shows nothing unasked, learns nothing, and leaves it usable",
    { timeout: 3_600_000 },
    async (generation) => {
      const property = fc.asyncProperty(attacks, fc.nat(), (steps, seed) =>
        attacked(steps, generation, seed),
      );
      await fc.assert(property, { numRuns: ATTACKS });
    },
  );
});
