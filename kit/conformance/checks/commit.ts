/** C61–C66: commits that must be refused, and leave the display as it was (docs/protocol.md, States and Payload). */
import { encodePayload, payloadDigest } from "../../../core/bag/payload.ts";
import { type Bytes, utf8 } from "../../../core/encoding/bytes.ts";
import type { StatusName } from "../../../core/gatt/profile.ts";
import type { TransactionTokenRequest } from "../../../sdk/index.ts";
import { expectCode } from "../answers.ts";
import type { CheckRow } from "../check-row.ts";
import { CLEAR_BYTES, type Desk, LABEL_BYTES, TEST_LABEL } from "../desk.ts";
import type { Deviation } from "../session.ts";
import { type Verdict, verdict } from "../types.ts";

const OTHER_BYTES = encodePayload({ ...TEST_LABEL, licencePlate: "0000242424" });
const GARBAGE: Bytes = utf8("this is no payload");

interface Delivery {
  /** What the token allows. */
  readonly allowed: Bytes;
  readonly tokenRequest?: Partial<TransactionTokenRequest>;
  /** What is delivered in its place. */
  readonly delivered: Bytes;
  readonly deviation?: Deviation;
}

/**
 * The tag must refuse the commit with `code`, and be unchanged on the next connection. A low battery is refused before
 * what a tag checks of the payload.
 */
const refused = (desk: Desk, code: StatusName, { allowed, tokenRequest, delivered, deviation }: Delivery) => {
  if (code !== "OFFSET") desk.requireBattery();
  return desk.unchangedBy(
    allowed,
    async (session) => {
      const answer = await session.deliver(delivered, await payloadDigest(delivered), deviation);
      return expectCode(await desk.unlessLow(answer), code);
    },
    tokenRequest,
  );
};

const exchanged = (desk: Desk) => refused(desk, "DIGEST", { allowed: LABEL_BYTES, delivered: OTHER_BYTES });

const total = (desk: Desk) =>
  refused(desk, "OFFSET", {
    allowed: LABEL_BYTES,
    delivered: LABEL_BYTES,
    deviation: { total: LABEL_BYTES.length + 1 },
  });

const offset = (desk: Desk) =>
  refused(desk, "OFFSET", { allowed: LABEL_BYTES, delivered: LABEL_BYTES, deviation: { offset: 1 } });

const garbage = (desk: Desk) => refused(desk, "STORAGE", { allowed: GARBAGE, delivered: GARBAGE });

/** The reverse cannot be tested: for a clear, the service permits only the clear payload. */
const operation = (desk: Desk) =>
  refused(desk, "DIGEST", {
    allowed: CLEAR_BYTES,
    tokenRequest: { operation: "write" },
    delivered: CLEAR_BYTES,
  });

const lost = (desk: Desk): Promise<Verdict> =>
  desk.unchangedBy(OTHER_BYTES, async (session) => {
    await session.stage(OTHER_BYTES);
    return verdict(true, "displayKept");
  });

export const COMMIT_CHECKS = [
  { id: "C61", group: "commit", profile: "both", run: exchanged },
  { id: "C62", group: "commit", profile: "2.1", run: total },
  { id: "C63", group: "commit", profile: "2.1", run: offset },
  { id: "C64", group: "commit", profile: "both", run: garbage },
  { id: "C65", group: "commit", profile: "both", run: operation },
  { id: "C66", group: "commit", profile: "both", run: lost },
] as const satisfies readonly CheckRow[];
