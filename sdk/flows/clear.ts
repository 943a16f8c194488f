/** clearTag: empties the tag and removes its journey lock. */

import type { ClearResult, ClearTagRequest } from "../types.ts";
import type { Run } from "./operation.ts";
import type { OperationContext } from "./tag-visit.ts";
import { report } from "./transfer.ts";
import { clearContent, writeTag } from "./write.ts";

/**
 * Steps: connect and secure · authorise · write · display · unlock (endpoint 12). A stranger gets
 * ServiceError `custody_proof_required` from the authorisation, before anything reaches the tag.
 */
export async function clearTag(
  context: OperationContext,
  run: Run<ClearResult>,
  request: ClearTagRequest,
): Promise<ClearResult> {
  const { api } = context;
  const visit = context.visit(request, run);
  try {
    const { id } = await visit.secured();
    const content = clearContent.load(run.signal);
    await writeTag({ api, visit, run, source: clearContent, content });
    return await report(context, run, visit.device, { kind: "unlock", uniqueDeviceId: id });
  } finally {
    visit.close();
  }
}
