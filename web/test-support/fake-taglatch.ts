import {
  AirlineRequiredError,
  type BagTrace,
  type ClearTagRequest,
  type CustodyProofCollector,
  type CustodyProofPrompt,
  type EbtLockLookupResponse,
  type Journey,
  type JourneyWithNewBag,
  OperationError,
  type OperationOptions,
  type OutboxEntry,
  type OutboxEvent,
  type PickedTag,
  type PickOptions,
  type RememberedTag,
  type Result,
  ServiceError,
  type StaffProof,
  type Taglatch,
  type TaglatchError,
  type TracedBags,
  type TransferResult,
  type TransferTagRequest,
} from "../../sdk/index.ts";

/** Two flights, two bags; as the service answers it. Its day is a Sunday that never comes: the page clears tags after it. */
export const LOVELACE: Journey = {
  journeyId: "journey-1",
  recordLocator: "ABC123",
  passenger: { givenName: "ADA", surname: "LOVELACE" },
  flights: [
    { carrier: "SK", number: "1234", date: "2099-11-22", from: "OSL", to: "ARN" },
    { carrier: "SK", number: "0999", date: "2099-11-22", from: "ARN", to: "HEL" },
  ],
  baggage: [
    { baggageId: 1, licencePlate: "0117123456", readable: "SK 123456", flags: 1 },
    { baggageId: 2, licencePlate: "0117123457", readable: "SK 123457", flags: 1 },
  ],
  departureAirport: "OSL",
  destinationAirport: "HEL",
  destinationCity: "Helsinki",
  version: 1,
};

export const PICKED: PickedTag = {
  deviceId: "radio-1",
  uniqueDeviceId: "ebt-21-0001",
  name: "EBT-0001",
  generation: "2.1",
  batteryLevel: 87,
};

type Bag = Journey["baggage"][number];

/** The journey with so many of its bags, and what is else about each. */
export const withBags = (...bags: readonly Partial<Bag>[]) => {
  const baggage = bags.map((more, at) => ({ ...(LOVELACE.baggage[at] as Bag), ...more }));
  return { journey: { ok: true as const, value: { ...LOVELACE, baggage } } };
};

/** A tag that was written, and the service knows. */
export const WRITTEN = {
  ok: true,
  value: { pendingRetry: false, confirmedByTag: true, device: PICKED, elapsed: 1 },
} as const;

/** The service asks for the proof that opens the tag's lock. */
export const promptOf = (more: Partial<CustodyProofPrompt> = {}): CustodyProofPrompt => ({
  ...{ uniqueDeviceId: PICKED.uniqueDeviceId, hints: {}, attempt: 1, attemptsLeft: 3 },
  signal: new AbortController().signal,
  ...more,
});

/** The first bag is on the tag, and the service does not know yet. */
export const WAITING: OutboxEntry = {
  ...{ id: "1", uniqueDeviceId: PICKED.uniqueDeviceId, baggageId: 1, createdAt: 0, tries: 1 },
  kind: "attach",
};

/** What a test decides; everything left out succeeds at once. */
export interface FakeScript {
  readonly journey?: Result<Journey>;
  /** Those that have a booking with the locator and surname of every request; asked for where it names none. */
  readonly airlines?: readonly string[];
  /** Journeys of the same caller beside it. */
  readonly companions?: readonly Journey[];
  readonly lookUp?: Result<EbtLockLookupResponse>;
  readonly addBag?: Result<JourneyWithNewBag>;
  /** Of every change. */
  readonly trace?: Result<BagTrace>;
  readonly pick?: (options: PickOptions) => Promise<Result<PickedTag>>;
  readonly transfer?: (
    collector: CustodyProofCollector,
    options: OperationOptions,
    request: TransferTagRequest,
  ) => Promise<Result<TransferResult>>;
  readonly clear?: (options: OperationOptions, request: ClearTagRequest) => Promise<Result<TransferResult>>;
  readonly waiting?: readonly OutboxEntry[];
  readonly remembered?: readonly RememberedTag[];
  readonly connect?: Result<PickedTag> | ((deviceId: string) => Promise<Result<PickedTag>>);
  /** A page of lost and found bags. */
  readonly traced?: (cursor: string | undefined, uniqueDeviceId?: string) => TracedBags;
  /** By the service's clock. */
  readonly now?: () => number;
  /** The one staff id and PIN that the service accepts, and demands; absent: it demands none. */
  readonly staff?: StaffProof;
}

export interface FakeTaglatch extends Taglatch {
  /** Names of the calls in their order. */
  readonly calls: string[];
  /** Reports to the page what the outbox did. */
  readonly outboxSays: (event: OutboxEvent) => void;
}

const done = <Value>(value: Value) => ({ ok: true, value }) as const;
const refused = (error: TaglatchError) => ({ ok: false, error }) as const;

/** An SDK without radio and service, for tests of the page alone. */
export function fakeTaglatch(script: FakeScript = {}): FakeTaglatch {
  const calls: string[] = [];
  return {
    calls,
    ...fakeRadio(script, calls),
    journeys: fakeJourneys(script, calls),
    delegations: NO_DELEGATIONS,
    tags: fakeTags(script, calls),
    staff: {
      isPinRequired: async () => done(script.staff !== undefined),
      check: async (staff, purpose) => {
        calls.push(`check ${staff.id} ${purpose}`);
        return refusalOf(script, staff) ?? done(undefined);
      },
    },
    session: SESSION,
    ...fakeOutbox(script, calls),
    diagnostics: { runs: () => [], subscribe: () => () => undefined },
    now: script.now ?? Date.now,
  };
}

const ended = async () => refused(new ServiceError("delegation_ended", "none here"));
const NO_DELEGATIONS: Taglatch["delegations"] = {
  create: ended,
  claim: ended,
  decide: ended,
  list: async () => done([]),
};

function fakeRadio(script: FakeScript, calls: string[]) {
  return {
    pickTag: async (options = {}) => {
      calls.push("pickTag");
      return script.pick ? script.pick(options) : done(PICKED);
    },
    rememberedTags: async () => script.remembered ?? [],
    connect: async (deviceId) => {
      calls.push(`connect ${deviceId}`);
      const { connect = done(PICKED) } = script;
      return typeof connect === "function" ? connect(deviceId) : connect;
    },
    disconnect: async () => void calls.push("disconnect"),
    readBattery: async () => done(87),
    readFirmware: async () => done("1.0"),
    transferTag: async (request, collector, options = {}) => {
      calls.push("transferTag");
      return script.transfer && collector ? script.transfer(collector, options, request) : WRITTEN;
    },
    settleTag: async () => {
      calls.push("settleTag");
      return done({ outcome: "written", pendingRetry: false, device: PICKED });
    },
    clearTag: async (request, options = {}) => {
      calls.push("clearTag");
      return script.clear ? script.clear(options, request) : WRITTEN;
    },
  } satisfies Partial<Taglatch>;
}

function fakeJourneys(script: FakeScript, calls: string[]): Taglatch["journeys"] {
  const journey = async () => script.journey ?? done(LOVELACE);
  const ofAirline = async (airline: string | undefined): Promise<Result<Journey>> => {
    if (script.airlines === undefined || airline !== undefined) return journey();
    return refused(new AirlineRequiredError("airline_required", "", { errors: script.airlines }));
  };
  return {
    fromRecordLocator: async (recordLocator, surname, { airline } = {}) => {
      calls.push(["fromRecordLocator", recordLocator, surname, airline].join(" ").trim());
      return ofAirline(airline);
    },
    fromBcbp: async (scanData, { airline } = {}) => {
      calls.push(["fromBcbp", scanData, airline].join(" ").trim());
      return ofAirline(airline);
    },
    addBag: async (journeyId, { slotNumber } = {}) => {
      calls.push(["addBag", journeyId, slotNumber].join(" ").trim());
      return script.addBag ?? journey();
    },
    list: async () => {
      const own = await journey();
      return own.ok ? done([own.value, ...(script.companions ?? [])]) : own;
    },
    get: journey,
  };
}

const traceOf = (uniqueDeviceId: string) => ({ uniqueDeviceId, muted: false, reports: [], more: 0 });

const fakeTags = (script: FakeScript, calls: string[]): Taglatch["tags"] => ({
  lookUp: async () => script.lookUp ?? done({ locked: true, sameTravelPlan: true }),
  markLost: async (uniqueDeviceId, lost) => {
    calls.push(`markLost ${uniqueDeviceId} ${lost}`);
    return done({ uniqueDeviceId, lost });
  },
  trace: async (uniqueDeviceId) => done(traceOf(uniqueDeviceId)),
  changeTrace: async (uniqueDeviceId, change) => {
    calls.push(`changeTrace ${JSON.stringify(change)}`);
    return script.trace ?? done({ ...traceOf(uniqueDeviceId), ...change });
  },
  traced: async ({ cursor, uniqueDeviceId } = {}) =>
    done(script.traced?.(cursor, uniqueDeviceId) ?? { bags: [] }),
  openLocation: async (uniqueDeviceId) => done({ uniqueDeviceId, locationLink: "" }),
  release: async (uniqueDeviceId, reason, { staff } = {}) => {
    calls.push(["release", uniqueDeviceId, reason, staff?.id].join(" ").trim());
    return refusalOf(script, staff) ?? done({ uniqueDeviceId, locked: false });
  },
});

function refusalOf({ staff: right }: FakeScript, staff: StaffProof | undefined) {
  if (right === undefined || (staff?.id === right.id && staff.pin === right.pin)) return undefined;
  return refused(new ServiceError("invalid_credentials", "not in this fake"));
}

const never = async () => refused(new OperationError("internal", "not in this fake"));

const SESSION: Taglatch["session"] = {
  state: async () => ({ method: "none" }),
  loginGuest: never,
  loginFederated: never,
  loginAttested: never,
  loginWithPasskey: never,
  loginB2B: never,
  logout: never,
  prepare: async () => done(undefined),
  subscribe: () => () => undefined,
};

function fakeOutbox(script: FakeScript, calls: string[]): Pick<FakeTaglatch, "outbox" | "outboxSays"> {
  const listeners = new Set<(event: OutboxEvent) => void>();
  let waiting = [...(script.waiting ?? [])];
  return {
    outboxSays: (event) => {
      if (event.type !== "added") waiting = waiting.filter((entry) => entry.id !== event.entry.id);
      for (const listener of listeners) listener(event);
    },
    outbox: {
      entries: async () => waiting,
      flush: async () => {
        calls.push("flush");
        return done({ sent: 0, sentIds: [], dropped: 0, left: waiting.length, asking: 0 });
      },
      dismiss: async (id) => void calls.push(`dismiss ${id}`),
      subscribe: (listener) => {
        listeners.add(listener);
        return () => listeners.delete(listener);
      },
    },
  };
}

/** What a browser's cache storage keeps for a page, of one entry in each cache. */
export function storage(): CacheStorage {
  const stored = new Map<string, string>();
  return {
    match: async (_: string, { cacheName = "" }: MultiCacheQueryOptions = {}) => {
      const found = stored.get(cacheName);
      return found === undefined ? undefined : new Response(found);
    },
    open: async (name: string) => ({
      put: async (_: string, response: Response) => void stored.set(name, await response.text()),
    }),
    delete: async (name: string) => stored.delete(name),
  } as unknown as CacheStorage;
}
