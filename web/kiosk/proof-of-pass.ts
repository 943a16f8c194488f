import { glanceAtBcbp } from "../../core/bag/bcbp-glance.ts";
import type { CustodyProofInput } from "../../sdk/index.ts";

/** The custody proof that a boarding pass gives. The service decides whether it is right. */
export function proofOfPass(scanData: string): CustodyProofInput {
  const { name = "", recordLocator = "" } = glanceAtBcbp(scanData) ?? {};
  const [surname = ""] = name.split("/");
  return { recordLocator, surname: surname.trim() };
}
