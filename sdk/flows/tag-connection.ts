/**
 * The tag of one operation, across lost links: connects, checks that it is the requested tag, makes the session, and
 * makes it again without a chooser if the link falls in between.
 */
import { PkiError } from "../../core/pki/certificate.ts";
import { type ChainCheck, type VerifiedLeaf, verifyChain } from "../../core/pki/chain.ts";
import { EKU_TAG } from "../../core/pki/profiles.ts";
import { rootsFor } from "../../core/pki/tag-roots.ts";
import type { Credential, Peer } from "../../core/sec/authentication.ts";
import { SecError } from "../../core/sec/errors.ts";
import { orCancelled, sleep } from "../abort.ts";
import type { Configuration } from "../configuration.ts";
import { BluetoothError, OperationError, TagError } from "../errors.ts";
import type { Outbox } from "../outbox.ts";
import type { Certificate } from "../service/certificate.ts";
import type { LoadedJourneys } from "../service/journeys.ts";
import type { ServiceClock } from "../service/service-clock.ts";
import type { Api } from "../service/session.ts";
import type { SecuredTag } from "../tag/secured-tag.ts";
import {
  isFresh,
  isLinkFailure,
  type Links,
  type OpenTag,
  pickedTag,
  readModel,
  readStatus,
  sameDevice,
} from "../tag/tag.ts";
import { secureV20 } from "../tag/v20.ts";
import { secureV21 } from "../tag/v21.ts";
import type { ClearTagRequest, CustodyProofCollector, OnOtherLabel, TagDevice } from "../types.ts";
import type { Operation, Progress } from "./operation.ts";
import { type RecordedHandshake, recordedHandshake } from "./recorded-handshake.ts";

/** A tag ends the connection after 10 s without an operation. */
const KEEP_ALIVE = 4_000;
/**
 * Silent reconnects of one operation: for a slow proof dialog, for a commit whose answer was lost, and for
 * bad reception.
 */
const MAX_LOSSES = 3;

/** Made while the radio still connects. */
export interface Preparation {
  readonly configuration: Configuration;
  readonly credential: Credential;
}

export interface TagConnectionOptions {
  readonly links: Links;
  readonly progress: Progress;
  readonly signal: AbortSignal;
  readonly preparation: Promise<Preparation>;
  readonly clock: ServiceClock;
  /** SUITES_R by device id, kept from one operation to the next. */
  readonly suites: Map<string, readonly number[]>;
  readonly onHandshake: ((recorded: RecordedHandshake) => void) | undefined;
  /** Whether a use is known for the tag's model. */
  readonly readsModel: (configuration: Configuration) => boolean;
  readonly deviceId: string;
  readonly uniqueDeviceId: string;
}

export class TagConnection {
  readonly #options: TagConnectionOptions;
  #tag: SecuredTag | undefined;
  #device: TagDevice | undefined;
  #showsLabel = false;
  #losses = 0;

  constructor(options: TagConnectionOptions) {
    this.#options = options;
  }

  /** Known after the tag was read. */
  get device(): TagDevice {
    if (this.#device === undefined) throw new TagError("protocol", "the tag was not read yet");
    return this.#device;
  }

  /** What INFO said when the tag was read last. */
  get showsLabel(): boolean {
    return this.#showsLabel;
  }

  /** The session, made now or made again. Throws what connect, handshake and preparation throw. */
  async secured(): Promise<SecuredTag> {
    if (this.#tag?.open) return this.#tag;
    if (this.#tag !== undefined) this.allowRetry(new BluetoothError("link_lost", "the link to the tag fell"));
    for (;;) {
      try {
        return await this.#reach();
      } catch (error) {
        this.allowRetry(error);
      }
    }
  }

  /**
   * Counts a failure of the link and drops the link. Throws `error` if it is another kind of failure, or one
   * too many.
   */
  allowRetry(error: unknown): void {
    if (!isLinkFailure(error) || this.#losses++ >= MAX_LOSSES) throw error;
    this.#tag?.close();
    // It is counted now: the next request for the session must not count it again.
    this.#tag = undefined;
    this.#options.progress.retrying("link_lost");
  }

  async #reach(): Promise<SecuredTag> {
    const { progress, links, deviceId, signal } = this.#options;
    progress.enter("connect");
    const tag = await links.reach(deviceId, true, signal, () => progress.retrying("connect_failed"));
    await this.#check(tag);
    progress.enter("secure");
    const preparation = await this.#prepared(tag);
    // The certificate took long, and the tag's handshake timer counts from connect.
    if (!isFresh(tag)) return this.#reach();
    this.#tag = await this.#session(tag, preparation);
    void this.#readModel(tag, preparation.configuration);
    return this.#tag;
  }

  /** While the service is asked, and the radio has nothing to do. What cannot be read stays unknown. */
  async #readModel({ connection }: OpenTag, configuration: Configuration): Promise<void> {
    const { readsModel, progress, signal } = this.#options;
    if (!readsModel(configuration)) return;
    const model = await readModel(connection, signal);
    progress.device = this.#device = { ...this.device, ...model };
  }

  close(): void {
    this.#tag?.close();
    this.#options.links.close(this.#options.deviceId);
  }

  async #check(tag: OpenTag): Promise<void> {
    const { progress, links, deviceId, uniqueDeviceId } = this.#options;
    if (!sameDevice(tag.id, uniqueDeviceId)) throw new TagError("wrong_tag", "the tag has another id");
    this.#device = pickedTag(await links.find(deviceId), tag);
    this.#showsLabel = !tag.info.flags.displayBlank;
    progress.tag(this.#device);
    if (tag.info.flags.lowBattery)
      throw new TagError("low_battery", "the tag's battery is low", { status: "LOW_BATTERY" });
  }

  /** Waits for certificate and configuration; reads STATUS now and then so that the tag stays connected. */
  async #prepared({ connection }: OpenTag): Promise<Preparation> {
    const { preparation, signal } = this.#options;
    for (;;) {
      const pause = new AbortController();
      const waited = sleep(KEEP_ALIVE, pause.signal).then(() => undefined);
      waited.catch(() => undefined);
      const prepared = await orCancelled(signal, Promise.race([preparation, waited]));
      pause.abort();
      if (prepared !== undefined) return prepared;
      if (connection.open) await readStatus(connection, signal);
    }
  }

  #session(tag: OpenTag, { configuration, credential }: Preparation): Promise<SecuredTag> {
    const { signal, suites, onHandshake, clock } = this.#options;
    if (tag.generation === "2.0") return secureV20(tag, credential.chain, signal);
    const secure = {
      credential,
      hurry: this.#losses === 0,
      verifyTag: (chain: Credential["chain"], id: string) => verifyTag(chain, id, configuration, clock),
      knownSuites: suites.get(tag.id),
      onSuites: (suitesR: readonly number[]) => suites.set(tag.id, suitesR),
      onHandshake:
        onHandshake &&
        ((values: Readonly<Record<string, string>>) => {
          void recordedHandshake(values, configuration).then(onHandshake);
        }),
    };
    return secureV21(tag, secure, signal);
  }
}

/**
 * Checks the chain to a pinned tag root that may name the tag, the EKU, that the certificate's serialNumber is the tag's id,
 * byte for byte, and the time. Throws SecError, and OperationError `clock_wrong` where all but the time is right.
 */
async function verifyTag(
  chain: Credential["chain"],
  id: string,
  { tagRoots, tagRootIds }: Configuration,
  clock: ServiceClock,
): Promise<Peer> {
  const check: ChainCheck = { chain, anchors: rootsFor(tagRoots, tagRootIds, id), eku: EKU_TAG };
  try {
    return checkIdentity(await verifyChain({ ...check, at: new Date(clock.now()) }), id);
  } catch (cause) {
    if (!(cause instanceof PkiError) || cause.code !== "CRED_TIME") throw cause;
    const { notBefore } = checkIdentity(await verifyChain(check), id);
    if (!clock.isWrong(notBefore)) throw cause;
    throw new OperationError("clock_wrong", "the device's clock is wrong for this certificate", { cause });
  }
}

/** `leaf`, if it is for the tag. */
function checkIdentity(leaf: VerifiedLeaf, id: string): VerifiedLeaf {
  if (leaf.subjectSerialNumber === id) return leaf;
  throw new SecError("IDENTITY", { message: "the certificate is another tag's" });
}

export interface OperationSettings {
  readonly custodyProofCollector: CustodyProofCollector | undefined;
  readonly onOtherLabel: OnOtherLabel | undefined;
  readonly maxCustodyProofAttempts: number;
  readonly showLocator: boolean;
  readonly onHandshake: ((recorded: RecordedHandshake) => void) | undefined;
  readonly readsModel: (configuration: Configuration) => boolean;
}

export interface ContextParts {
  readonly api: Api;
  readonly journeys: LoadedJourneys;
  readonly outbox: Outbox;
  readonly links: Links;
  readonly certificate: Certificate;
  readonly configuration: (signal: AbortSignal) => Promise<Configuration>;
  readonly clock: ServiceClock;
  readonly settings: OperationSettings;
}

/** What transfer and clear work with: the service, the outbox, tags, and the host's settings. */
export class OperationContext {
  readonly api: Api;
  readonly journeys: LoadedJourneys;
  readonly outbox: Outbox;
  readonly settings: OperationSettings;
  readonly #parts: ContextParts;
  /** SUITES_R by device id: a tag without our first suite is offered it only once. */
  readonly #suites = new Map<string, readonly number[]>();

  constructor(parts: ContextParts) {
    this.#parts = parts;
    this.api = parts.api;
    this.journeys = parts.journeys;
    this.outbox = parts.outbox;
    this.settings = parts.settings;
  }

  /** Begins a connection. From now on, session and certificate are prepared while the radio connects. */
  reach<Value>(
    { deviceId, uniqueDeviceId }: ClearTagRequest,
    { progress, signal }: Operation<Value>,
  ): TagConnection {
    if (uniqueDeviceId.trim() === "")
      throw new OperationError("invalid_request", "uniqueDeviceId is missing");
    const { links, clock } = this.#parts;
    const preparation = this.prepare(signal);
    preparation.catch(() => undefined);
    return new TagConnection({
      links,
      progress,
      signal,
      preparation,
      clock,
      suites: this.#suites,
      onHandshake: this.settings.onHandshake,
      readsModel: this.settings.readsModel,
      deviceId,
      uniqueDeviceId,
    });
  }

  /** Trust anchors, session, key and certificate. Throws ConfigurationError, ServiceError, `cancelled`. */
  async prepare(signal: AbortSignal) {
    const { configuration, certificate } = this.#parts;
    // In this order, because its answer corrects the clock by which the stored certificate is verified.
    const trusted = await configuration(signal);
    return { configuration: trusted, credential: await certificate.credential(signal) };
  }
}
