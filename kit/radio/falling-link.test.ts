import { describe, expect, test } from "vitest";
import { dailyOrFull } from "../../core/full.test-support.ts";
import type { GattVersion } from "../../core/gatt/profile.ts";
import { expectationOf, type Operation } from "../../sdk/test-support/radio-job.ts";
import { outcomeOfJob } from "../../sdk/test-support/radio-outcome.ts";
import { valueIn } from "../../sdk/test-support/value-in.ts";
import { seeded } from "../../sim/seeded.ts";
import type { FallAt } from "../phone/air.ts";
import { type AttScene, attScene } from "../test-support/att-scene.ts";

/** Falls of each job; in a full run at every packet, before and after. A clear needs a label first. */
const FALLS = { transfer: dailyOrFull(6, Infinity), clear: dailyOrFull(2, Infinity) };
/** Side by side: most of a job waits for the SDK's pauses. */
const LANES = 8;
const CONTROLLER = { aclLength: 251, airLength: 251 } as const;

/** A tag to be written, or one that was. */
async function make({ generation, operation }: Job): Promise<AttScene> {
  const scene = await attScene({ generation, mtu: 185, controller: CONTROLLER });
  if (operation === "clear") {
    valueIn(await transfer(scene));
    await settled(scene);
  }
  return scene;
}

async function transfer({ client, request }: AttScene) {
  const picking = await client.pickTag();
  return picking.ok ? client.transferTag(request) : picking;
}

const act = (scene: AttScene, { operation }: Job) =>
  operation === "transfer" ? transfer(scene) : scene.client.clearTag(scene.request);

/** How many packets an undisturbed job puts on the air. */
async function rehearse(job: Job): Promise<number> {
  const scene = await make(job);
  const before = scene.air.packets;
  const result = await act(scene, job);
  scene.close();
  if (!result.ok) throw result.error;
  return scene.air.packets - before;
}

/** What came of a job whose first link falls at `fall`. */
async function fallen(job: Job, fall: FallAt): Promise<string> {
  const scene = await make(job);
  try {
    const before = scene.tag.snapshot();
    scene.air.fallAt = fall;
    const result = await act(scene, job);
    await settled(scene);
    if (scene.air.falls === 0) throw new Error("nothing fell");
    const outcome = outcomeOfJob(scene, result as Awaited<ReturnType<AttScene["client"]["transferTag"]>>, {
      before,
      ...(await expectationOf(job.operation)),
    });
    return outcome === "committed" ? outcome : `${fall.when} packet ${fall.packet}: ${outcome}`;
  } catch (cause) {
    throw new Error(`v${job.generation}, ${fall.when} packet ${fall.packet}: ${String(cause)}`, { cause });
  } finally {
    scene.close();
  }
}

/** Until the display is done and the service has received the report. */
async function settled({ tag, client }: AttScene): Promise<void> {
  while (tag.snapshot().state === "COMMITTING") await new Promise((resolve) => setTimeout(resolve, 5));
  await client.outbox.flush();
}

function chosen(packets: number, { operation }: Job): FallAt[] {
  const every = Array.from({ length: packets }, (_, index) => index + 1).flatMap((packet): FallAt[] => [
    { packet, when: "before" },
    { packet, when: "after" },
  ]);
  if (FALLS[operation] >= every.length) return every;
  const next = seeded(packets);
  return Array.from({ length: FALLS[operation] }, () => every[Math.floor(next() * every.length)] as FallAt);
}

interface Job {
  readonly generation: GattVersion;
  readonly operation: Operation;
}
const JOBS = (["transfer", "clear"] as const).flatMap((operation) =>
  (["2.1", "2.0"] as const).map((generation): Job => ({ generation, operation })),
);

describe.each(JOBS)("a $operation of a v$generation tag whose link falls", (job) => {
  test("at a packet of the air is finished by itself, once", async () => {
    const falls = chosen(await rehearse(job), job);
    const outcomes: string[] = [];
    const lane = async () => {
      for (let fall = falls.pop(); fall !== undefined; fall = falls.pop())
        outcomes.push(await fallen(job, fall));
    };
    await Promise.all(Array.from({ length: LANES }, lane));
    expect(outcomes.filter((outcome) => outcome !== "committed")).toEqual([]);
  });
});
