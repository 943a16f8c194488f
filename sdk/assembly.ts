/** Makes the parts of a client and connects them; they are made nowhere else. */
import { neverCancelled, orCancelled } from "./abort.ts";
import { type Configuration, loadConfiguration } from "./configuration.ts";
import { DATABASE, Database } from "./database.ts";
import { Operations } from "./flows/operation.ts";
import { OperationContext } from "./flows/tag-visit.ts";
import { Outbox } from "./outbox.ts";
import { Certificate } from "./service/certificate.ts";
import { Http } from "./service/http.ts";
import { Logins } from "./service/logins.ts";
import { Session, SessionRecords, sessionApi } from "./service/session.ts";
import { Links } from "./tag/links.ts";
import { TagNames } from "./tag/tag-names.ts";
import { webBluetoothRadio } from "./tag/web-bluetooth-link.ts";
import type { PasskeyRequest, TaglatchConfig } from "./types.ts";

const MAX_CUSTODY_PROOF_ATTEMPTS = 3;

export function assemble(config: TaglatchConfig) {
  const { baseUrl, clientKey, audience = "passenger", now = Date.now } = config;
  const fetching: typeof fetch = config.fetch ?? ((...call) => globalThis.fetch(...call));
  const configuration = remembered((signal) =>
    loadConfiguration({ baseUrl, fetch: fetching, clientKey, audience }, signal),
  );
  const database = new Database(config.databaseName ?? DATABASE);
  const http = new Http({
    baseUrl,
    fetch: fetching,
    now,
    clientKey: async (signal) => (await configuration(signal)).clientKey,
  });
  const logins = new Logins({ http, configuration, now });
  const passkey = async (request: PasskeyRequest, signal: AbortSignal) => {
    // Loaded only for a login by passkey.
    const { passkeyEvidence } = await import("./service/passkey-login.ts");
    return passkeyEvidence(request, database, signal, config.passkeys);
  };
  const loginByItself =
    audience === "passenger" ? (own: Session, signal: AbortSignal) => logins.guest(own, signal) : undefined;
  const records = new SessionRecords(database, now);
  const session = new Session({ http, records, now, loginByItself });
  const api = sessionApi(http, session);
  const outbox = new Outbox(database, api, now);
  const links = new Links(config.radio ?? webBluetoothRadio());
  const certificate = new Certificate({ api, session, database, configuration, now });
  const settings = {
    custodyProofCollector: config.custodyProofCollector,
    maxCustodyProofAttempts: config.maxCustodyProofAttempts ?? MAX_CUSTODY_PROOF_ATTEMPTS,
    showLocator: config.showLocator ?? false,
    onHandshake: config.onHandshake,
  };
  const context = new OperationContext({ api, outbox, links, certificate, configuration, settings });
  const operations = new Operations();
  const tagNames = new TagNames(database);
  return { operations, links, tagNames, context, api, outbox, session, records, logins, passkey };
}

/**
 * One load for all callers, started again after a failure. A caller who cancels does not end it for the
 * others.
 */
function remembered(
  load: (signal: AbortSignal) => Promise<Configuration>,
): (signal: AbortSignal) => Promise<Configuration> {
  let loading: Promise<Configuration> | undefined;
  return (signal) => {
    loading ??= load(neverCancelled()).catch((error: unknown) => {
      loading = undefined;
      throw error;
    });
    return orCancelled(signal, loading);
  };
}
