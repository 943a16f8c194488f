/**
 * The `link` rows, in which the client's side refuses: either the browser's GATT (here sim/radio/fake-bluetooth.ts) or the
 * client's half of the handshake.
 */
import { PROFILE } from "../../core/gatt/profile.ts";
import { readMessage2, writeMessage3 } from "../../core/sec/initiator.ts";
import { SUITES } from "../../core/sec/suites.ts";
import { fakeBluetooth } from "../radio/fake-bluetooth.ts";
import type { LinkAct, LinkRow } from "./pitfall-rows.ts";
import type { Stage } from "./stages.ts";

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
