import { sql } from "drizzle-orm";
import { expect, it } from "vitest";
import { pastBags } from "../../db/schema.ts";
import { startService } from "../test-support/service.ts";
import { freeBagIds } from "./bag-ids.ts";

it("ids are drawn that no bag has, nor one of a past booking that rests", async () => {
  const { db } = await startService();
  const [OF_ADA, RESTING] = [1, 7_000];
  await db
    .insert(pastBags)
    .values({ id: RESTING, day: 20_000, licencePlate: 117_000_001, flightDay: 19_999 });
  const drawn = [OF_ADA, RESTING, 7_001, 7_002, 7_003, 7_004, 7_005, 7_006, 7_007, 7_008];
  const random = () => {
    const bytes = new Uint8Array(4);
    new DataView(bytes.buffer).setUint32(0, drawn.shift() ?? 0);
    return bytes;
  };
  const free = await db.all<{ id: number }>(sql`select id from ${freeBagIds({ random }, 2)} order by n`);
  expect(free.map(({ id }) => id)).toEqual([7_001, 7_002, 7_003, 7_004, 7_005, 7_006, 7_007, 7_008]);
});
