import { glanceAtBcbp } from "../../core/bag/bcbp-glance.ts";
import type { CustodyProofInput, Journey } from "../../sdk/index.ts";

/** The custody proof that a boarding pass gives. The service decides whether it is right. */
export function proofOfPass(scanData: string): CustodyProofInput {
  const { name = "", recordLocator = "" } = glanceAtBcbp(scanData) ?? {};
  const [surname = ""] = name.split("/");
  return { recordLocator, surname: surname.trim() };
}

/** The custody proof that an open booking gives. */
export const proofOf = (journey: Journey | undefined): CustodyProofInput | undefined =>
  journey && { recordLocator: journey.recordLocator, surname: journey.passenger.surname };
