import { decode } from "bcbp";
import { flightDay, issueTime } from "./bcbp-days.ts";
import { layOut } from "./bcbp-layout.ts";
import { isLicencePlate } from "./licence-plate.ts";

/**
 * Bar-coded boarding passes (IATA Resolution 792). The layout is checked here, column by column, because the
 * library that reads the fields accepts any length. As a rule a pass is not signed: anyone who has one, or
 * has seen a picture of one, can make the same. Nothing may be created from it.
 */
export interface BoardingPass {
  /**
   * As printed: upper case, without diacritics; the whole field `SURNAME/GIVEN` is cut after twenty letters.
   */
  readonly surname: string;
  /** Absent where the field had no room for it. */
  readonly givenName?: string;
  readonly legs: readonly BoardingPassLeg[];
  /** Plates of the bags that were checked in when the pass was made. */
  readonly bagTags: readonly BagTagRange[];
}

/** One flight. The legs may belong to several bookings and carriers. */
export interface BoardingPassLeg {
  readonly recordLocator: string;
  readonly from: string;
  readonly to: string;
  readonly carrier: string;
  /** Four digits, perhaps with a letter. */
  readonly number: string;
  /** `YYYY-MM-DD`; the year is inferred. */
  readonly date: string;
}

/** `count` plates in a row, beginning with `licencePlate`. */
export interface BagTagRange {
  readonly licencePlate: string;
  readonly count: number;
}

/**
 * The boarding pass in `text`, as a scanner gives it; `now`, in milliseconds since 1970, decides the years.
 * Throws FormatError `BCBP` with the wrong column.
 */
export function parseBcbp(text: string, now: number): BoardingPass {
  const { days, issued } = layOut(text);
  // The year keeps the library from asking the clock. Its dates are not used: they depend on the local time
  // zone.
  const { data = {} } = decode(text, new Date(now).getUTCFullYear());
  const reference = { issued: issued && issueTime(issued, now), now };
  const [surname = "", givenName = ""] = (data.passengerName ?? "").split(/\/(.*)/s);
  return {
    surname: surname.trim(),
    ...(givenName.trim() === "" ? {} : { givenName: givenName.trim() }),
    legs: days.map((day, i) => {
      const leg = data.legs?.[i] ?? {};
      return {
        recordLocator: leg.operatingCarrierPNR ?? "",
        from: leg.departureAirport ?? "",
        to: leg.arrivalAirport ?? "",
        carrier: leg.operatingCarrierDesignator ?? "",
        number: leg.flightNumber ?? "",
        date: flightDay(day, reference),
      };
    }),
    bagTags: [data.baggageTagNumber, data.firstBaggageTagNumber, data.secondBaggageTagNumber]
      .filter((field) => field !== undefined)
      .map((field) => ({ licencePlate: field.slice(0, 10), count: Number(field.slice(10)) }))
      .filter(({ licencePlate, count }) => isLicencePlate(licencePlate) && count > 0),
  };
}
