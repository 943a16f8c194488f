import type { CustodyProofInput } from "../../sdk/index.ts";

/**
 * The custody proof a boarding pass makes: name in columns 3–22 and record locator in columns 24–30 of the first leg
 * (IATA Res. 792). Whether it is the right one, the service decides.
 */
export function proofOfPass(scanData: string): CustodyProofInput {
  const [surname = ""] = scanData.slice(2, 22).split("/");
  return { recordLocator: scanData.slice(23, 30).trim(), surname: surname.trim() };
}
