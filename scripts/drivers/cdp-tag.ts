/**
 * Joins simulated tags to Chromium's Bluetooth emulation, so that a page meets them through the real
 * `navigator.bluetooth`: chooser, connections, GATT operations and lost links.
 *
 * The emulation (CDP domain BluetoothEmulation) lives on the browser's session and serves one page at a
 * time; the chooser (DeviceAccess) lives on the page's. What the emulation does not do by itself:
 * - every operation waits for ever unless it is answered, and answering twice breaks the emulation;
 * - when a link is lost, the emulation forgets the services and hides the tag from choosers; an operation that is under
 *   way then can never be answered, nor can any later one: {@link installGate} makes sure that there is none;
 * - it reports neither the page's own disconnect() nor a navigation, and a navigation ends the emulation;
 * - `simulateAdvertisement` ends the emulation, so a stand-in replaces the page's way of listening to advertisements;
 * - it cannot send notifications: subscribing succeeds, and nothing ever comes.
 */
import type { CDPSession, Page } from "@playwright/test";
import { type Bytes, fromBase64, toBase64 } from "../../core/encoding/bytes.ts";
import { PROFILE } from "../../core/gatt/profile.ts";
import {
  ATT_ERROR_NUMBER,
  AttError,
  type GattCharacteristic,
  type GattService,
  type VirtualTag,
} from "../../sim/tag/tag-types.ts";
import { LIST_KNOWN } from "../../web/job/guide-chooser.ts";
import { advertise, holdAdvertisements, installGate, type OperationGate } from "./operation-gate.ts";

/** HCI error (Bluetooth Core, Vol 1 Part F): connection failed to be established. */
const CONNECTION_FAILED = 0x3e;
const UNLIKELY_ERROR = 0x0e;
const CCCD = "00002902-0000-1000-8000-00805f9b34fb";

interface Peripheral {
  readonly address: string;
  readonly tag: VirtualTag;
  /** The emulation knows its services: true from discovery until the link falls. */
  discovered: boolean;
  /** Settles when the link is lost and no operation of the page begins any more. */
  held: Promise<void>;
  /** Settles when the page was notified of the last lost link. */
  dropped: Promise<void>;
}

interface Characteristic {
  readonly peripheral: Peripheral;
  readonly uuid: string;
}

type Operation = "read" | "write" | "subscribe-to-notifications" | "unsubscribe-from-notifications";

/** The person's next action at the chooser. */
export type Choice = VirtualTag | "cancel";

export class EmulatedTags {
  readonly #browser: CDPSession;
  readonly #page: Page;
  readonly #peripherals: readonly Peripheral[];
  readonly #characteristics = new Map<string, Characteristic>();
  readonly #answeredPrompts = new Set<string>();
  #choice: Choice = "cancel";
  #on = false;

  /** Puts `tags` in radio range of `page`. Use {@link goto} and {@link reload} from then on. */
  static async install(page: Page, tags: readonly VirtualTag[]): Promise<EmulatedTags> {
    const browser = page.context().browser();
    if (browser === null) throw new Error("the page has no browser of its own");
    const emulated = new EmulatedTags(await browser.newBrowserCDPSession(), page, tags);
    await page.addInitScript(rememberListKnown, LIST_KNOWN);
    const session = await page.context().newCDPSession(page);
    const gate = await installGate(page, session, (name) => emulated.#disconnected(name));
    await emulated.#listen(session, gate);
    return emulated;
  }

  private constructor(browser: CDPSession, page: Page, tags: readonly VirtualTag[]) {
    this.#browser = browser;
    this.#page = page;
    this.#peripherals = tags.map((tag, index) => ({
      address: `C0:00:00:00:00:${(index + 1).toString(16).padStart(2, "0").toUpperCase()}`,
      tag,
      discovered: false,
      held: Promise.resolve(),
      dropped: Promise.resolve(),
    }));
  }

  /** How many choosers were answered. */
  get choosers(): number {
    return this.#answeredPrompts.size;
  }

  /** Sets the answer to every chooser from now on. */
  choose(choice: Choice): void {
    this.#choice = choice;
  }

  /** Advertises the tag, as if its button had been pressed: a page that remembers it waits for that. */
  advertise(tag: VirtualTag): Promise<void> {
    return advertise(this.#page, tag.name);
  }

  async goto(url: string): Promise<void> {
    await this.#switchOff();
    await this.#page.goto(url);
    await this.#switchOn();
  }

  async reload(): Promise<void> {
    await this.#switchOff();
    await this.#page.reload();
    await this.#switchOn();
  }

  async remove(): Promise<void> {
    await this.#switchOff();
    await this.#browser.detach();
  }

  /** The page dies by `dying`, without a word: what it waits for is never answered, and then its links end. */
  async vanish(dying: () => Promise<unknown>): Promise<void> {
    this.#on = false;
    await dying();
    for (const peripheral of this.#peripherals) {
      peripheral.discovered = false;
      peripheral.tag.disconnect();
    }
    // The browser may be gone too.
    await this.#browser.send("BluetoothEmulation.disable").catch(() => undefined);
  }

  async #listen(page: CDPSession, gate: OperationGate): Promise<void> {
    page.on("DeviceAccess.deviceRequestPrompted", ({ id, devices }) => {
      void this.#answerPrompt(
        page,
        id,
        devices.map((device) => device.id),
      );
    });
    await page.send("DeviceAccess.enable");
    this.#browser.on("BluetoothEmulation.gattOperationReceived", ({ address, type }) => {
      void this.#answerGatt(address, type);
    });
    this.#browser.on("BluetoothEmulation.characteristicOperationReceived", (event) => {
      void this.#answerOperation(event.characteristicId, event.type, event.data);
    });
    for (const peripheral of this.#peripherals) {
      peripheral.tag.onDisconnect(() => {
        // Another page may have the tag by now.
        if (!this.#on) return;
        peripheral.held = gate.hold(peripheral.tag.name);
        peripheral.dropped = this.#dropLink(peripheral, gate);
      });
    }
    await holdAdvertisements(this.#page);
  }

  /** The page has ended its link to the device called `name`; a device that is only remembered has no name. */
  async #disconnected(name: string): Promise<void> {
    const [peripheral, ...others] = this.#peripherals.filter(({ tag }) =>
      name === "" ? tag.snapshot().connected : tag.name === name,
    );
    if (others.length > 0) throw new Error("the page ended one of several links to devices without a name");
    peripheral?.tag.disconnect();
    await peripheral?.dropped;
  }

  /** Ends every link, as a navigation does; a navigation would end the emulation in any case. */
  async #switchOff(): Promise<void> {
    if (!this.#on) return;
    for (const { tag } of this.#peripherals) tag.disconnect();
    await Promise.all(this.#peripherals.map(({ dropped }) => dropped));
    this.#on = false;
    await this.#browser.send("BluetoothEmulation.disable");
  }

  /** A fresh emulation with every tag in range. */
  async #switchOn(): Promise<void> {
    await this.#browser.send("BluetoothEmulation.enable", { state: "powered-on", leSupported: true });
    this.#on = true;
    for (const peripheral of this.#peripherals) await this.#bringInRange(peripheral);
  }

  async #bringInRange({ address, tag }: Peripheral): Promise<void> {
    await this.#browser.send("BluetoothEmulation.simulatePreconnectedPeripheral", {
      address,
      name: tag.name,
      manufacturerData: [],
      knownServiceUuids: [PROFILE.service],
    });
  }

  /** The list of devices grows while the chooser is open, and each change prompts again under the same id. */
  async #answerPrompt(page: CDPSession, id: string, addresses: readonly string[]): Promise<void> {
    const choice = this.#choice;
    if (this.#answeredPrompts.has(id)) return;
    if (choice === "cancel") {
      this.#answeredPrompts.add(id);
      await this.#unlessDead(() => page.send("DeviceAccess.cancelPrompt", { id }));
      return;
    }
    const wanted = this.#peripherals.find(({ tag }) => tag === choice)?.address;
    if (wanted === undefined) throw new Error(`${choice.name} is not in range`);
    if (!addresses.includes(wanted)) return;
    this.#answeredPrompts.add(id);
    await this.#unlessDead(() => page.send("DeviceAccess.selectPrompt", { id, deviceId: wanted }));
  }

  async #answerGatt(address: string, type: "connection" | "discovery"): Promise<void> {
    const peripheral = this.#peripherals.find((one) => one.address === address);
    if (peripheral === undefined) return;
    const code = type === "connection" ? await connectCode(peripheral.tag) : 0;
    if (type === "discovery") await this.#unlessDead(() => this.#addServices(peripheral));
    await this.#unlessDead(() =>
      this.#browser.send("BluetoothEmulation.simulateGATTOperationResponse", { address, type, code }),
    );
  }

  async #addServices(peripheral: Peripheral): Promise<void> {
    if (peripheral.discovered) return;
    peripheral.discovered = true;
    await Promise.all(peripheral.tag.services.map((service) => this.#addService(peripheral, service)));
  }

  async #addService(peripheral: Peripheral, { uuid, characteristics }: GattService): Promise<void> {
    const { serviceId } = await this.#browser.send("BluetoothEmulation.addService", {
      address: peripheral.address,
      serviceUuid: uuid,
    });
    await Promise.all(characteristics.map((row) => this.#addCharacteristic(peripheral, serviceId, row)));
  }

  async #addCharacteristic(
    peripheral: Peripheral,
    serviceId: string,
    row: GattCharacteristic,
  ): Promise<void> {
    const { uuid, read, write, notify } = row;
    const { characteristicId } = await this.#browser.send("BluetoothEmulation.addCharacteristic", {
      serviceId,
      characteristicUuid: uuid,
      properties: { read, write, notify },
    });
    this.#characteristics.set(characteristicId, { peripheral, uuid });
    if (!notify) return;
    await this.#browser.send("BluetoothEmulation.addDescriptor", { characteristicId, descriptorUuid: CCCD });
  }

  async #answerOperation(characteristicId: string, type: Operation, data: string | undefined): Promise<void> {
    const characteristic = this.#characteristics.get(characteristicId);
    if (characteristic === undefined)
      throw new Error(`an operation on ${characteristicId}, which no tag has`);
    const answer = await answerOf(characteristic, type, data);
    await this.#unlessDead(() =>
      this.#browser.send("BluetoothEmulation.simulateCharacteristicOperationResponse", {
        characteristicId,
        type,
        ...answer,
      }),
    );
  }

  /** An answer that is on its way when the page dies is lost. */
  async #unlessDead(answer: () => Promise<unknown>): Promise<void> {
    if (!this.#on) return;
    await answer().catch((error: unknown) => {
      if (this.#on) throw error;
    });
  }

  async #dropLink(peripheral: Peripheral, gate: OperationGate): Promise<void> {
    await peripheral.held;
    await gate.answered();
    peripheral.discovered = false;
    await this.#browser.send("BluetoothEmulation.simulateGATTDisconnection", { address: peripheral.address });
    // Otherwise no chooser would list it again.
    await this.#bringInRange(peripheral);
    await gate.release(peripheral.tag.name);
  }
}

/** In the page, for a person who has chosen a tag before: the advice that comes before the first list is left out. */
function rememberListKnown(key: string): void {
  if (location.protocol.startsWith("http")) localStorage.setItem(key, "1");
}

async function connectCode(tag: VirtualTag): Promise<number> {
  try {
    await tag.connect();
    return 0;
  } catch (error) {
    if (error instanceof AttError) return CONNECTION_FAILED;
    throw error;
  }
}

async function answerOf(
  characteristic: Characteristic,
  type: Operation,
  data: string | undefined,
): Promise<{ readonly code: number; readonly data?: string }> {
  try {
    const value = await perform(characteristic, type, data);
    return value === undefined ? { code: 0 } : { code: 0, data: toBase64(value) };
  } catch (error) {
    if (!(error instanceof AttError)) throw error;
    // The page learns first that the link is ending, then that the operation has failed.
    if (error.code === "DISCONNECTED") await characteristic.peripheral.held;
    return { code: ATT_ERROR_NUMBER[error.code] ?? UNLIKELY_ERROR };
  }
}

async function perform(
  { peripheral, uuid }: Characteristic,
  type: Operation,
  data: string | undefined,
): Promise<Bytes | undefined> {
  if (type === "read") return peripheral.tag.read(uuid);
  if (type === "write") await peripheral.tag.write(uuid, fromBase64(data ?? ""));
  return undefined;
}
