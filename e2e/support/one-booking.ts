/** Síle travels on Ada's booking: as an airline's change of a booking leaves it in the database. */
import { eq } from "drizzle-orm";
import { journeys } from "../../db/schema.ts";
import { openDatabase } from "../../scripts/ops/database.ts";

const SILES_JOURNEY = "demo-journey-3";

/** `plan`: the booking of hers; her own again at the end of the test. */
export async function sileTravelsWith(stateDir: string, plan: "demo-plan-1" | "demo-plan-3"): Promise<void> {
  const { db, close } = await openDatabase({ kind: "local", stateDir });
  try {
    await db.update(journeys).set({ planId: plan }).where(eq(journeys.id, SILES_JOURNEY));
  } finally {
    await close();
  }
}
