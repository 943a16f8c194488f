import { expect } from "vitest";
import { encodePayload } from "../../core/bag/payload.ts";
import { type GattVersion, STATUS, type StatusName, type TagState } from "../../core/gatt/profile.ts";
import { errorFrom } from "../../core/sec/answers.ts";
import type { PeerReport } from "../../core/sec/errors.ts";
import type { TagSimulator } from "../tag/tag-simulator.ts";
import type { TagConfig, TagEvent } from "../tag/tag-types.ts";
import { VirtualWorld } from "../virtual-world.ts";
import { Central } from "./central.ts";
import { parties, tagOf } from "./parties.ts";

/** Brings a tag to any state of its table, by the shortest honest way. */

/** Made once, because keys cost time; no test changes them. */
export const people = await parties();

export const LABEL = {
  kind: "write",
  licencePlate: "0117123456",
  name: "LOVELACE/ADA",
  from: "OSL",
  segments: [{ flight: "SK1234", day: "22NOV", airport: "ARN" }],
  destinationCity: "STOCKHOLM",
} as const;
export const PAYLOAD = encodePayload(LABEL);
export const CLEAR = encodePayload({ kind: "clear" });

export interface Stage {
  readonly world: VirtualWorld;
  readonly tag: TagSimulator;
  readonly central: Central;
  readonly events: TagEvent[];
  /** What message_3 was, if it was sent or could be. */
  message3?: Uint8Array<ArrayBuffer>;
}

export async function stage(changes: Partial<TagConfig> = {}, connect = true): Promise<Stage> {
  const world = new VirtualWorld();
  const tag = await tagOf(people, world, changes);
  const events: TagEvent[] = [];
  tag.observe((event) => events.push(event));
  if (connect) await tag.connect();
  return { world, tag, central: new Central(tag, world, people), events };
}

/** The same central on a new connection, without keys. */
export async function reconnect({ tag, central }: Stage): Promise<void> {
  tag.disconnect();
  central.channel = undefined;
  await tag.connect();
}

/** A tag that has already written one label by v2.1, disconnected. */
export async function written(): Promise<Stage> {
  const at = await stage();
  await at.central.handshake();
  await at.central.transfer(PAYLOAD);
  at.tag.disconnect();
  at.central.channel = undefined;
  return at;
}

type Way = (at: Stage) => Promise<void>;

const toWaitM3: Way = async (at) => {
  at.message3 = (await at.central.begin()).message3;
};
const toEstablished: Way = async (at) => {
  await at.central.handshake();
};
const toAuthorized: Way = async (at) => {
  await toEstablished(at);
  await at.central.authorize(PAYLOAD);
};
const toReceiving: Way = async (at) => {
  await toAuthorized(at);
  await at.central.stage(PAYLOAD);
  await at.tag.settled();
};
const toCommitting: Way = async (at) => {
  await toReceiving(at);
  await at.central.commit(PAYLOAD);
  await at.tag.settled();
};
const toCommitted: Way = async (at) => {
  await toCommitting(at);
  await at.central.code();
};
const toLockout: Way = async (at) => {
  await toEstablished(at);
  for (let miss = 0; miss < 3; miss++) {
    await at.central.say({ kind: "token", token: Uint8Array.of(miss) });
    await at.central.code();
    if (miss < 2) await at.central.nextHello();
  }
};

const WAYS: Readonly<Record<Exclude<TagState, "PRESENTED">, Way>> = {
  IDLE: async ({ tag }) => tag.disconnect(),
  CONNECTED: async () => undefined,
  WAIT_M3: toWaitM3,
  ESTABLISHED: toEstablished,
  AUTHORIZED: toAuthorized,
  RECEIVING: toReceiving,
  COMMITTING: toCommitting,
  COMMITTED: toCommitted,
  LOCKOUT: toLockout,
};

const toPresented: Way = async ({ central }) => {
  await central.present();
};
const toPlainAuthorized: Way = async (at) => {
  await toPresented(at);
  await at.central.send("AUTH", "TOKEN", await at.central.plainToken(PAYLOAD, "write"));
  await at.central.status();
};
const toPlainReceiving: Way = async (at) => {
  await toPlainAuthorized(at);
  await at.central.sendPart("DATA", "PAYLOAD", PAYLOAD);
  await at.tag.settled();
};

const PLAIN_WAYS: Readonly<Partial<Record<TagState, Way>>> = {
  IDLE: WAYS.IDLE,
  CONNECTED: WAYS.CONNECTED,
  PRESENTED: toPresented,
  AUTHORIZED: toPlainAuthorized,
  RECEIVING: toPlainReceiving,
  COMMITTING: async (at) => {
    await toPlainAuthorized(at);
    await at.central.send("DATA", "PAYLOAD", PAYLOAD);
    await at.tag.settled();
  },
  COMMITTED: async (at) => {
    await toPresented(at);
    await at.central.plainTransfer(PAYLOAD);
  },
  LOCKOUT: async (at) => {
    await toPresented(at);
    for (let miss = 0; miss < 3; miss++) {
      await at.central.send("AUTH", "TOKEN", Uint8Array.of(miss));
      await at.central.status();
    }
  },
};

/** A tag in `state`, reached over v2.1, or over v2.0 if requested (or if that is the only way). */
export async function reach(
  state: TagState,
  path: GattVersion = "2.1",
  changes: Partial<TagConfig> = {},
): Promise<Stage> {
  const plain = path === "2.0" || state === "PRESENTED";
  const at = await stage({ ...(plain ? { generation: "2.0", frame: 32 } : {}), ...changes });
  await bring(at, state, path);
  return at;
}

/** Brings a connected tag that is in CONNECTED to `state`. */
export async function bring(at: Stage, state: TagState, path: GattVersion = "2.1"): Promise<void> {
  const plain = path === "2.0" || state === "PRESENTED";
  const way = plain ? PLAIN_WAYS[state] : WAYS[state as keyof typeof WAYS];
  if (way === undefined) throw new Error(`${state} does not occur on v${path}`);
  at.central.frame = plain ? 32 : 244;
  await way(at);
  if (at.tag.snapshot().state !== state) throw new Error(`${at.tag.snapshot().state} instead of ${state}`);
}

/** How a session ends, as a central sees it. */

/** What the tag said in clear before the link ended. */
export async function lastWord(central: Central): Promise<PeerReport | undefined | string> {
  const message = await central.receive();
  if (message === undefined) return "nothing";
  if (message.type !== "ALERT" && message.type !== "EDHOC_ERROR") return message.type;
  return errorFrom(message.type, message.message).peer;
}

export const alerted = (name: StatusName) => ({ kind: "alert", status: STATUS[name] });

/** After a refusal the link ends, no keys work, and the display is unchanged. */
export async function expectEnd({ tag, world }: Stage, display: unknown = null): Promise<void> {
  expect(tag.snapshot().state).toBe("IDLE");
  world.advance(2_000);
  expect(tag.snapshot()).toMatchObject({ connected: false, display: { content: display } });
}
