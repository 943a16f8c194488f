/**
 * The acts of the `tag` rows, each done to a tag. An act reads the honest answers itself; only the last answer is left for
 * the test.
 */
import { type Bytes, copyBytes } from "../../core/encoding/bytes.ts";
import { RECORD_KIND } from "../../core/sec/records.ts";
import type { TagCredential } from "../tag/tag-types.ts";
import type { Central } from "./central.ts";
import { clientCa, keyPair, type Parties } from "./parties.ts";
import type { CredentialName, TagAct, TagRow } from "./pitfall-rows.ts";
import { PAYLOAD, type Stage } from "./stages.ts";

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
