/** Boarding passes as a printer makes them (IATA Resolution 792), by padding alone: nothing of the reader is used. */

export interface PrintedLeg {
  readonly recordLocator: string;
  /** Carrier and number: `SK1234`. */
  readonly flight: string;
  readonly route: `${string}-${string}`;
  /** `YYYY-MM-DD`. */
  readonly date: string;
}

/** The text of a pass with these legs and without any further block. */
export function boardingPassText(name: string, legs: readonly PrintedLeg[]): string {
  return `M${legs.length}${name.slice(0, 20).padEnd(20)}E${legs.map(legText).join("")}`;
}

function legText({ recordLocator, flight, route, date }: PrintedLeg): string {
  const [from = "", to = ""] = route.split("-");
  const day = Math.round((Date.parse(date) - Date.parse(`${date.slice(0, 4)}-01-01`)) / 86_400_000) + 1;
  return [
    recordLocator.padEnd(7),
    from,
    to,
    flight.slice(0, 2).padEnd(3),
    flight.slice(2).padStart(4, "0").padEnd(5),
    String(day).padStart(3, "0"),
    "Y008A0034 100",
  ].join("");
}

/** The passes of the development data's passengers, flying on `date`. */
export const demoPasses = (date: string) => ({
  lovelace: boardingPassText("LOVELACE/ADA", [
    { recordLocator: "ABC123", flight: "SK1234", route: "OSL-ARN", date },
    { recordLocator: "ABC123", flight: "SK0999", route: "ARN-HEL", date },
  ]),
  mueller: boardingPassText("MUELLER/JUERGEN", [
    { recordLocator: "K7Q2ZD", flight: "LH0401", route: "JFK-FRA", date },
  ]),
  obrien: boardingPassText("OBRIEN/SILEMRS", [
    { recordLocator: "OB1NKE", flight: "SK0910", route: "EWR-CPH", date },
  ]),
});
