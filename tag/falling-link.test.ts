import { describe, expect, test } from "vitest";
import type { GattVersion } from "../core/gatt/profile.ts";
import { expectationOf } from "../sdk/test-support/radio-job.ts";
import { verdict } from "../sdk/test-support/radio-verdict.ts";
import { seeded } from "../sim/seeded.ts";
import type { FallAt } from "./phone/air.ts";
import { type AttScene, attScene } from "./test-support/att-scene.ts";

/** Falls of each generation; `VITE_FALLS=all`, by night, is every packet, before and after. */
const FALLS = import.meta.env.VITE_FALLS ?? "12";
/** Side by side: most of a job waits for the SDK's pauses. */
const LANES = 8;
const CONTROLLER = { aclLength: 251, airLength: 251 } as const;

const make = (generation: GattVersion) => attScene({ generation, mtu: 185, controller: CONTROLLER });

async function transfer({ client, request }: AttScene) {
  const picking = await client.pickTag();
  return picking.ok ? client.transferTag(request) : picking;
}

/** How many packets an undisturbed job puts on the air. */
async function rehearse(generation: GattVersion): Promise<number> {
  const scene = await make(generation);
  const result = await transfer(scene);
  scene.close();
  if (!result.ok) throw result.error;
  return scene.air.packets;
}

/** What came of a job whose first link falls at `fall`. */
async function fallen(generation: GattVersion, fall: FallAt): Promise<string> {
  const scene = await make(generation);
  try {
    const before = scene.tag.snapshot();
    scene.air.fallAt = fall;
    const result = await transfer(scene);
    await settled(scene);
    if (scene.air.falls === 0) throw new Error("nothing fell");
    const outcome = verdict(scene, result as Awaited<ReturnType<AttScene["client"]["transferTag"]>>, {
      before,
      ...(await expectationOf("transfer")),
    });
    return outcome === "committed" ? outcome : `${fall.when} packet ${fall.packet}: ${outcome}`;
  } catch (cause) {
    throw new Error(`v${generation}, ${fall.when} packet ${fall.packet}: ${String(cause)}`, { cause });
  } finally {
    scene.close();
  }
}

/** Until the display is done and the service has heard of it. */
async function settled({ tag, client }: AttScene): Promise<void> {
  while (tag.snapshot().state === "COMMITTING") await new Promise((resolve) => setTimeout(resolve, 5));
  await client.outbox.flush();
}

function chosen(packets: number): FallAt[] {
  const every = Array.from({ length: packets }, (_, index) => index + 1).flatMap((packet): FallAt[] => [
    { packet, when: "before" },
    { packet, when: "after" },
  ]);
  if (FALLS === "all") return every;
  const next = seeded(packets);
  return Array.from({ length: Number(FALLS) }, () => every[Math.floor(next() * every.length)] as FallAt);
}

describe.each(["2.1", "2.0"] as const)("a transfer to a v%s tag whose link falls", (generation) => {
  test("at a packet of the air is finished by itself, once", async () => {
    const falls = chosen(await rehearse(generation));
    const outcomes: string[] = [];
    const lane = async () => {
      for (let fall = falls.pop(); fall !== undefined; fall = falls.pop())
        outcomes.push(await fallen(generation, fall));
    };
    await Promise.all(Array.from({ length: LANES }, lane));
    expect(outcomes.filter((outcome) => outcome !== "committed")).toEqual([]);
  });
});
