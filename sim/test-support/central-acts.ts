/** What a central writes to a tag, in whatever state that is: as records where there is a channel, else as it would without. */
import { CLEAR, PAYLOAD, type Stage } from "./stages.ts";

export type Act = (at: Stage) => Promise<unknown>;

/** What is no token, no record and no frame. */
export const NOTHING = Uint8Array.of(1);

export const message1: Act = async ({ central }) =>
  central.send("SEC", "EDHOC", (await central.message1()).message);
export const otherSuite: Act = async ({ central }) =>
  central.send("SEC", "EDHOC", (await central.message1([2])).message);
export const message3: Act = (at) => at.central.send("SEC", "EDHOC", at.message3 ?? Uint8Array.of(0x41, 0));
export const chain: Act = ({ central }) => central.sendChain();

export const token: Act = async ({ central }) => {
  if (central.channel !== undefined)
    await central.say({ kind: "token", token: await central.token(PAYLOAD, "write") });
  else await central.send("AUTH", "TOKEN", await central.plainToken(PAYLOAD, "write"));
};
export const badToken: Act = async ({ central }) => {
  if (central.channel !== undefined) await central.say({ kind: "token", token: NOTHING });
  else await central.send("AUTH", "TOKEN", NOTHING);
};

export const data: Act = async (at) => {
  if (at.central.channel === undefined) return at.central.sendPart("DATA", "PAYLOAD", PAYLOAD);
  const offset = at.tag.snapshot().state === "RECEIVING" ? PAYLOAD.length : 0;
  return at.central.say({ kind: "data", offset, data: PAYLOAD });
};
export const wholePayload: Act = ({ central }) => central.send("DATA", "PAYLOAD", PAYLOAD);

/** What a record would be, were there keys. */
const keyless = ({ central }: Stage, kind: number) => central.send("SEC", "APP", Uint8Array.of(kind, 0));

export const commit: Act = (at) =>
  at.central.channel !== undefined ? at.central.commit(PAYLOAD) : keyless(at, 3);
export const otherCommit: Act = (at) =>
  at.central.channel !== undefined ? at.central.commit(CLEAR) : keyless(at, 3);
export const fresh: Act = (at) =>
  at.central.channel !== undefined ? at.central.say({ kind: "fresh" }) : keyless(at, 5);
export const challenge: Act = (at) =>
  at.central.channel !== undefined
    ? at.central.say({ kind: "challenge", challenge: new Uint8Array(16) })
    : keyless(at, 6);
export const abort: Act = (at) =>
  at.central.channel !== undefined ? at.central.say({ kind: "abort" }) : keyless(at, 4);
export const badFrame: Act = ({ central }) => central.raw("DATA", NOTHING);
