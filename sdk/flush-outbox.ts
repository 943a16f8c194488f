/**
 * Flushes the outbox of a page that is closed: a service worker runs this when the browser is online again.
 * It has the page's own key (non-extractable, in IndexedDB) and session, and needs neither radio nor
 * document.
 */
import { neverCancelled } from "./abort.ts";
import type { TaglatchConfig } from "./api.ts";
import { Outbox } from "./outbox.ts";
import { connectService } from "./service/connect.ts";
import type { FlushReport } from "./types.ts";

/** Identifies the outbox: the members of {@link TaglatchConfig} with which the page made its client. */
export type OutboxOwner = Pick<
  TaglatchConfig,
  "baseUrl" | "clientKey" | "audience" | "databaseName" | "storage" | "fetch" | "now"
>;

/**
 * Tries everything that waits, or with `due` only entries whose pause is over, as the page's `outbox.flush()` does.
 * An entry's id is its Idempotency-Key, so a page that flushes at the same time does no harm: each is carried
 * out once. What the service refuses for good stays for the page, which shows it to a person; `dropped` counts
 * it. Throws ConfigurationError `storage_unavailable`; what cannot be sent now is counted in `left`.
 */
export async function flushOutbox(owner: OutboxOwner & { readonly due?: boolean }): Promise<FlushReport> {
  const { database, api, now } = connectService(owner);
  return new Outbox(database, api, now, "keep").flush(neverCancelled(), owner.due);
}
