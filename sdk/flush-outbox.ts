/**
 * Flushes the outbox of a page that is closed: a service worker runs this when the browser is online again.
 * It has the page's own key (non-extractable, in IndexedDB) and session, and needs neither radio nor
 * document.
 */
import { neverCancelled, shared } from "./abort.ts";
import type { TaglatchConfig } from "./api.ts";
import { loadConfiguration } from "./configuration.ts";
import { DATABASE, Database } from "./database.ts";
import { Outbox } from "./outbox.ts";
import { Http } from "./service/http.ts";
import { Logins, ownLogin } from "./service/logins.ts";
import { ServiceClock } from "./service/service-clock.ts";
import { Session, SessionRecords, sessionApi } from "./service/session.ts";
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
  const { baseUrl, clientKey: ownKey, audience = "passenger", now = Date.now } = owner;
  const fetching: typeof fetch = owner.fetch ?? ((...call) => globalThis.fetch(...call));
  const clock = new ServiceClock(now);
  const source = { baseUrl, fetch: fetching, clientKey: ownKey, audience, clock };
  const configuration = shared((signal) => loadConfiguration(source, signal));
  const database = owner.storage ?? new Database(owner.databaseName ?? DATABASE);
  const clientKey = async (signal: AbortSignal) => (await configuration(signal)).clientKey;
  const http = new Http({ baseUrl, fetch: fetching, clock, clientKey });
  const logins = new Logins({ http, configuration, clock });
  const records = new SessionRecords(database, now);
  // A guest whose session has expired becomes the same guest again by key; staff must sign in themselves.
  const loginByItself = audience === "passenger" ? ownLogin(logins) : undefined;
  const session = new Session({ http, records, now, loginByItself });
  return new Outbox(database, sessionApi(http, session), now, "keep").flush(neverCancelled(), owner.due);
}
