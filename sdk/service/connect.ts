/** What a page's client and its service worker are both made of: the way to the service, the session, and the storage. */
import { shared } from "../abort.ts";
import type { TaglatchConfig } from "../api.ts";
import { loadConfiguration } from "../configuration.ts";
import { DATABASE, Database } from "../database.ts";
import { Http } from "./http.ts";
import { Logins, ownLogin } from "./logins.ts";
import { ServiceClock } from "./service-clock.ts";
import { Session, SessionRecords, sessionApi } from "./session.ts";

type ServiceConfig = Pick<
  TaglatchConfig,
  "baseUrl" | "clientKey" | "audience" | "databaseName" | "storage" | "fetch" | "now"
>;

/** `evidence`: of an app that has it, and asks a person for nothing. */
export function connectService(config: ServiceConfig, evidence?: TaglatchConfig["evidence"]) {
  const { baseUrl, clientKey, audience = "passenger", now = Date.now } = config;
  const fetching: typeof fetch = config.fetch ?? ((...call) => globalThis.fetch(...call));
  const clock = new ServiceClock(now);
  const source = { baseUrl, fetch: fetching, clientKey, audience, clock };
  const configuration = shared((signal) => loadConfiguration(source, signal));
  const database = config.storage ?? new Database(config.databaseName ?? DATABASE);
  const http = new Http({
    baseUrl,
    fetch: fetching,
    clock,
    clientKey: async (signal) => (await configuration(signal)).clientKey,
  });
  const logins = new Logins({ http, configuration, clock });
  const records = new SessionRecords(database, now);
  // A guest whose session has expired becomes the same guest again by key; staff must sign in themselves.
  const loginByItself = audience === "passenger" ? ownLogin(logins, evidence) : undefined;
  const session = new Session({ http, records, now, loginByItself });
  const api = sessionApi(http, session);
  return { source, configuration, database, logins, records, session, api, now };
}
