/** The development data of rules §9, as values. Deliberately public: none of it ever reaches a deployment. */

const DAY = 86_400_000;
const PASSENGER_SCOPES = ["tag:read", "tag:write", "tag:unlock", "journey:read", "journey:bag"] as const;
const STAFF_SCOPES = [
  ...PASSENGER_SCOPES,
  "journey:write",
  "tag:release",
  "audit:read",
  "bag:trace",
  "baggage:message",
] as const;
const ORIGINS = ["http://localhost:*", "http://127.0.0.1:*"] as const;

export const FEDERATED_ISSUER = { issuer: "https://host-airline.example", audience: "taglatch" } as const;

export const CLIENTS = [
  {
    id: "client-passenger",
    key: "demo-passenger-key",
    name: "Demo passenger app",
    loginMethods: ["guest", "attestation", "federated"],
    evidenceKinds: ["none", "webauthn", "demo"],
    federatedIssuers: [FEDERATED_ISSUER.issuer],
    airlines: ["SK", "LH"],
    scopes: PASSENGER_SCOPES,
    origins: ORIGINS,
    b2b: false,
  },
  {
    id: "client-kiosk",
    key: "demo-kiosk-key",
    name: "Demo kiosk",
    loginMethods: ["b2b"],
    evidenceKinds: [],
    federatedIssuers: [],
    airlines: ["SK"],
    scopes: STAFF_SCOPES,
    origins: ORIGINS,
    b2b: true,
  },
  {
    id: "client-partner",
    key: "demo-partner-key",
    name: "Demo partner",
    loginMethods: ["federated", "b2b"],
    evidenceKinds: [],
    federatedIssuers: [FEDERATED_ISSUER.issuer],
    airlines: ["SK"],
    scopes: STAFF_SCOPES,
    origins: ORIGINS,
    b2b: true,
  },
] as const;

/** The staff account of every client that logs in by B2B. */
export const B2B = {
  secret: "demo-b2b-secret",
  username: "kiosk-osl-1",
  password: "correct horse battery staple",
  airlines: ["SK"],
} as const;

/** Plates for bags that come without one; the numeric code of SK is 117, of LH 220. */
export const PLATE_RANGES = [
  { airline: "SK", leading: 0, issuer: "117", firstSerial: 200_000, lastSerial: 999_999 },
  { airline: "LH", leading: 0, issuer: "220", firstSerial: 200_000, lastSerial: 999_999 },
] as const;

/** One booking with its one passenger. Times of day are UTC hours after the start of the day of departure. */
export interface SeedJourney {
  readonly number: number;
  readonly airline: string;
  readonly recordLocator: string;
  readonly surname: string;
  readonly givenName: string;
  readonly destinationCity: string;
  readonly flights: readonly SeedFlight[];
  readonly bags: readonly { readonly id: number; readonly licencePlate: string; readonly readable: string }[];
  /** `YYYY-MM-DD` of every flight. */
  readonly date: string;
}

export interface SeedFlight {
  readonly carrier: string;
  readonly number: string;
  readonly from: string;
  readonly to: string;
  /** Milliseconds since 1970. */
  readonly departure: number;
  readonly arrival: number;
}

/** The three bookings, with their flights on the UTC day after `now` (milliseconds). */
export function seedJourneys(now: number): readonly SeedJourney[] {
  const day = (Math.floor(now / DAY) + 1) * DAY;
  const date = new Date(day).toISOString().slice(0, 10);
  const at = (hours: number) => day + hours * 3_600_000;
  const flight = (name: string, route: string, departs: number, arrives: number): SeedFlight => ({
    carrier: name.slice(0, 2),
    number: name.slice(2),
    from: route.slice(0, 3),
    to: route.slice(-3),
    departure: at(departs),
    arrival: at(arrives),
  });
  return [
    {
      number: 1,
      airline: "SK",
      recordLocator: "ABC123",
      surname: "LOVELACE",
      givenName: "ADA",
      destinationCity: "HELSINKI",
      flights: [flight("SK1234", "OSL-ARN", 7.25, 8.25), flight("SK0999", "ARN-HEL", 9.5, 10.5)],
      bags: [
        { id: 1, licencePlate: "0117123456", readable: "SK123456" },
        { id: 2, licencePlate: "0117123457", readable: "SK123457" },
      ],
      date,
    },
    {
      number: 2,
      airline: "LH",
      recordLocator: "K7Q2ZD",
      surname: "MÜLLER",
      givenName: "JÜRGEN",
      destinationCity: "FRANKFURT",
      flights: [flight("LH401", "JFK-FRA", 20.75, 28)],
      bags: [{ id: 3, licencePlate: "0220654321", readable: "LH654321" }],
      date,
    },
    {
      number: 3,
      airline: "SK",
      recordLocator: "OB1NKE",
      surname: "O'BRIEN",
      givenName: "SÍLE",
      destinationCity: "COPENHAGEN",
      flights: [flight("SK910", "EWR-CPH", 22.5, 30)],
      bags: [{ id: 4, licencePlate: "0117765432", readable: "SK765432" }],
      date,
    },
  ];
}
