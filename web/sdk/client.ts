import { fromUtf8 } from "../../core/bytes.ts";
import { PROFILE } from "../../core/gatt/profile.ts";
import { decodeBattery } from "../../core/gatt/values.ts";
import { neverCancelled, orCancelled } from "./abort.ts";
import { sessionApi } from "./api.ts";
import type { TagRadio } from "./ble/link.ts";
import { decoded } from "./ble/tag.ts";
import { webBluetoothRadio } from "./ble/web-bluetooth-link.ts";
import { Certificate } from "./certificate.ts";
import { clearTag } from "./clear.ts";
import { type Configuration, loadConfiguration } from "./configuration.ts";
import { Database } from "./database.ts";
import { OperationError } from "./errors.ts";
import { Http } from "./http.ts";
import { Links, pickedTag } from "./links.ts";
import { Logins } from "./logins.ts";
import { asResult, Operations } from "./operation.ts";
import { OperationContext } from "./operation-context.ts";
import { Outbox } from "./outbox.ts";
import { Session } from "./session.ts";
import { sessionFacade } from "./session-facade.ts";
import { transferTag } from "./transfer.ts";
import type { CustodyProofCollector, Taglatch } from "./types.ts";

const MAX_CUSTODY_PROOF_ATTEMPTS = 3;

export interface TaglatchConfig {
  /** Origin (and path) of the service without a trailing slash; "" for the page's own origin. */
  readonly baseUrl: string;
  /** X-Source-App-Key. Absent: the configuration's key for `audience`. */
  readonly clientKey?: string;
  /**
   * Which of the configuration's client keys to use; default `passenger`, who is signed in as a guest by itself.
   * At a kiosk somebody must sign in.
   */
  readonly audience?: "passenger" | "kiosk";
  /** Used when neither the request nor the call brings one. */
  readonly custodyProofCollector?: CustodyProofCollector;
  /** Default 3. */
  readonly maxCustodyProofAttempts?: number;
  /** Whether the label shows the record locator (half of the custody proof); default false. */
  readonly showLocator?: boolean;
  /** IndexedDB name; default `taglatch`. Passenger and kiosk on one origin need two. */
  readonly databaseName?: string;
  /** Default: Web Bluetooth. */
  readonly radio?: TagRadio;
  /** Default: the platform's. */
  readonly fetch?: typeof fetch;
  /** Milliseconds since 1970; default: the device's clock. */
  readonly now?: () => number;
}

/** The client. Nothing is loaded, asked or stored before the first call. */
export function createTaglatch(config: TaglatchConfig): Taglatch {
  const parts = assemble(config);
  const { operations, links, context, api, outbox, session, logins } = parts;
  const picked = async (deviceId: string, signal: AbortSignal, onRetry: () => void) => {
    const link = await links.find(deviceId);
    return pickedTag(link, await links.reach(deviceId, false, signal, onRetry));
  };
  const readFrom = async (deviceId: string, uuid: string, signal: AbortSignal) => {
    if (operations.isBusy(deviceId)) throw new OperationError("busy", "an operation runs on this tag");
    const tag = await links.reach(deviceId, false, signal, () => undefined);
    return tag.connection.read(uuid, signal);
  };
  return {
    pickTag: (options = {}) =>
      operations.start("pick", undefined, options, async ({ progress, signal }) => {
        const link = await links.choose(options.nameSuffix, signal);
        // What a transfer will need, in advance; if it fails, it fails again there and is told there.
        context.prepare(neverCancelled()).catch(() => undefined);
        progress.enter("connect");
        return pickedTag(link, await links.open(link, signal, () => progress.retrying("connect_failed")));
      }),
    connect: (deviceId, options = {}) =>
      operations.start("connect", deviceId, options, ({ progress, signal }) => {
        progress.enter("connect");
        return picked(deviceId, signal, () => progress.retrying("connect_failed"));
      }),
    disconnect: async (deviceId) => links.close(deviceId),
    readBattery: (deviceId, options) =>
      asResult(options, async (signal) =>
        decoded(decodeBattery, await readFrom(deviceId, PROFILE.battery.characteristics.LEVEL.uuid, signal)),
      ),
    readFirmware: (deviceId, options) =>
      asResult(options, async (signal) =>
        decoded(
          fromUtf8,
          await readFrom(deviceId, PROFILE.deviceInformation.characteristics.FIRMWARE.uuid, signal),
        ),
      ),
    transferTag: (request, collector, options = {}) =>
      operations.start("transfer", request.deviceId, options, (run) =>
        transferTag(context, run, request, collector),
      ),
    clearTag: (request, options = {}) =>
      operations.start("clear", request.deviceId, options, (run) => clearTag(context, run, request)),
    journeys: {
      fromRecordLocator: (recordLocator, surname, options) =>
        asResult(options, (signal) =>
          api.call("journeyFromRecordLocator", { recordLocator, surname }, { signal }),
        ),
      list: (options) =>
        asResult(options, async (signal) => (await api.call("journeys", {}, { signal })).journeys),
      get: (journeyId, options) =>
        asResult(options, (signal) => api.call("journey", {}, { signal, params: { journeyId } })),
    },
    session: sessionFacade(session, logins, outbox, (signal) => context.prepare(signal)),
    outbox: {
      entries: () => outbox.entries(),
      flush: (options) => asResult(options, (signal) => outbox.flush(signal)),
      subscribe: (listener) => outbox.subscribe(listener),
    },
    diagnostics: { runs: () => operations.runs() },
  };
}

function assemble(config: TaglatchConfig) {
  const { baseUrl, clientKey, audience = "passenger", now = Date.now } = config;
  const fetching: typeof fetch = config.fetch ?? ((...call) => globalThis.fetch(...call));
  const configuration = remembered((signal) =>
    loadConfiguration({ baseUrl, fetch: fetching, clientKey, audience }, signal),
  );
  const database = new Database(config.databaseName ?? "taglatch");
  const http = new Http({
    baseUrl,
    fetch: fetching,
    now,
    clientKey: async (signal) => (await configuration(signal)).clientKey,
  });
  const logins = new Logins({ http, configuration, now });
  const loginByItself =
    audience === "passenger" ? (own: Session, signal: AbortSignal) => logins.guest(own, signal) : undefined;
  const session = new Session({ http, database, now, loginByItself });
  const api = sessionApi(http, session);
  const outbox = new Outbox(database, api, now);
  const links = new Links(config.radio ?? webBluetoothRadio());
  const certificate = new Certificate({ api, session, database, configuration, now });
  const settings = {
    custodyProofCollector: config.custodyProofCollector,
    maxCustodyProofAttempts: config.maxCustodyProofAttempts ?? MAX_CUSTODY_PROOF_ATTEMPTS,
    showLocator: config.showLocator ?? false,
  };
  const context = new OperationContext({ api, outbox, links, certificate, configuration, settings });
  return { operations: new Operations(), links, context, api, outbox, session, logins };
}

/** One load for all callers, begun again after a failure; a caller who cancels leaves the others theirs. */
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
