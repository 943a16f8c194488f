/** The public object, and the parts it is made of. */
import { type Bytes, fromUtf8 } from "../core/encoding/bytes.ts";
import { PROFILE } from "../core/gatt/profile.ts";
import { decodeBattery } from "../core/gatt/values.ts";
import { neverCancelled } from "./abort.ts";
import type { PasskeyRequest, Taglatch, TaglatchConfig } from "./api.ts";
import { type Configuration, countsOutcomes } from "./configuration.ts";
import { OperationError } from "./errors.ts";
import { clearTag } from "./flows/clear.ts";
import { asResult, Operations } from "./flows/operation.ts";
import { release } from "./flows/release.ts";
import { settleTag } from "./flows/statements.ts";
import { OperationContext } from "./flows/tag-connection.ts";
import { staffApi, tagsApi } from "./flows/tags.ts";
import { transferTag } from "./flows/transfer.ts";
import { Outbox } from "./outbox.ts";
import type { OutcomeParts } from "./outcomes.ts";
import { Certificate } from "./service/certificate.ts";
import { connectService } from "./service/connect.ts";
import { delegationsApi, journeysApi, LoadedJourneys } from "./service/journeys.ts";
import { transactionToken } from "./service/session.ts";
import { sessionFacade } from "./service/session-facade.ts";
import type { TaglatchStorage } from "./storage.ts";
import type { TagRadio } from "./tag/link.ts";
import { decoded, Links, pickedTag } from "./tag/tag.ts";
import { webBluetoothRadio } from "./tag/web-bluetooth-link.ts";
import type { PickedTag, RememberedTag, TransactionTokenRequest } from "./types.ts";

const LEVEL = PROFILE.battery.characteristics.LEVEL.uuid;
const FIRMWARE = PROFILE.deviceInformation.characteristics.FIRMWARE.uuid;
const MAX_CUSTODY_PROOF_ATTEMPTS = 3;

/** The client. Nothing is loaded, asked or stored before the first call. */
export function createTaglatch(config: TaglatchConfig): Taglatch {
  const parts = assemble(config);
  const { operations, context, api, outbox, session, records, logins, passkey, clock } = parts;
  return {
    ...radioCalls(parts),
    transferTag: (request, collector, options = {}) =>
      operations.start("transfer", request.deviceId, options, (run) =>
        transferTag(context, run, request, collector),
      ),
    clearTag: (request, options = {}) =>
      operations.start("clear", request.deviceId, options, (run) => clearTag(context, run, request)),
    settleTag: (request, options = {}) =>
      operations.start("settle", request.deviceId, options, (run) => settleTag(context, run, request)),
    journeys: journeysApi(api, context.journeys),
    delegations: delegationsApi(api),
    tags: {
      ...tagsApi(api),
      release: (uniqueDeviceId, reason, options = {}) =>
        operations.start("release", options.deviceId, options, (run) =>
          release(context, run, { ...options, uniqueDeviceId, reason }),
        ),
    },
    staff: staffApi(api),
    session: sessionFacade({
      session,
      records,
      logins,
      outbox,
      journeys: context.journeys,
      passkey,
      prepare: (signal) => context.prepare(signal),
    }),
    outbox: {
      entries: () => outbox.entries(),
      flush: (options) => asResult(options, (signal) => outbox.flush(signal, options?.due)),
      dismiss: (id) => outbox.dismiss(id),
      subscribe: (listener) => outbox.subscribe(listener),
    },
    diagnostics: {
      runs: () => operations.runs(),
      subscribe: (listener) => operations.ended.add(listener),
    },
    now: () => clock.now(),
  };
}

/** Calls that need a tag but no service. */
function radioCalls({ operations, links, tagNames, context }: ReturnType<typeof assemble>) {
  const picked = async (deviceId: string, signal: AbortSignal, onRetry: () => void) => {
    const link = await links.find(deviceId);
    return tagNames.keep(pickedTag(link, await links.reach(deviceId, false, signal, onRetry)));
  };
  const readFrom = async (deviceId: string, uuid: string, signal: AbortSignal) => {
    if (operations.isBusy(deviceId)) throw new OperationError("busy", "an operation runs on this tag");
    const tag = await links.reach(deviceId, false, signal, () => undefined);
    return tag.connection.read(uuid, signal);
  };
  return {
    pickTag: (options = {}) =>
      operations.start("pick", undefined, options, async ({ progress, signal }) => {
        const link = await links.choose(options.uniqueDeviceId, signal);
        // Prepares what a transfer will need. If this fails, the transfer fails in the same way and reports
        // it.
        context.prepare(neverCancelled()).catch(() => undefined);
        progress.enter("connect");
        const open = await links.open(link, signal, () => progress.retrying("connect_failed"));
        return tagNames.keep(pickedTag(link, open));
      }),
    rememberedTags: async () => {
      const tags = await links.remembered();
      return tagNames.named(tags.map(({ deviceId, name }) => ({ deviceId, name })));
    },
    connect: (deviceId, options = {}) =>
      operations.start("connect", deviceId, options, ({ progress, signal }) => {
        progress.enter("connect");
        return picked(deviceId, signal, () => progress.retrying("connect_failed"));
      }),
    disconnect: async (deviceId) => links.close(deviceId),
    readBattery: (deviceId, options) =>
      asResult(options, async (signal) => decoded(decodeBattery, await readFrom(deviceId, LEVEL, signal))),
    readFirmware: (deviceId, options) =>
      asResult(options, async (signal) => decoded(fromUtf8, await readFrom(deviceId, FIRMWARE, signal))),
  } satisfies Partial<Taglatch>;
}

/** Loaded once the host has consented and something has ended. */
function reportOutcomes({ ended }: Operations, parts: OutcomeParts): void {
  const loaded = () => import("./outcomes.ts");
  ended.add(
    (run) =>
      void loaded()
        .then(({ sendOutcome }) => sendOutcome(parts, run))
        .catch(() => undefined),
  );
}

/** Makes the parts of a client beyond those that its service worker has too, and connects them. */
function assemble(config: TaglatchConfig) {
  const service = connectService(config, config.evidence);
  const { source, configuration, database, session, api, records, now } = service;
  const { audience, clock } = source;
  const passkey = async (request: PasskeyRequest, signal: AbortSignal) => {
    // Loaded only for a login by passkey.
    const { passkeyEvidence } = await import("./service/passkey-login.ts");
    return passkeyEvidence(request, database, signal, config.passkeys);
  };
  const journeys = new LoadedJourneys(api, audience === "passenger");
  records.subscribe(({ method }) => {
    if (method === "none") journeys.forget();
  });
  const outbox = new Outbox(database, api, now);
  const links = new Links(config.radio ?? webBluetoothRadio());
  const certificate = new Certificate({ api, session, database, configuration, clock });
  const settings = {
    custodyProofCollector: config.custodyProofCollector,
    onOtherLabel: config.onOtherLabel,
    maxCustodyProofAttempts: config.maxCustodyProofAttempts ?? MAX_CUSTODY_PROOF_ATTEMPTS,
    showLocator: config.showLocator ?? false,
    onHandshake: config.onHandshake,
    readsModel: (known: Configuration) => countsOutcomes(known, config.outcomes),
  };
  const context = new OperationContext({
    api,
    journeys,
    outbox,
    links,
    certificate,
    configuration,
    clock,
    settings,
  });
  const operations = new Operations();
  if (config.outcomes) reportOutcomes(operations, { ...source, configuration, consent: config.outcomes });
  const tagNames = new TagNames(database);
  return { ...service, operations, links, tagNames, context, outbox, passkey, clock };
}

/**
 * Names of remembered tags: the browser keeps the permission, and this class keeps the name from the last
 * connection.
 */
export class TagNames {
  readonly #database: TaglatchStorage;

  constructor(database: TaglatchStorage) {
    this.#database = database;
  }

  /**
   * Stores the name of a tag that was reached, and returns the tag. A device without storage forgets the
   * name.
   */
  async keep(tag: PickedTag): Promise<PickedTag> {
    const names = await this.#read();
    if (tag.name !== names[tag.deviceId])
      await this.#database.write("tagNames", { ...names, [tag.deviceId]: tag.name }).catch(() => undefined);
    return tag;
  }

  /** The tags with a name: the others could not be distinguished. */
  async named(tags: readonly RememberedTag[]): Promise<readonly RememberedTag[]> {
    if (tags.length === 0) return [];
    const names = await this.#read();
    return tags.flatMap(({ deviceId, name }) => {
      const known = names[deviceId] ?? name;
      return known ? { deviceId, name: known } : [];
    });
  }

  async #read(): Promise<Readonly<Record<string, string>>> {
    return (await this.#database.read("tagNames").catch(() => undefined)) ?? {};
  }
}

/**
 * For tools that talk to tags themselves, such as a tag maker's checks: the same radio, certificate and
 * tokens as a transfer has, without its flow.
 */
export interface TagTools {
  readonly radio: TagRadio;
  /** What client and tag present to each other. Throws ServiceError, ConfigurationError, `cancelled`. */
  prepare(signal: AbortSignal): Promise<{
    /** DER, leaf first, and the leaf's private key. */
    readonly credential: { readonly chain: readonly Bytes[]; readonly privateKey: CryptoKey };
    /** DER of the pinned roots above tags. */
    readonly tagRoots: readonly Bytes[];
  }>;
  /** A transaction token (endpoint 8). Throws ServiceError, `cancelled`. */
  transactionToken(tokenRequest: TransactionTokenRequest, signal: AbortSignal): Promise<Bytes>;
}

/** Tools for tags picked by hand, without an account and without a journey. */
export function createTagTools(config: TaglatchConfig): TagTools {
  const { context, api } = assemble(config);
  return {
    radio: config.radio ?? webBluetoothRadio(),
    async prepare(signal) {
      const { configuration, credential } = await context.prepare(signal);
      return { credential, tagRoots: configuration.tagRoots };
    },
    transactionToken: async (tokenRequest, signal) =>
      (await transactionToken(api, tokenRequest, signal)).token,
  };
}
