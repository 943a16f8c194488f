/** A passenger's journey by the SDK and a virtual tag. The SDK alone decides which requests the benches measure. */
import "fake-indexeddb/auto";
import { fromBase64 } from "../../core/encoding/bytes.ts";
import type { GattVersion } from "../../core/gatt/profile.ts";
import { toPem } from "../../core/pki/pem.ts";
import { Database } from "../../sdk/database.ts";
import { createTaglatch } from "../../sdk/index.ts";
import { webBluetoothRadio } from "../../sdk/tag/web-bluetooth-link.ts";
import { valueIn } from "../../sdk/test-support/value-in.ts";
import type { TransferResult } from "../../sdk/types.ts";
import { fakeBluetooth } from "../../sim/radio/fake-bluetooth.ts";
import type { VirtualTag } from "../../sim/tag/tag-types.ts";
import { ADA, JUERGEN } from "../drivers/passenger.ts";
import { newTag } from "../drivers/tag-factory.ts";
import { projectText } from "../project-files.ts";
import { overOpenConnection, type Server } from "../serve/server.ts";

/** A deployment that trusts the virtual tags' CA. */
export const production = () => ({
  ENVIRONMENT: "production",
  TAG_ROOTS: toPem(fromBase64(JSON.parse(projectText("db/demo/tag-ca.json")).certificate)),
});

/** Answers one request of the SDK. */
export type Send = (url: string, request: RequestInit) => Promise<Response>;
export type Booking = Pick<typeof ADA, "recordLocator" | "surname" | "baggageId">;

let passengers = 0;

/** One passenger's phone: its storage outlives a visit. */
function passengerWith(tag: VirtualTag, url: string, send: Send) {
  passengers += 1;
  const databaseName = `passenger-${passengers}`;
  let last: Promise<unknown> = Promise.resolve();
  /** One request at a time, in the order in which the SDK sends them. */
  const sendInTurn = (input: RequestInfo | URL, init: RequestInit = {}) => {
    const turn = last.then(() => send(String(input), init));
    last = turn.catch(() => undefined);
    return turn;
  };
  const visit = () => {
    tag.disconnect();
    const radio = webBluetoothRadio(() => fakeBluetooth([tag], async () => tag));
    return createTaglatch({ baseUrl: url, databaseName, radio, fetch: sendInTurn });
  };
  return {
    /** Finds the booking and writes its bag to the tag; `proof` is the booking that the tag is locked to. */
    async write({ recordLocator, surname, baggageId }: Booking, proof?: Booking): Promise<void> {
      const client = visit();
      const { journeyId } = valueIn(await client.journeys.fromRecordLocator(recordLocator, surname));
      const custody = proof && { recordLocator: proof.recordLocator, custodyProofSurname: proof.surname };
      const picked = valueIn(await client.pickTag());
      requireReported(valueIn(await client.transferTag({ ...picked, baggageId, journeyId, ...custody })));
    },
    /** Clears the tag in another visit; our page first shows the journey. */
    async clear(): Promise<void> {
      const client = visit();
      valueIn(await client.journeys.list());
      requireReported(valueIn(await client.clearTag(valueIn(await client.pickTag()))));
    },
    /** Access and refresh token have expired. */
    async expire(): Promise<void> {
      const database = new Database(databaseName);
      const session = await database.read("session");
      if (session) await database.write("session", { ...session, accessExpiresAt: 0, refreshExpiresAt: 0 });
    },
  };
}

/** A report that waits in the outbox is a request that was not measured. */
function requireReported({ pendingRetry, cause }: TransferResult): void {
  if (pendingRetry) throw cause;
}

export interface Journey {
  readonly generation: GattVersion;
  readonly send: Send;
  /** A second passenger takes the tag over by a custody proof, and clears it. */
  readonly isTakenOver?: boolean;
  /** The first passenger's; Ada's in the development data by default. */
  readonly booking?: Booking;
  /** What happens until the day of return, when the tokens have expired. Without it the tag is cleared in the same session. */
  readonly between?: () => Promise<void>;
}

/** Writes a new tag, and clears it. */
export async function travel({ url }: Server, journey: Journey): Promise<void> {
  const { generation, send, isTakenOver = false, booking = ADA, between } = journey;
  const tag = await newTag(url, generation, { displayMs: 1 });
  const [first, second] = [passengerWith(tag, url, send), passengerWith(tag, url, send)];
  await first.write(booking);
  if (isTakenOver) await second.write(JUERGEN, booking);
  const holder = isTakenOver ? second : first;
  if (between) {
    await between();
    await holder.expire();
  }
  await holder.clear();
}

/** Ends every session, as a day does. Refusals of one minute share an audit entry: without the earlier ones each journey writes its own. */
export async function endSessions({ database }: Server): Promise<void> {
  await database.batch([
    database.prepare("update sessions set expires_at = 1, refresh_expires_at = 1"),
    database.prepare("delete from audit_log where merge_key is not null"),
  ]);
}

/** Removes the loads of earlier passengers: a booking that hundreds have loaded is no passenger's. */
export async function forgetLoads({ database }: Server, before = Date.now()): Promise<void> {
  const loads = "delete from loaded_plans where plan_id in ('demo-plan-1', 'demo-plan-2') and loaded_at < ?";
  await overOpenConnection(() => database.prepare(loads).bind(before).run());
}
