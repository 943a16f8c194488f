import { glanceAtBcbp } from "../../core/bag/bcbp-glance.ts";
import { isLicencePlate } from "../../core/bag/licence-plate.ts";

/** What a barcode at a kiosk can be. The service decides whether a boarding pass is well formed. */
export type ScanContent =
  | { readonly kind: "boardingPass"; readonly scanData: string }
  | { readonly kind: "plate"; readonly licencePlate: string }
  | { readonly kind: "unknown" };

/** `]` and two characters before the data: the symbology, if a scanner is set to send it (ISO/IEC 15424). */
const SYMBOLOGY = /^\][A-Za-z][0-9A-Za-z]/;

/** Tells a boarding pass from a licence plate by its shape. */
export function contentOf(scanned: string): ScanContent {
  const text = scanned.replace(SYMBOLOGY, "").replace(/[\r\n]+$/, "");
  if (glanceAtBcbp(text) !== undefined) return { kind: "boardingPass", scanData: text };
  if (isLicencePlate(text)) return { kind: "plate", licencePlate: text };
  return { kind: "unknown" };
}
