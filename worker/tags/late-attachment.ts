import { type SQL, sql } from "drizzle-orm";
import { fromBase64Url, fromHex, toHex } from "../../core/encoding/bytes.ts";
import { devices, deviceTicketLocks, loadedPlans } from "../../db/schema.ts";
import type { BearerContext } from "../context.ts";
import { deviceKey } from "../devices/identity.ts";
import { issuedAt, opensFor } from "./cti.ts";

/**
 * Attachments and clears that arrive after newer ones: a page that was offline tells late what it did (rules
 * §5). The `cti` of the token that the tag took says when that was. It counts only between holders of one
 * booking; against anybody else's lock it says nothing.
 *
 * The database holds a `cti` as hex, so that its first eight digits sort by time.
 */

/** Where no `cti` is kept, a token counts as older if it was issued this long before: it lives no longer. */
const TOKEN_LIFE_SECONDS = 120;

/** The caller's own `cti` of a request as hex, if it opens for caller and tag; any other counts as absent. */
export async function readCti(
  { settings, principal }: BearerContext,
  { uniqueDeviceId, cti }: { readonly uniqueDeviceId: string; readonly cti?: string },
): Promise<string | undefined> {
  if (cti === undefined) return undefined;
  const bytes = fromBase64Url(cti);
  const subject = { device: deviceKey(uniqueDeviceId), sub: principal.sub };
  return (await opensFor(settings.ctiKeys, bytes, subject)) ? toHex(bytes) : undefined;
}

/** Whether the lock is newer than the token of `cti` (hex): a condition over `device_ticket_locks`. */
export const isOlderThanLock = (cti: string | undefined): SQL =>
  isOlder(cti, sql`${deviceTicketLocks.cti}`, sql`${deviceTicketLocks.lockedAt}`);

/**
 * Whether a holder has removed the last lock of the tag since the token of `cti`, and the caller was a holder
 * of it too: a condition over `devices`.
 */
export const isOlderThanRemoval = ({ principal }: BearerContext, cti: string | undefined): SQL =>
  sql`(${devices.endedReason} = 'holder'
    and (${devices.endedHolderSub} = ${principal.sub} or ${devices.endedPlanId} in
      (select ${loadedPlans.planId} from ${loadedPlans} where ${loadedPlans.sub} = ${principal.sub}))
    and ${isOlder(cti, sql`${devices.endedCti}`, sql`${devices.endedAt}`)})`;

function isOlder(cti: string | undefined, kept: SQL, at: SQL): SQL {
  if (cti === undefined) return sql`false`;
  const latest = (issuedAt(fromHex(cti)) + TOKEN_LIFE_SECONDS) * 1_000;
  return sql`(case when ${kept} is null then ${latest} < ${at}
    else ${cti.slice(0, 8)} < substr(${kept}, 1, 8) end)`;
}
