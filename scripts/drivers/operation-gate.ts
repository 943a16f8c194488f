import type { CDPSession, Page } from "@playwright/test";

export interface OperationGate {
  /** No operation begins any more. */
  hold(name: string): Promise<void>;
  answered(): Promise<void>;
  /** Waits until the page was notified that its link is lost. */
  release(name: string): Promise<void>;
}

interface Gated {
  readonly BluetoothRemoteGATTServer?: { readonly prototype: BluetoothRemoteGATTServer };
  readonly BluetoothRemoteGATTService: { readonly prototype: BluetoothRemoteGATTService };
  readonly BluetoothRemoteGATTCharacteristic: { readonly prototype: BluetoothRemoteGATTCharacteristic };
  operationGate: OperationGate;
  tagDisconnected(name: string): Promise<void>;
}

/**
 * Makes sure that no GATT operation of the page is under way when a link ends. Chromium's emulation never answers such an
 * operation, nor any later one, and only the page knows which operations it has sent. To end the link of a tag:
 *
 * 1. call `hold`;
 * 2. answer the operations that are under way, and wait for `answered`;
 * 3. end the link;
 * 4. call `release`: the operations held back fail, because their link is lost.
 *
 * The emulation does not report the page's own `gatt.disconnect()`. The gate does: it calls `disconnected` with the
 * device's name and holds operations until that has resolved. The name is empty if the browser only remembers the device.
 *
 * `session` is a CDP session of the page: evaluating through Playwright would take a picture for its traces each time.
 */
export async function installGate(
  page: Page,
  session: CDPSession,
  disconnected: (name: string) => Promise<void>,
): Promise<OperationGate> {
  await page.exposeFunction("tagDisconnected", disconnected);
  await page.addInitScript(gateOperations);
  const call = async (method: keyof OperationGate, name = "") => {
    const expression = `operationGate.${method}(${JSON.stringify(name)})`;
    const { exceptionDetails } = await session.send("Runtime.evaluate", { expression, awaitPromise: true });
    if (exceptionDetails !== undefined) throw new Error(`${method}: ${exceptionDetails.text}`);
  };
  return {
    hold: (name) => call("hold", name),
    answered: () => call("answered"),
    release: (name) => call("release", name),
  };
}

/** Runs in the page, before its own scripts. */
// biome-ignore lint/complexity/noExcessiveLinesPerFunction: it goes to the page as one text.
function gateOperations(): void {
  const world = globalThis as unknown as Gated;
  const server = world.BluetoothRemoteGATTServer?.prototype;
  if (server === undefined) return;
  /** By the tag whose link ends, or by its disconnect(): each hold is released on its own. */
  const held = new Map<string | symbol, { readonly promise: Promise<void>; readonly resolve: () => void }>();
  const underWay = new Set<Promise<unknown>>();
  const servers = new Set<BluetoothRemoteGATTServer>();

  const turn = async () => {
    while (held.size > 0) await Promise.all([...held.values()].map(({ promise }) => promise));
  };
  const hold = (end: string | symbol) => {
    if (held.has(end)) return;
    // Not `Promise.withResolvers`: stories take away what the oldest browser of ours lacks.
    let resolve = () => {};
    const promise = new Promise<void>((done) => {
      resolve = done;
    });
    held.set(end, { promise, resolve });
  };
  const open = (end: string | symbol) => {
    held.get(end)?.resolve();
    held.delete(end);
  };
  const gate: OperationGate = {
    hold: async (link) => hold(link),
    async answered() {
      await Promise.allSettled(underWay);
    },
    async release(link) {
      const connected = [...servers].filter((each) => each.connected);
      const lost =
        connected.find(({ device }) => device.name === link) ?? connected.find(({ device }) => !device.name);
      if (lost !== undefined)
        await new Promise((notified) =>
          lost.device.addEventListener("gattserverdisconnected", notified, { once: true }),
        );
      open(link);
    },
  };
  world.operationGate = gate;

  type Operation = (this: unknown, ...given: unknown[]) => Promise<unknown>;
  const inTurn = <Owner extends object>(
    owner: Owner,
    serverOf: (one: Owner) => BluetoothRemoteGATTServer | undefined,
  ) => {
    const methods = owner as Record<string, Operation>;
    for (const [name, { value }] of Object.entries(Object.getOwnPropertyDescriptors(owner))) {
      if (typeof value !== "function" || name === "constructor" || name === "disconnect") continue;
      const operate = value as Operation;
      methods[name] = async function operateInTurn(this: unknown, ...given) {
        const link = serverOf(this as Owner);
        if (link !== undefined) servers.add(link);
        await turn();
        const linked = link?.connected === true;
        const answer = operate.apply(this, given);
        underWay.add(answer);
        try {
          return await answer;
        } catch (error) {
          if (!linked || held.size === 0) throw error;
          // It failed because a link is ending. The page gets the error after the link has ended.
          await turn();
          if (link?.connected) throw error;
          throw new DOMException(
            "GATT Server is disconnected. Cannot perform GATT operations.",
            "NetworkError",
          );
        } finally {
          underWay.delete(answer);
        }
      };
    }
  };
  inTurn(server, (one) => one);
  inTurn(world.BluetoothRemoteGATTService.prototype, ({ device }) => device.gatt);
  inTurn(world.BluetoothRemoteGATTCharacteristic.prototype, ({ service }) => service?.device.gatt);

  const { disconnect } = server;
  server.disconnect = function disconnectInTurn(this: BluetoothRemoteGATTServer) {
    const { connected } = this;
    const withdrawn = !connected && underWay.size > 0;
    if (!connected && !withdrawn) return disconnect.call(this);
    const end = Symbol();
    hold(end);
    disconnect.call(this);
    // The browser completes a connect() that was cancelled, and keeps a link of which the page knows nothing.
    const answered = withdrawn ? gate.answered() : Promise.resolve();
    void answered.then(() => world.tagDisconnected(this.device.name ?? "")).finally(() => open(end));
  };
}

interface Held {
  readonly BluetoothDevice?: { readonly prototype: BluetoothDevice };
  watched?: Set<BluetoothDevice>;
}

/**
 * Chromium's emulation cannot advertise: a page that listens to a remembered tag would never receive one. Listening
 * succeeds at once here, and {@link advertise} reaches every listener. Devices, permissions and connections stay
 * Chromium's own.
 */
export async function holdAdvertisements(page: Page): Promise<void> {
  await page.addInitScript(() => {
    const world = globalThis as unknown as Held;
    const device = world.BluetoothDevice?.prototype;
    if (device?.watchAdvertisements === undefined) return;
    const watched = new Set<BluetoothDevice>();
    world.watched = watched;
    device.watchAdvertisements = async function watch(this: BluetoothDevice, options) {
      watched.add(this);
      options?.signal?.addEventListener("abort", () => watched.delete(this));
    };
  });
}

/** One advertisement to every device the page listens to; waits until it listens. A remembered device has no name yet. */
export async function advertise(page: Page, name: string): Promise<void> {
  await page.waitForFunction(() => ((globalThis as unknown as Held).watched?.size ?? 0) > 0);
  await page.evaluate((tag) => {
    const { watched } = globalThis as unknown as Held;
    for (const device of watched ?? [])
      if ((device.name || tag) === tag) device.dispatchEvent(new Event("advertisementreceived"));
  }, name);
}
