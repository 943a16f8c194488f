/**
 * Lifetimes and limits (rules §2): the only table of them. Seconds unless the name says otherwise. An
 * operator can override each by a Worker var of the same name in capitals (`accessTokenSeconds` →
 * `ACCESS_TOKEN_SECONDS`).
 */
export const limits = {
  accessTokenSeconds: 600,
  refreshTokenSeconds: 86_400,
  refreshFamilySeconds: 30 * 86_400,
  refreshLeewaySeconds: 10,
  attestationNonceSeconds: 300,
  transactionTokenSeconds: 120,
  certificateSeconds: 7 * 86_400,
  certificateRenewSeconds: 86_400,
  certificateBackdateSeconds: 300,
  dpopProofSeconds: 300,
  /**
   * For the keys of federated hosts behind a URL: how long they are used without a fetch, how long while the
   * host is down, and the shortest time between fetches.
   */
  hostKeysFreshSeconds: 600,
  hostKeysStaleSeconds: 3_600,
  hostKeysCooldownSeconds: 30,
  hostKeysBytes: 64 * 1024,
  hostKeysTimeoutMilliseconds: 3_000,
  idempotencySeconds: 86_400,
  maxCustodyProofAttempts: 3,
  maxBagsPerJourney: 10,
  /** For so many days before and after a flight, its plates are not given to another bag. */
  plateRestDays: 10,
  /**
   * How far ahead and back an airline's flights may lie. Airlines sell seats up to 361 days ahead (most 330,
   * some 355 or 359), and a ticket is valid for a year from its first flight (IATA RP 1724, article 3.2); the
   * rest is margin.
   */
  flightAheadDays: 370,
  flightBehindDays: 370,
  bodyBytes: 16 * 1024,
  feedBodyBytes: 256 * 1024,
  lockAfterArrivalSeconds: 24 * 3_600,
  lockAfterFlightDateSeconds: 72 * 3_600,
  /** Guess budget: window of the per-device and per-locator counters. */
  guessWindowSeconds: 900,
  guessesPerDeviceUnvouched: 5,
  guessesPerDeviceVouched: 20,
  guessesPerDeviceStaff: 20,
  guessesPerLocatorUnvouched: 10,
  guessesPerLocatorVouched: 30,
  guessesPerLocatorStaff: 300,
  guessesPerSubjectPerHour: 10,
  guessesPerStaffPerHour: 300,
  guessesPerNetworkUnvouchedPerHour: 30,
  guessesPerNetworkVouchedPerHour: 300,
  /** Per IPv6 /32: a hosting range must not spray; a mobile carrier's honest guests must fit. */
  guessesPerCarrierUnvouchedPerHour: 6_000,
  /** Staff PINs, in the same window: tries at one staff id, and of one signed-in account at any of them. */
  staffPinsPerId: 5,
  staffPinsPerAccount: 30,
  /** A lock lives no longer after its last attachment; a claim far less (rules §5). */
  lockSeconds: 14 * 86_400,
  claimSeconds: 24 * 3_600,
  /** How long before the first flight an attachment entitles. */
  entitledAheadSeconds: 14 * 86_400,
  /** How long staff hold what they attached. */
  staffHoldsSeconds: 900,
  /** How long a code for another phone waits to be used and confirmed, and how many phones a booking may have at once. */
  delegationCodeSeconds: 600,
  delegationsPerBooking: 4,
  liveLocksPerSubject: 20,
  liveClaimsPerSubject: 10,
  claimsPerNetworkPerHour: 30,
  /** Entitled locks that a booking may have, for each of its bags. */
  locksPerBag: 4,
  /** Releases of other airlines' locks, per staff account. */
  foreignReleasesPerDay: 10,
  /** Found reports (rules §5): an hour, and of one tag a day. */
  foundReportsPerNetworkPerHour: 6,
  foundReportsPerNetworkAndTag: 3,
  foundReportsPerCarrierAndTag: 30,
  foundReportsPerTag: 500,
  attachmentsPerSubjectPerHour: 30,
  unknownBaggagePerSubjectPerHour: 20,
  /**
   * Counted by the platform's rate-limit bindings: wrangler.toml has these numbers too, and vars do not
   * change them.
   */
  lookupsPerSubjectPerMinute: 10,
  noncesPerNetworkPerMinute: 240,
  loginsPerNetworkPerMinute: 120,
  feedsPerSubjectPerMinute: 600,
  readsPerSubjectPerMinute: 600,
  writesPerSubjectPerMinute: 120,
  /** Passengers only, all behind one address together: a hall of them shares one. */
  writesPerNetworkPerMinute: 1_200,
  /** Newest of one session that are kept on record; the others share its key, or have none. */
  liveCertificatesPerSession: 10,
  /** Newest that are kept of one passenger at one endpoint. */
  idempotencyRecordsPerSubject: 100,
  /** A passkey or app key unused for this long is forgotten. */
  credentialUnusedSeconds: 400 * 86_400,
  /** A tag that only a caller's claim made known, and that has had no lock for this long, is forgotten. */
  deviceUnusedSeconds: 400 * 86_400,
  /** The same for a tag that only claims made known. */
  claimedDeviceSeconds: 7 * 86_400,
  /** How long ids and plates of a past booking's bags rest: as long as phones keep reports that were not confirmed. */
  journeyRetentionSeconds: 14 * 86_400,
  /**
   * Scheduled runs go on until nothing is left, or one of these is used up: seconds for each part of a run
   * (erasure, the rest, seals, archive), and statements, of which D1 allows a thousand in a run. Erasure has a
   * budget of its own, so that nothing else can make it late.
   */
  sweepPartSeconds: 60,
  erasureStatementsPerRun: 300,
  bookingsPerErasure: 400,
  sweepStatementsPerRun: 450,
  sweepRowsPerStatement: 2_000,
  auditSealsPerRun: 60,
  auditRowsPerSeal: 2_000,
  /**
   * Where an archive is bound: how long sealed rows stay in the database, and how many ranges leave it in a run. A caller that
   * listens to events may be away for as long.
   */
  auditKeepSeconds: 7 * 86_400,
  auditArchivesPerRun: 30,
  /** Erasure and sealing that are later than this count as late at `/healthz` and in the log. */
  erasureLateSeconds: 600,
  sealLateSeconds: 900,
  /** Rows of the audit log that one answer looks at; its filters may leave fewer. */
  auditRowsPerPage: 200,
  /** The same for reading ahead: all airlines' rows are passed over to find one's own. */
  eventRowsPerPage: 2_000,
  /** An airline's host that is asked (docs/acceptance.md): how long it has to answer, and the most of its answer that is read. */
  acceptanceTimeoutMilliseconds: 2_000,
  acceptanceBytes: 64 * 1024,
  /**
   * Webhooks: events in one message, how long the listener has to answer it, how long the turn of one and a whole run
   * last at most, how many messages are on their way at once (a Worker has six connections; one is the database's), and
   * after how many failed attempts one is given up.
   */
  webhookEventsPerMessage: 100,
  webhookTimeoutMilliseconds: 10_000,
  webhookTurnSeconds: 20,
  webhookRunSeconds: 50,
  webhooksAtOnce: 5,
  webhookAttempts: 20,
  /** From one turn of a webhook to its next where requests begin them, those of all isolates together. */
  webhookPaceMilliseconds: 1_000,
  /** D1 statements of one run of the webhooks: D1 ends a run at its thousandth. */
  webhookStatementsPerRun: 900,
  /** Messages of one run: a Worker may send ten thousand requests, those to D1 among them. */
  webhookMessagesPerRun: 8_000,
} as const;

export type Limits = { readonly [name in keyof typeof limits]: number };

/**
 * The trigger of webhooks, one of its own (wrangler.toml): a minute is long for who listens, and hosts that hang keep
 * nothing else waiting.
 */
export const WEBHOOK_CRON = "* * * * *";
