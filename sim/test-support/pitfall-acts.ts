/**
 * The `link` rows, in which the client's side refuses: either the browser's GATT (here sim/radio/fake-bluetooth.ts) or the
 * client's half of the handshake.
 */

import { type Bytes, copyBytes } from "../../core/encoding/bytes.ts";
import { type GattVersion, PROFILE, type TagState } from "../../core/gatt/profile.ts";
import { readMessage2, writeMessage3 } from "../../core/sec/initiator.ts";
import { RECORD_KIND } from "../../core/sec/records.ts";
import { SUITES } from "../../core/sec/suites.ts";
import file from "../../core/vectors/sec-refusals.json" with { type: "json" };
import { fakeBluetooth } from "../radio/fake-bluetooth.ts";
import type { TagCredential } from "../tag/tag-types.ts";
import type { Central } from "./central.ts";
import { clientCa, keyPair, type Parties } from "./parties.ts";
import { PAYLOAD, type Stage } from "./stages.ts";

/** The rows of core/vectors/sec-refusals.json that need a whole tag or a link. */

interface Row {
  readonly name: string;
  readonly pitfall: number;
  /** The code inside the tag; the ending says what of it leaves the tag. Null: accepted. */
  readonly code: string | null;
  /** Longest value, in bytes, that the stack lets through. */
  readonly truncate?: number;
}

export type TagAct =
  | "record_without_keys"
  | "record_behind_message_3"
  | "data_before_token"
  | "message_3_again"
  | "message_3_twice"
  | "message_3_next_connection"
  | "truncated"
  | "flood"
  | "message_1_cut"
  | "message_3_flipped"
  | "credential";

/** What leaves the tag. */
export type Ending = "alert" | "edhoc_error" | "record" | "silence" | "status" | "message_2";

/** A tag in `state` that meets `act`. */
export interface TagRow extends Row {
  readonly at: "tag";
  readonly act: TagAct;
  readonly state: TagState;
  readonly ending: Ending;
  readonly path?: GattVersion;
  readonly record?: "token" | "data" | "commit";
  readonly message?: "message_1" | "message_3" | "data" | "payload";
  readonly credential?: CredentialName;
  readonly count?: number;
  /** Milliseconds. */
  readonly pause?: number;
}

export type CredentialName =
  | "foreign_root"
  | "endpoint_7_order"
  | "no_intermediate"
  | "other_key"
  | "tag"
  | "for_tags";

export type LinkAct =
  | "ephemeral_key_again"
  | "make_message_3_twice"
  | "read_after_fall"
  | "read_after_reconnect"
  | "write_after_reconnect"
  | "discover_after_reconnect"
  | "read_while_reading"
  | "write_while_reading"
  | "message_2_truncated";

/** What the client's end refuses, and the state of the tag after that. */
export interface LinkRow extends Row {
  readonly at: "link";
  readonly act: LinkAct;
  readonly left: TagState;
}

// JSON has no unions: the drivers' tables find an act, an ending or a credential that does not exist.
const cases = file.cases as readonly unknown[] as readonly (TagRow | LinkRow | { readonly at: "" })[];

export const TAG_ROWS = cases.filter((row) => row.at === "tag");
export const LINK_ROWS = cases.filter((row) => row.at === "link");

/**
 * The acts of the `tag` rows, each done to a tag. An act reads the honest answers itself; only the last answer is left for
 * the test.
 */

type Act = (at: Stage, row: TagRow) => Promise<void>;

export const TAG_ACTS: Readonly<Record<TagAct, Act>> = {
  async record_without_keys({ central }, { record }) {
    const kind = RECORD_KIND[needed(record)];
    const madeUp = Uint8Array.of(kind, ...new Uint8Array(40));
    await central.send(record === "data" ? "DATA" : "SEC", "APP", madeUp);
  },
  async record_behind_message_3({ central }) {
    await central.send("SEC", "EDHOC", stored(central));
    await central.send("DATA", "APP", Uint8Array.of(RECORD_KIND.data, ...new Uint8Array(40)));
    await central.expect("EDHOC");
    await central.expect("APP");
  },
  data_before_token: ({ central }) => central.say({ kind: "data", offset: 0, data: PAYLOAD }),
  message_3_again: ({ central }) => central.send("SEC", "EDHOC", stored(central)),
  async message_3_twice({ central }) {
    await central.send("SEC", "EDHOC", stored(central));
    await central.send("SEC", "EDHOC", stored(central));
    await central.finish();
  },
  async message_3_next_connection({ tag, central }) {
    const message3 = stored(central);
    tag.disconnect();
    await tag.connect();
    await central.begin();
    await central.send("SEC", "EDHOC", message3);
  },
  truncated,
  flood,
  async message_1_cut({ central }) {
    await central.send("SEC", "EDHOC", (await central.message1()).message.slice(0, -1));
  },
  async message_3_flipped({ central }) {
    const message3 = copyBytes(stored(central));
    message3[100] = (message3[100] as number) ^ 1;
    await central.send("SEC", "EDHOC", message3);
  },
  async credential({ central }, { credential }) {
    central.credential = await CREDENTIALS[needed(credential)](central.parties);
    await central.send("SEC", "EDHOC", (await central.begin()).message3);
  },
};

const CREDENTIALS: Readonly<Record<CredentialName, (people: Parties) => Promise<TagCredential>>> = {
  foreign_root: async () => (await clientCa()).issue(),
  endpoint_7_order: async ({ client }) => ({ ...client, chain: [...client.chain].reverse() }),
  no_intermediate: async ({ client }) => ({ ...client, chain: client.chain.slice(0, 1) }),
  other_key: async ({ client }) => ({ ...client, privateKey: (await keyPair()).privateKey }),
  tag: ({ tags }) => tags.issueWithRoot(),
  for_tags: ({ clients }) => clients.misuse(),
};

/** A stack that silently truncates every value written. */
async function truncated({ tag, central }: Stage, { message, truncate }: TagRow): Promise<void> {
  const first = (await central.message1()).message;
  tag.faults.radio = {
    connect: () => ({ delay: 0, fails: false }),
    operation: (_index, kind) => ({ delay: 0, ...(kind === "write" ? { truncate: needed(truncate) } : {}) }),
  };
  const send = {
    message_1: () => central.send("SEC", "EDHOC", first),
    message_3: () => central.send("SEC", "EDHOC", stored(central)),
    data: () => central.say({ kind: "data", offset: 0, data: PAYLOAD }),
    payload: () => central.send("DATA", "PAYLOAD", PAYLOAD),
  };
  await send[needed(message)]();
  tag.faults.radio = null;
}

async function flood({ tag, central, world }: Stage, { count, pause }: TagRow): Promise<void> {
  for (let time = 0; time < needed(count); time++) {
    await central.send("SEC", "EDHOC", (await central.message1()).message);
    await central.expect("EDHOC");
    tag.disconnect();
    if (time + 1 < needed(count)) await tag.connect();
  }
  world.advance(pause ?? 0);
  await tag.connect();
  await central.send("SEC", "EDHOC", (await central.message1()).message);
}

function stored({ begun }: Central): Bytes {
  return needed(begun).message3;
}

function needed<Value>(value: Value | undefined): Value {
  if (value === undefined) throw new Error("the row says too little");
  return value;
}

/** `attempt` is ready and must be refused; `unharmed` resolves if the honest part continues. */
export interface Attempt {
  attempt(): Promise<unknown>;
  unharmed?(): Promise<boolean>;
}

const UUID = PROFILE.characteristics;
const FIRST_FRAME = Uint8Array.of(0xc0, 1, 1, 0, 7);

/** Handles of a page that connected to the tag. */
async function page({ tag }: Stage) {
  const bluetooth = fakeBluetooth([tag], async ([first]) => first);
  const device = await bluetooth.requestDevice({ filters: [{ services: [PROFILE.service] }] });
  const server = await device.gatt?.connect();
  if (server === undefined) throw new Error("no GATT server");
  const service = await server.getPrimaryService(PROFILE.service);
  const [info, sec] = await Promise.all([
    service.getCharacteristic(UUID.INFO.uuid),
    service.getCharacteristic(UUID.SEC.uuid),
  ]);
  return { device, server, service, info, sec };
}
type Page = Awaited<ReturnType<typeof page>>;

/** A page whose link the tag has ended, and which was notified. */
async function fallen(at: Stage): Promise<Page> {
  const found = await page(at);
  const notified = new Promise((resolve) => found.device.addEventListener("gattserverdisconnected", resolve));
  at.tag.disconnect();
  await notified;
  return found;
}

async function reconnected(at: Stage): Promise<Page> {
  const found = await fallen(at);
  await found.server.connect();
  return found;
}

/** Handles found on the new connection work. */
async function worksAfterReconnect({ server }: Page): Promise<boolean> {
  const service = await server.getPrimaryService(PROFILE.service);
  const info = await service.getCharacteristic(UUID.INFO.uuid);
  return (await info.readValue()).byteLength > 0;
}

const afterReconnect =
  (use: (found: Page) => Promise<unknown>) =>
  async (at: Stage): Promise<Attempt> => {
    const found = await reconnected(at);
    return { attempt: () => use(found), unharmed: () => worksAfterReconnect(found) };
  };

/** During a held read of SEC, which must continue, and end empty after its 5 s. */
const whileReading =
  (use: (found: Page) => Promise<unknown>) =>
  async (at: Stage): Promise<Attempt> => {
    const found = await page(at);
    const held = found.sec.readValue();
    held.catch(() => undefined);
    const unharmed = async () => {
      at.world.advance(5_000);
      return (await held).byteLength === 0;
    };
    return { attempt: () => use(found), unharmed };
  };

export const LINK_ACTS: Readonly<Record<LinkAct, (at: Stage, row: LinkRow) => Promise<Attempt>>> = {
  async read_after_fall(at) {
    const { info } = await fallen(at);
    return { attempt: () => info.readValue() };
  },
  read_after_reconnect: afterReconnect(({ info }) => info.readValue()),
  write_after_reconnect: afterReconnect(({ sec }) => sec.writeValueWithResponse(FIRST_FRAME)),
  discover_after_reconnect: afterReconnect(({ service }) => service.getCharacteristics()),
  read_while_reading: whileReading(({ info }) => info.readValue()),
  write_while_reading: whileReading(({ sec }) => sec.writeValueWithResponse(FIRST_FRAME)),
  async ephemeral_key_again({ tag, central }) {
    const ephemeral = await SUITES[6].ecdh.generate();
    const begin = async () => {
      await tag.connect();
      const { message, state } = await central.message1([6], ephemeral);
      await central.send("SEC", "EDHOC", message);
      const answer = await central.expect("EDHOC");
      return () => readMessage2(state, answer);
    };
    await (await begin())();
    tag.disconnect();
    return { attempt: await begin() };
  },
  async make_message_3_twice({ tag, central }) {
    await tag.connect();
    const first = await central.message1();
    await central.send("SEC", "EDHOC", first.message);
    const { state } = await readMessage2(first.state, await central.expect("EDHOC"));
    await writeMessage3(state);
    return { attempt: () => writeMessage3(state) };
  },
  async message_2_truncated({ tag, central }, { truncate = 0 }) {
    await tag.connect();
    await central.send("SEC", "EDHOC", (await central.message1()).message);
    await tag.settled();
    tag.faults.radio = {
      connect: () => ({ delay: 0, fails: false }),
      operation: () => ({ delay: 0, truncate }),
    };
    return { attempt: () => central.receive() };
  },
};
