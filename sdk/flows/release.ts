/** tags.release: staff open a lock. */
import { toBase64, toBase64Url } from "../../core/encoding/bytes.ts";
import type { ReleaseOptions } from "../api.ts";
import { ServiceError } from "../errors.ts";
import type { EbtUnlockResponse } from "../records.ts";
import { lookUpLock } from "./custody.ts";
import type { Operation } from "./operation.ts";
import { presenceStatement } from "./statements.ts";
import type { OperationContext } from "./tag-connection.ts";

interface ReleaseRequest extends Pick<ReleaseOptions, "staff" | "deviceId"> {
  readonly uniqueDeviceId: string;
  readonly reason: string;
}

/**
 * Asks the service alone first: that is enough for a lock of the caller's own airlines. Another airline's lock opens to the statement
 * of a tag that is in hand, so where the caller has one (`deviceId`), the tag is asked. Throws `insufficient_scope`
 * where the tag does not sign.
 */
export async function release(
  context: OperationContext,
  run: Operation<EbtUnlockResponse>,
  { uniqueDeviceId, reason, staff, deviceId }: ReleaseRequest,
): Promise<EbtUnlockResponse> {
  const { api } = context;
  const { signal } = run;
  const body = { uniqueDeviceId, reason, ...(staff && { staff }) };
  try {
    return await api.call("lockRelease", body, { signal });
  } catch (error) {
    if (deviceId === undefined || !isOthers(error)) throw error;
    const statement = await statementOfTag(context, run, { deviceId, uniqueDeviceId });
    if (statement === undefined) throw error;
    return api.call("lockRelease", { ...body, ...statement }, { signal });
  }
}

const isOthers = (error: unknown) => error instanceof ServiceError && error.code === "insufficient_scope";

/** What the tag says over the challenge that the service has for this lock and caller. */
async function statementOfTag(
  context: OperationContext,
  run: Operation<EbtUnlockResponse>,
  tag: { readonly deviceId: string; readonly uniqueDeviceId: string },
): Promise<{ readonly tagStatement: string; readonly tagCertificate: string } | undefined> {
  const connection = context.reach(tag, run);
  try {
    const { certificate } = await connection.secured();
    if (certificate === undefined) return undefined;
    run.progress.enter("lookup");
    const { uniqueDeviceId } = tag;
    const { heldByOther } = await lookUpLock(context.api, { uniqueDeviceId, certificate }, run.signal);
    const statement =
      heldByOther?.tagChallenge &&
      (await presenceStatement(connection, heldByOther.tagChallenge, run.signal));
    return statement && { tagStatement: toBase64Url(statement.bytes), tagCertificate: toBase64(certificate) };
  } finally {
    connection.close();
  }
}
