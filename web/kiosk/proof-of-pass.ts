import { glanceAtBcbp } from "../../core/bag/bcbp-glance.ts";
import type { CustodyProofInput } from "../../sdk/index.ts";

/** The custody proof a boarding pass makes. Whether it is the right one, the service decides. */
export function proofOfPass(scanData: string): CustodyProofInput {
  const { name = "", recordLocator = "" } = glanceAtBcbp(scanData) ?? {};
  const [surname = ""] = name.split("/");
  return { recordLocator, surname: surname.trim() };
}
