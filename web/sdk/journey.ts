/** Provisional shapes until the contract's schemas exist; the names stay. */
export interface Flight {
  readonly carrier: string;
  readonly number: string;
  readonly date: string;
  readonly from: string;
  readonly to: string;
  readonly scheduledDeparture?: string;
  readonly scheduledArrival?: string;
}

export interface Bag {
  readonly baggageId: number;
  readonly licencePlate: string;
  readonly attachedDevice?: string;
  readonly readable?: string;
  readonly flags?: number;
}

export interface Journey {
  readonly journeyId: string;
  readonly recordLocator: string;
  readonly passenger: { readonly givenName: string; readonly surname: string };
  readonly flights: readonly Flight[];
  readonly baggage: readonly Bag[];
  readonly departureAirport: string;
  readonly destinationAirport: string;
  readonly destinationCity?: string;
  readonly cabin?: string;
  readonly version: number;
}

/** The decoded ticket payload of the tag (`sec.md` §9). */
export type DisplayTicket = unknown;
