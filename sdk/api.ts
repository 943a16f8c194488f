/** The client's interface: its configuration and its calls. */
import type { GattVersion } from "../core/gatt/profile.ts";
import type { RecordedHandshake } from "./flows/recorded-handshake.ts";
import type {
  BagTrace,
  BagTraceChange,
  Delegation,
  DelegationClaim,
  DelegationCode,
  DelegationDecision,
  DeviceLossResponse,
  EbtLockLookupResponse,
  EbtUnlockResponse,
  Journey,
  JourneyWithCompanions,
  JourneyWithNewBag,
  OpenedLocation,
  StaffProof,
  TracedBags,
} from "./records.ts";
import type { Passkeys, RelyingParty } from "./service/passkeys.ts";
import type { TaglatchStorage } from "./storage.ts";
import type { TagRadio } from "./tag/link.ts";
import type {
  AppEvidence,
  AttestationChallenge,
  AttestationEvidence,
  ClearResult,
  ClearTagRequest,
  CustodyProofCollector,
  FlushReport,
  OnOtherLabel,
  OperationOptions,
  OutboxEntry,
  OutboxEvent,
  OutcomesConsent,
  Phase,
  PickedTag,
  PickOptions,
  RememberedTag,
  Result,
  RetryReason,
  SessionState,
  SettleResult,
  TransferResult,
  TransferTagRequest,
} from "./types.ts";

/** The configuration of a client. Only `baseUrl` is mandatory. */
export interface TaglatchConfig {
  /** Origin (and path) of the service without a trailing slash; "" for the page's own origin. */
  readonly baseUrl: string;
  /** X-Source-App-Key. Absent: the configuration's key for `audience`. */
  readonly clientKey?: string;
  /**
   * Which of the configuration's client keys to use; default `passenger`, which signs in as a guest
   * automatically. At a kiosk a member of staff must sign in.
   */
  readonly audience?: "passenger" | "kiosk";
  /** Used when neither the request nor the call brings one. */
  readonly custodyProofCollector?: CustodyProofCollector;
  /**
   * Asked before a label is written over that is probably another person's. Without it such a label is replaced, and the
   * result says `replacedOtherLabel`.
   */
  readonly onOtherLabel?: OnOtherLabel;
  /** Default 3. */
  readonly maxCustodyProofAttempts?: number;
  /** Whether the label shows the record locator (half of the custody proof); default false. */
  readonly showLocator?: boolean;
  /** IndexedDB name; default `taglatch`. Passenger and kiosk on one origin need two. */
  readonly databaseName?: string;
  /**
   * Gets each finished v2.1 handshake as a file for `npm run sec:verify`, **with the session's secrets**: for
   * the verification of tags in development. Default: nothing is recorded.
   */
  readonly onHandshake?: (recorded: RecordedHandshake) => void;
  /**
   * An app's evidence for a challenge (App Attest, Play Integrity). A passenger then signs in by it, and again once the
   * session has ended, instead of as a guest.
   */
  readonly evidence?: (challenge: AttestationChallenge) => Promise<AppEvidence>;
  /** Where to keep key, session, certificate and outbox; default: the IndexedDB `databaseName`. */
  readonly storage?: TaglatchStorage;
  /** Default: Web Bluetooth. `linkOver` and `connectionOver` make one over another platform's calls. */
  readonly radio?: TagRadio;
  /**
   * Consent to send how operations ended, without any id, to a service that counts it: true, or what is known of app and
   * system where the browser does not say (`{ app: "skyways/12", os: "ios/18" }`). `operator` leaves it to the service's
   * configuration, as its own pages do. Default: nothing is sent.
   */
  readonly outcomes?: OutcomesConsent;
  /** Default: the platform's. */
  readonly passkeys?: Passkeys;
  /** Default: the platform's. */
  readonly fetch?: typeof fetch;
  /** Milliseconds since 1970; default: the device's clock. */
  readonly now?: () => number;
}

/** A login by passkey. */
export interface PasskeyRequest {
  /**
   * Shown by the authenticator, and sent to the service as an attribute; the passkey identifies the person.
   */
  readonly email: string;
  /**
   * Which passkey to use: the one used here last, or else a new one (`remembered`, the default); any of this
   * site's that the person chooses (`existing`: after log-out, on another device); always a new one (`new`).
   */
  readonly passkey?: "remembered" | "existing" | "new";
  readonly relyingParty?: RelyingParty;
}

export interface SessionApi {
  state(): Promise<SessionState>;
  loginGuest(options?: OperationOptions): Promise<Result<SessionState>>;
  /** `token`: the host app's JWT. */
  loginFederated(token: string, options?: OperationOptions): Promise<Result<SessionState>>;
  loginAttested(
    email: string,
    makeEvidence: (challenge: AttestationChallenge) => Promise<AttestationEvidence>,
    options?: OperationOptions,
  ): Promise<Result<SessionState>>;
  /** Registers a passkey or uses one, from a tap. A closed dialog gives code `cancelled`. */
  loginWithPasskey(request: PasskeyRequest, options?: OperationOptions): Promise<Result<SessionState>>;
  loginB2B(
    credentials: { readonly username: string; readonly password: string; readonly b2bSecret: string },
    options?: OperationOptions,
  ): Promise<Result<SessionState>>;
  /** Flushes the outbox, revokes, forgets tokens, key and certificate. Refuses while the outbox is not empty. */
  logout(options?: OperationOptions & { readonly force?: boolean }): Promise<Result<void>>;
  /**
   * Makes session, key and certificate ready, so that a later transfer does not wait for them. `certificate: false`: the
   * session alone, for a person who has yet to find a journey.
   */
  prepare(options?: OperationOptions & { readonly certificate?: boolean }): Promise<Result<void>>;
  subscribe(listener: (state: SessionState) => void): () => void;
}

export interface JourneysApi {
  /** Without `airline`, `AirlineRequiredError` where several airlines have such a booking. */
  fromRecordLocator(
    recordLocator: string,
    surname: string,
    options?: OperationOptions & { readonly airline?: string | undefined },
  ): Promise<Result<JourneyWithCompanions>>;
  /**
   * The booking of a boarding pass, as the scanner read it (IATA BCBP); a trailing line end does not matter.
   * Errors as for `fromRecordLocator`, and `invalid_bcbp_format` for text that is no boarding pass.
   */
  fromBcbp(
    scanData: string,
    options?: OperationOptions & { readonly airline?: string | undefined },
  ): Promise<Result<JourneyWithCompanions>>;
  /**
   * Adds one bag, with one of the airline's licence plates; `bag_limit` if there is no room for it, `BagRefusedError` if the
   * airline does not accept it.
   * `slotNumber` n asks for the n-th bag and adds nothing if there is one; `lpn` is for staff with a plate at
   * hand.
   */
  addBag(
    journeyId: string,
    options?: OperationOptions & { readonly lpn?: string; readonly slotNumber?: number },
  ): Promise<Result<JourneyWithNewBag>>;
  list(options?: OperationOptions): Promise<Result<readonly Journey[]>>;
  get(journeyId: string, options?: OperationOptions): Promise<Result<Journey>>;
}

/** Another person's phone writes tags for a booking: the holder makes a code, the other one claims it, both decide. */
export interface DelegationsApi {
  /** In the place of an earlier code that waits. `journey_not_found` where the caller has not loaded the booking. */
  create(journeyId: string, options?: OperationOptions): Promise<Result<DelegationCode>>;
  /** `delegation_ended`, whatever is wrong with the code. */
  claim(code: string, options?: OperationOptions): Promise<Result<DelegationClaim>>;
  /** `confirmed`: both phones show the same digits; false ends it, whatever it has come to. */
  decide(
    delegationId: string,
    confirmed: boolean,
    options?: OperationOptions,
  ): Promise<Result<DelegationDecision>>;
  /** What has ended is not in it. */
  list(options?: OperationOptions): Promise<Result<readonly Delegation[]>>;
}

/** The service's view of a tag's lock; only `release` may use the radio. `uniqueDeviceId` as the tag or its label says it. */
export interface TagsApi {
  /** Endpoint 10. A holder also sees how many custody proofs failed at the tag, and when last. */
  lookUp(uniqueDeviceId: string, options?: OperationOptions): Promise<Result<EbtLockLookupResponse>>;
  /**
   * For holders of the lock and for staff: while the tag is lost, only they get a token for it. Ends with the lock.
   * `staff` counts where staff take the mark away.
   */
  markLost(
    uniqueDeviceId: string,
    lost: boolean,
    options?: StaffedOptions,
  ): Promise<Result<DeviceLossResponse>>;
  /** For holders of the lock: what finders said of the bag, and who opened the link to where it is. */
  trace(uniqueDeviceId: string, options?: OperationOptions): Promise<Result<BagTrace>>;
  /** The same, after a change; what is absent stays. An empty link takes it away. */
  changeTrace(
    uniqueDeviceId: string,
    change: BagTraceChange,
    options?: OperationOptions,
  ): Promise<Result<BagTrace>>;
  /** For ground staff (scope `bag:trace`): lost and found bags of their airlines, or one with every report. */
  traced(options?: TracedOptions): Promise<Result<TracedBags>>;
  /** For ground staff: the holder's link. The holder is notified. */
  openLocation(uniqueDeviceId: string, options?: OperationOptions): Promise<Result<OpenedLocation>>;
  /**
   * For ground staff: removes a lock of their airline, and another's where the tag is in hand (`deviceId`) or cannot sign.
   * `reason` goes to the audit log: no names. `insufficient_scope` where they may not.
   */
  release(
    uniqueDeviceId: string,
    reason: string,
    options?: ReleaseOptions,
  ): Promise<Result<EbtUnlockResponse>>;
}

/** Options of a list of lost and found bags. */
export interface TracedOptions extends OperationOptions {
  /** This tag's alone, with its reports. */
  readonly uniqueDeviceId?: string;
  /** Where the last answer ended. */
  readonly cursor?: string;
}

/** Options of a call that may have to name the member of staff: see {@link StaffApi.isPinRequired}. */
export interface StaffedOptions extends OperationOptions {
  readonly staff?: StaffProof;
}

/** Options of a release. */
export interface ReleaseOptions extends StaffedOptions {
  /** The BLE device id of the tag, where it is in hand: it is asked for its statement if the service demands one. */
  readonly deviceId?: string;
}

/** For shared devices: ground staff name themselves. */
export interface StaffApi {
  /** Whether the service takes a release only with staff id and PIN. */
  isPinRequired(options?: OperationOptions): Promise<Result<boolean>>;
  /** Checks id and PIN, and leaves a row in the audit log: for what a kiosk does without a release. */
  check(
    staff: StaffProof,
    purpose: "set_up" | "end_of_shift" | "tracing",
    options?: OperationOptions,
  ): Promise<Result<void>>;
}

export interface OutboxApi {
  entries(): Promise<readonly OutboxEntry[]>;
  /** Tries all that waits; with `due`, only entries whose pause is over. */
  flush(options?: OperationOptions & { readonly due?: boolean }): Promise<Result<FlushReport>>;
  /** Discards an unresolved entry: the person cannot hold the tag near. Does nothing to other entries. */
  dismiss(id: string): Promise<void>;
  subscribe(listener: (event: OutboxEvent) => void): () => void;
}

/** Timings of one operation, for `/diagnostics`: no ids of people, bags or bookings. */
export interface RunRecord {
  readonly operation: "pick" | "connect" | "transfer" | "clear" | "settle" | "release";
  /** Milliseconds since 1970. */
  readonly startedAt: number;
  readonly elapsed: number;
  readonly generation?: GattVersion;
  /** Of the tag, where it was read: only with `outcomes` of the configuration. */
  readonly model?: string;
  readonly firmware?: string;
  /** `ok`, `pending_retry` or the error's code. */
  readonly outcome: string;
  readonly phases: readonly { readonly phase: Phase; readonly at: number; readonly duration: number }[];
  readonly retries: readonly RetryReason[];
  /** X-Request-Id of the last failed call. */
  readonly requestId?: string;
}

export interface DiagnosticsApi {
  /** The newest last, at most 20. */
  runs(): readonly RunRecord[];
  /** Called with each run as it ends. */
  subscribe(listener: (run: RunRecord) => void): () => void;
}

/** The client: BLE and service in one. Made by `createTaglatch`. */
export interface Taglatch {
  /** Chooser, connect, read INFO and ID. Must be called from a tap. A closed chooser gives code `cancelled`. */
  pickTag(options?: PickOptions): Promise<Result<PickedTag>>;
  /** Tags that the browser remembers; empty if it remembers none. */
  rememberedTags(): Promise<readonly RememberedTag[]>;
  /**
   * Connects to a tag picked before, without the chooser; one from an earlier visit must advertise within 5 s.
   */
  connect(deviceId: string, options?: OperationOptions): Promise<Result<PickedTag>>;
  disconnect(deviceId: string): Promise<void>;
  /** Per cent. */
  readBattery(deviceId: string, options?: OperationOptions): Promise<Result<number>>;
  readFirmware(deviceId: string, options?: OperationOptions): Promise<Result<string>>;
  transferTag(
    request: TransferTagRequest,
    collector?: CustodyProofCollector,
    options?: OperationOptions,
  ): Promise<Result<TransferResult>>;
  clearTag(request: ClearTagRequest, options?: OperationOptions): Promise<Result<ClearResult>>;
  /**
   * Asks a tag that is held near whether it took what the outbox does not know of (entries that are `unresolved`), and
   * reports to the service. Every transfer and clear does the same first.
   */
  settleTag(request: ClearTagRequest, options?: OperationOptions): Promise<Result<SettleResult>>;
  readonly journeys: JourneysApi;
  readonly delegations: DelegationsApi;
  readonly tags: TagsApi;
  readonly staff: StaffApi;
  readonly session: SessionApi;
  readonly outbox: OutboxApi;
  readonly diagnostics: DiagnosticsApi;
  /** Milliseconds since 1970 by the service's clock, as far as its answers have corrected that of the device. */
  now(): number;
}
