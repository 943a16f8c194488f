import { type Accessor, batch, createSignal } from "solid-js";
import { glanceAtBcbp } from "../../core/bag/bcbp.ts";
import { isLicencePlate } from "../../core/bag/licence-plate.ts";
import type { CustodyProofInput, Journey } from "../../sdk/index.ts";
import { type FlowEvent, isSearching, isVisit, type Screen } from "./flow.ts";
import { createMessage, type Visit } from "./visit.ts";

/** Why a scanned code has no effect; the words are in `kiosk.notice`. */
export type ScanNotice = "unknown" | "plateFirst" | "busy" | "onTag" | "signInFirst";

interface ScansOptions {
  readonly screen: Accessor<Screen>;
  readonly send: (event: FlowEvent) => void;
  readonly visit: Visit;
  readonly isWriting: Accessor<boolean>;
  readonly home: () => void;
  /** A boarding pass begins a visit. */
  readonly begin: () => void;
}

/** What a scanned code means on which screen. */
export function createScans({ screen, send, visit, isWriting, home, begin }: ScansOptions) {
  const [notice, setNotice] = createMessage<ScanNotice>();
  const [newPlate, setNewPlate] = createSignal<string>();
  const diverted = createSlot<(scanData: string) => void>();
  const offered = createSlot<(text: string) => boolean>();

  const findJourney = async (scanData: string) => {
    // A boarding pass is the next passenger's: nothing stays of the one before.
    batch(() => {
      (isVisit(screen()) && !isSearching(screen()) ? home : begin)();
      send("scan");
    });
    const asked = await visit.findByPass(scanData);
    if (asked !== "over") send(asked === "done" ? "found" : "failed");
  };

  const chooseBag = (licencePlate: string) => {
    const journey = visit.journey();
    if (journey === undefined) return void setNotice("plateFirst");
    const bag = journey.baggage.find((each) => each.licencePlate === licencePlate);
    // On the screen of its own job a bag may be on a tag already.
    const isHere = screen() === "writing" && visit.bag()?.baggageId === bag?.baggageId;
    if (bag && (isHere || bag.attachedDevice === undefined))
      return batch(() => {
        visit.choose(bag.baggageId);
        send("put");
      });
    send("journey");
    // Already on a tag: only its button writes it once more.
    void (bag ? setNotice("onTag") : setNewPlate(licencePlate));
  };

  return {
    /** A code was read, by the scanner or the camera. */
    handle: (text: string) => {
      setNotice(undefined);
      if (offered.taken()?.(withoutSymbology(text))) return;
      const content = contentOf(text);
      if (screen() !== "attract" && !isVisit(screen())) return void setNotice("signInFirst");
      if (isWriting()) return void setNotice("busy");
      if (content.kind === "unknown") return void setNotice("unknown");
      if (content.kind === "plate") return void chooseBag(content.licencePlate);
      const take = diverted.taken() ?? findJourney;
      void take(content.scanData);
    },
    notice,
    /** The plate of a bag that is not on the journey: staff decide whether it is added. */
    newPlate,
    forgetPlate: () => void setNewPlate(undefined),
    /** Sends boarding passes to `take` instead, until the returned function is called. */
    divert: diverted.take,
    /** Offers every code to `take` first, until the returned function is called; true: it was for the screen that asked. */
    offer: offered.take,
    forget: () => {
      setNotice(undefined);
      setNewPlate(undefined);
    },
  };
}

/** What the newest screen has put here, until it takes that back. */
function createSlot<Value>() {
  let taken: Value | undefined;
  const take = (value: Value) => {
    taken = value;
    return () => {
      if (taken === value) taken = undefined;
    };
  };
  return { taken: () => taken, take };
}

/** What a barcode at a kiosk can be. The service decides whether a boarding pass is well formed. */
type ScanContent =
  | { readonly kind: "boardingPass"; readonly scanData: string }
  | { readonly kind: "plate"; readonly licencePlate: string }
  | { readonly kind: "unknown" };

/** `]` and two characters before the data: the symbology, if a scanner is set to send it (ISO/IEC 15424). */
const SYMBOLOGY = /^\][A-Za-z][0-9A-Za-z]/;

const withoutSymbology = (scanned: string) => scanned.replace(SYMBOLOGY, "").replace(/[\r\n]+$/, "");

/** Distinguishes a boarding pass from a licence plate by its shape. */
export function contentOf(scanned: string): ScanContent {
  const text = withoutSymbology(scanned);
  if (glanceAtBcbp(text) !== undefined) return { kind: "boardingPass", scanData: text };
  if (isLicencePlate(text)) return { kind: "plate", licencePlate: text };
  return { kind: "unknown" };
}

/** The custody proof that a boarding pass gives. The service decides whether it is right. */
export function proofOfPass(scanData: string): CustodyProofInput {
  const { name = "", recordLocator = "" } = glanceAtBcbp(scanData) ?? {};
  const [surname = ""] = name.split("/");
  return { recordLocator, surname: surname.trim() };
}

/** The custody proof that an open booking gives. */
export const proofOf = (journey: Journey | undefined): CustodyProofInput | undefined =>
  journey && { recordLocator: journey.recordLocator, surname: journey.passenger.surname };
