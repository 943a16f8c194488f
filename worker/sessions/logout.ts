import { eq } from "drizzle-orm";
import type { LogoutResponse } from "../../core/api/index.ts";
import { sessions } from "../../db/schema.ts";
import type { BearerContext } from "../context.ts";
import { inBatch } from "../database/batch.ts";

/** Ends the caller's session: its access tokens and its refresh tokens. */
export async function logout({ db, now, principal }: BearerContext): Promise<LogoutResponse> {
  const ended = db.update(sessions).set({ revokedAt: now }).where(eq(sessions.id, principal.sessionId));
  await inBatch(db, { ended });
  return { loggedOut: true };
}
