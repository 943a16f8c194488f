/** C67–C72: the simplified authorize of v2.0 (docs/protocol.md, GATT v2.0). */
import { type Bytes, concat, equalBytes } from "../../../core/encoding/bytes.ts";
import type { StatusName } from "../../../core/gatt/profile.ts";
import { expectCode } from "../answers.ts";
import type { CheckRow } from "../check-row.ts";
import type { Desk } from "../desk.ts";
import { endpointOrder } from "../session.ts";
import { type Verdict, verdict } from "../types.ts";

const NOT_A_TOKEN: Bytes = new Uint8Array(48).fill(0xa5);

async function stable({ probe }: Desk): Promise<Verdict> {
  await probe.fresh();
  const [first, again] = [await probe.read("NONCE"), await probe.read("NONCE")];
  return verdict(
    first.length === 16 && equalBytes(first, again),
    "bytes",
    `${first.length}, ${again.length}`,
  );
}

async function perConnection({ probe }: Desk): Promise<Verdict> {
  await probe.fresh();
  const first = await probe.read("NONCE");
  await probe.fresh();
  const another = !equalBytes(first, await probe.read("NONCE"));
  return another ? verdict(true, "nonceRenewed") : verdict(false, "nonceKept");
}

/** The state is checked before the token, which need not be a good one. */
async function tokenFirst({ probe }: Desk): Promise<Verdict> {
  await probe.fresh();
  await probe.try(() => probe.send("AUTH", "TOKEN", NOT_A_TOKEN));
  return expectCode(await probe.outcome(), "STATE");
}

async function chain({ probe }: Desk, bytes: Bytes, ...codes: readonly StatusName[]): Promise<Verdict> {
  await probe.fresh();
  return expectCode(await probe.present(bytes), ...codes);
}

const stranger = (desk: Desk) =>
  chain(desk, endpointOrder(desk.probe.bench.throwAway.stranger.chain), "CHAIN");
const wrongUsage = (desk: Desk) =>
  chain(desk, endpointOrder(desk.probe.bench.throwAway.wrongUsage.chain), "CHAIN", "EKU");
const leafFirst = (desk: Desk) => chain(desk, concat(...desk.probe.bench.credential.chain), "CHAIN");

export const V20_CHECKS = [
  { id: "C67", group: "v20", profile: "2.0", run: stable },
  { id: "C68", group: "v20", profile: "2.0", run: perConnection },
  { id: "C69", group: "v20", profile: "2.0", run: tokenFirst },
  { id: "C70", group: "v20", profile: "2.0", run: stranger },
  { id: "C71", group: "v20", profile: "2.0", run: wrongUsage },
  { id: "C72", group: "v20", profile: "2.0", run: leafFirst },
] as const satisfies readonly CheckRow[];
