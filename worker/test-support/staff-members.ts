import { eq } from "drizzle-orm";
import { type ClientFlags, clients, staffMembers } from "../../db/schema.ts";
import { hashPassword } from "../secrets/credentials.ts";
import { CHEAP } from "./development-rows.ts";
import type { TestService } from "./service.ts";

/** A member of staff of the demo kiosks, and what they type. */
export const ADA = { id: "1001", pin: "24681357" } as const;

/** Gives `clientId` a member of staff. */
export async function addStaff(
  { db, settings }: TestService,
  { id, pin }: { readonly id: string; readonly pin: string } = ADA,
  { clientId = "client-kiosk", enabled = true } = {},
): Promise<void> {
  const salt = crypto.getRandomValues(new Uint8Array(16));
  const row = { pinHash: await hashPassword(settings.pepper, pin, salt, CHEAP), enabled };
  await db
    .insert(staffMembers)
    .values({ clientId, staffId: id, ...row })
    .onConflictDoUpdate({ target: [staffMembers.clientId, staffMembers.staffId], set: row });
}

/** Sets the flags of the demo kiosks; a new start of the service takes them away. */
export const flagKiosks = ({ db }: TestService, flags: ClientFlags) =>
  db.update(clients).set({ flags }).where(eq(clients.id, "client-kiosk"));
