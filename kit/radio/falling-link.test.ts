import { describe, expect, test } from "vitest";
import { dailyOrFull } from "../../core/full.test-support.ts";
import type { GattVersion } from "../../core/gatt/profile.ts";
import { expectationOf, type Operation, outcomeOfJob } from "../../sdk/test-support/radio-job.ts";
import { valueIn } from "../../sdk/test-support/value-in.ts";
import { seeded } from "../../sim/seeded.ts";
import type { FallAt } from "../phone/air.ts";
import { type AttFixture, attFixture } from "../test-support/att-fixture.ts";

/** Falls of each job; in a full run at every packet, before and after. A clear needs a label first. */
const FALLS = { transfer: dailyOrFull(6, Infinity), clear: dailyOrFull(2, Infinity) };
/** Side by side: most of a job waits for the SDK's pauses. */
const LANES = 8;
const CONTROLLER = { aclLength: 251, airLength: 251 } as const;

/** A tag to be written, or one that was. */
async function make({ generation, operation }: Job): Promise<AttFixture> {
  const fixture = await attFixture({ generation, mtu: 185, controller: CONTROLLER });
  if (operation === "clear") {
    valueIn(await transfer(fixture));
    await settled(fixture);
  }
  return fixture;
}

async function transfer({ client, request }: AttFixture) {
  const picking = await client.pickTag();
  return picking.ok ? client.transferTag(request) : picking;
}

const act = (fixture: AttFixture, { operation }: Job) =>
  operation === "transfer" ? transfer(fixture) : fixture.client.clearTag(fixture.request);

/** How many packets an undisturbed job puts on the air. */
async function rehearse(job: Job): Promise<number> {
  const fixture = await make(job);
  const before = fixture.air.packets;
  const result = await act(fixture, job);
  fixture.close();
  if (!result.ok) throw result.error;
  return fixture.air.packets - before;
}

/** What came of a job whose first link falls at `fall`. */
async function fallen(job: Job, fall: FallAt): Promise<string> {
  const fixture = await make(job);
  try {
    const before = fixture.tag.snapshot();
    fixture.air.fallAt = fall;
    const result = await act(fixture, job);
    await settled(fixture);
    if (fixture.air.falls === 0) throw new Error("nothing fell");
    const outcome = outcomeOfJob(
      fixture,
      result as Awaited<ReturnType<AttFixture["client"]["transferTag"]>>,
      {
        before,
        ...(await expectationOf(job.operation)),
      },
    );
    return outcome === "committed" ? outcome : `${fall.when} packet ${fall.packet}: ${outcome}`;
  } catch (cause) {
    throw new Error(`v${job.generation}, ${fall.when} packet ${fall.packet}: ${String(cause)}`, { cause });
  } finally {
    fixture.close();
  }
}

/** Until the display is done and the service has received the report. */
async function settled({ tag, client }: AttFixture): Promise<void> {
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
