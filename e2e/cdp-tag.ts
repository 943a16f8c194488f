/**
 * Joins simulated tags to Chromium's Bluetooth emulation, so that a page meets them through the real
 * `navigator.bluetooth`: chooser, connections, GATT operations and lost links.
 *
 * The emulation (CDP domain BluetoothEmulation) lives on the browser's session and serves one page at a
 * time; the chooser (DeviceAccess) lives on the page's. What the emulation does not do by itself:
 * - every operation waits for ever unless it is answered, and answering twice breaks the emulation;
 * - a lost link forgets the services, leaves open operations unanswered and keeps the tag out of choosers;
 * - a page's own disconnect() and a navigation are not reported, and the latter ends the emulation;
 * - advertisements end the emulation (`simulateAdvertisement`), so the page's listening is held by a stand-in;
 * - notifications cannot be pushed: subscribing succeeds and nothing ever comes.
 */
import type { CDPSession, Page } from "@playwright/test";
import { type Bytes, fromBase64, toBase64 } from "../core/bytes.ts";
import { PROFILE } from "../core/gatt/profile.ts";
import { ATT_ERROR_NUMBER, AttError, type VirtualTag } from "../web/sim/tag-types.ts";
import { advertise, holdAdvertisements } from "./hold-advertisements.ts";
import { reportDisconnects } from "./report-disconnects.ts";

/** HCI error (Bluetooth Core, Vol 1 Part F): connection failed to be established. */
const CONNECTION_FAILED = 0x3e;
const UNLIKELY_ERROR = 0x0e;
const CCCD = "00002902-0000-1000-8000-00805f9b34fb";

interface Peripheral {
  readonly address: string;
  readonly tag: VirtualTag;
  /** The emulation knows its services: true from discovery until the link falls. */
  discovered: boolean;
  /** The tag holds a link that the emulation asked for. */
  linked: boolean;
  /** Settles when the emulation has been told of the last lost link. */
  dropped: Promise<void>;
}

interface Characteristic {
  readonly peripheral: Peripheral;
  readonly uuid: string;
}

type Operation = "read" | "write" | "subscribe-to-notifications" | "unsubscribe-from-notifications";

/** What the person at the chooser does next. */
export type Choice = VirtualTag | "cancel";

export class EmulatedTags {
  readonly #browser: CDPSession;
  readonly #page: Page;
  readonly #peripherals: readonly Peripheral[];
  readonly #characteristics = new Map<string, Characteristic>();
  /** Operations not answered yet, by characteristic: a central has one in flight. */
  readonly #open = new Map<string, Operation>();
  readonly #answeredPrompts = new Set<string>();
  #choice: Choice = "cancel";
  #on = false;

  /** Puts `tags` in radio range of `page`. Use {@link goto} and {@link reload} from then on. */
  static async install(page: Page, tags: readonly VirtualTag[]): Promise<EmulatedTags> {
    const browser = page.context().browser();
    if (browser === null) throw new Error("the page has no browser of its own");
    const emulated = new EmulatedTags(await browser.newBrowserCDPSession(), page, tags);
    await emulated.#listen();
    return emulated;
  }

  private constructor(browser: CDPSession, page: Page, tags: readonly VirtualTag[]) {
    this.#browser = browser;
    this.#page = page;
    this.#peripherals = tags.map((tag, index) => ({
      address: `C0:00:00:00:00:${(index + 1).toString(16).padStart(2, "0").toUpperCase()}`,
      tag,
      discovered: false,
      linked: false,
      dropped: Promise.resolve(),
    }));
  }

  /** Every chooser from now on is answered like this. */
  choose(choice: Choice): void {
    this.#choice = choice;
  }

  /** Lets the page hear the tag, as if its button had been pressed: what a page that remembers it waits for. */
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

  async #listen(): Promise<void> {
    const page = await this.#page.context().newCDPSession(this.#page);
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
        // Not where the link ended because a new one is asked for: that would end the new one.
        if (peripheral.linked) peripheral.dropped = this.#dropLink(peripheral);
        peripheral.linked = false;
      });
    }
    await holdAdvertisements(this.#page);
    const named = (name: string) => this.#peripherals.find(({ tag }) => tag.name === name);
    await reportDisconnects(
      this.#page,
      async (name) => {
        named(name)?.tag.disconnect();
        await named(name)?.dropped;
      },
      async (name) => named(name)?.dropped,
    );
  }

  /** Ends every link as a navigation does; the emulation would not survive it anyway. */
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
      await page.send("DeviceAccess.cancelPrompt", { id });
      return;
    }
    const wanted = this.#peripherals.find(({ tag }) => tag === choice)?.address;
    if (wanted === undefined) throw new Error(`${choice.name} is not in range`);
    if (!addresses.includes(wanted)) return;
    this.#answeredPrompts.add(id);
    await page.send("DeviceAccess.selectPrompt", { id, deviceId: wanted });
  }

  async #answerGatt(address: string, type: "connection" | "discovery"): Promise<void> {
    const peripheral = this.#peripherals.find((one) => one.address === address);
    if (peripheral === undefined) return;
    const code = type === "connection" ? await connectCode(peripheral) : 0;
    if (type === "discovery") await this.#addServices(peripheral);
    await this.#browser.send("BluetoothEmulation.simulateGATTOperationResponse", { address, type, code });
  }

  async #addServices(peripheral: Peripheral): Promise<void> {
    if (peripheral.discovered) return;
    peripheral.discovered = true;
    const { address, tag } = peripheral;
    for (const { uuid: serviceUuid, characteristics } of tag.services) {
      const { serviceId } = await this.#browser.send("BluetoothEmulation.addService", {
        address,
        serviceUuid,
      });
      for (const { uuid, read, write, notify } of characteristics) {
        const { characteristicId } = await this.#browser.send("BluetoothEmulation.addCharacteristic", {
          serviceId,
          characteristicUuid: uuid,
          properties: { read, write, notify },
        });
        this.#characteristics.set(characteristicId, { peripheral, uuid });
        if (!notify) continue;
        await this.#browser.send("BluetoothEmulation.addDescriptor", {
          characteristicId,
          descriptorUuid: CCCD,
        });
      }
    }
  }

  async #answerOperation(id: string, type: Operation, data: string | undefined): Promise<void> {
    const characteristic = this.#characteristics.get(id);
    if (characteristic === undefined) return;
    this.#open.set(id, type);
    try {
      const value = await perform(characteristic, type, data);
      await this.#respond(id, type, 0, value);
    } catch (error) {
      if (!(error instanceof AttError)) throw error;
      await this.#respond(id, type, ATT_ERROR_NUMBER[error.code] ?? UNLIKELY_ERROR);
    }
  }

  async #respond(characteristicId: string, type: Operation, code: number, value?: Bytes): Promise<void> {
    if (!this.#open.delete(characteristicId)) return;
    await this.#browser.send("BluetoothEmulation.simulateCharacteristicOperationResponse", {
      characteristicId,
      type,
      code,
      ...(value === undefined ? {} : { data: toBase64(value) }),
    });
  }

  /** Open operations fail first: once the link is gone the emulation takes no answer, and they would hang. */
  async #dropLink(peripheral: Peripheral): Promise<void> {
    // The tag may be another page's by now.
    if (!this.#on) return;
    peripheral.discovered = false;
    const sent: Promise<unknown>[] = [];
    for (const [id, characteristic] of this.#characteristics) {
      if (characteristic.peripheral !== peripheral) continue;
      const type = this.#open.get(id);
      if (type !== undefined) sent.push(this.#respond(id, type, UNLIKELY_ERROR));
      this.#characteristics.delete(id);
    }
    sent.push(
      this.#browser.send("BluetoothEmulation.simulateGATTDisconnection", { address: peripheral.address }),
    );
    // Without this no chooser would list it again.
    sent.push(this.#bringInRange(peripheral));
    await Promise.all(sent);
  }
}

async function connectCode(peripheral: Peripheral): Promise<number> {
  // A page with a link asks for no other: what the tag holds is one whose answer was lost on its way.
  if (peripheral.linked) {
    peripheral.linked = false;
    peripheral.tag.disconnect();
  }
  try {
    await peripheral.tag.connect();
    peripheral.linked = true;
    return 0;
  } catch (error) {
    if (error instanceof AttError) return CONNECTION_FAILED;
    throw error;
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
