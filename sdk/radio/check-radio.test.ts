/** checkRadio passes the radios of the SDK, and catches broken ones. */

import { expect, test } from "vitest";
import { copyBytes } from "../../core/encoding/bytes.ts";
import { checkRadio, RadioTestTag } from "../../sim/install.ts";
import { fakeBluetooth } from "../../sim/radio/fake-bluetooth.ts";
import { VirtualTime } from "../../sim/test-support/virtual-time.ts";
import {
  connectionOver,
  linkOver,
  orCancelled,
  type PlatformConnection,
  type PlatformDevice,
  TAG_PROFILE,
  type TagConnection,
  type TagLink,
  type TagRadio,
} from "../index.ts";
import { webBluetoothRadio } from "../tag/web-bluetooth-link.ts";

/** A radio over a made-up platform plugin, with the test tag in the place of the plugin. */

/** What a broken radio does differently. */
interface PluginFaults {
  readonly connection?: (right: PlatformConnection) => Partial<PlatformConnection>;
  readonly link?: (right: TagLink, device: PlatformDevice) => Partial<TagLink>;
  readonly radio?: (right: TagRadio) => Partial<TagRadio>;
}

function pluginRadio(tag: RadioTestTag, faults: PluginFaults = {}): TagRadio {
  const device: PlatformDevice = {
    deviceId: "plugin-1",
    name: tag.name,
    async connect() {
      await tag.connect();
      const { characteristics = [] } = tag.services.find(({ uuid }) => uuid === TAG_PROFILE.service) ?? {};
      const right: PlatformConnection = {
        characteristics: characteristics.map(({ uuid, command, ...properties }) => ({
          uuid: uuid.toUpperCase(),
          properties: { ...properties, writeWithoutResponse: command === true },
        })),
        read: (_service, uuid) => tag.read(uuid),
        write: (_service, uuid, value, withoutResponse) => tag.write(uuid, value, withoutResponse),
        disconnect: () => tag.disconnect(),
        onDisconnect: (fell) => tag.onDisconnect(fell),
        keepsCommands: true,
      };
      return { ...right, ...faults.connection?.(right) };
    },
    disconnect: () => tag.disconnect(),
  };
  const right = linkOver(device);
  const link: TagLink = { ...right, ...faults.link?.(right, device) };
  let chosen = false;
  const radio: TagRadio = {
    async choose(_id, signal) {
      if (signal.aborted) throw Object.assign(new Error(), { code: "cancelled" });
      chosen = true;
      return link;
    },
    find: async (deviceId) => (chosen && deviceId === link.deviceId ? link : undefined),
    remembered: async () => (chosen ? [link] : []),
  };
  return { ...radio, ...faults.radio?.(radio) };
}

type OpenConnection = Awaited<ReturnType<TagLink["connect"]>>;

/** Faults of every connection that a link makes. */
const ofConnections = (change: (right: OpenConnection) => Partial<OpenConnection>): PluginFaults => ({
  link: (right) => ({
    async connect(signal, onRetry) {
      const made = await right.connect(signal, onRetry);
      return changed(made, change(made));
    },
  }),
});

/** `right` with `own` members in the place of its own; its getters stay live. */
const changed = (right: OpenConnection, own: Partial<OpenConnection>): OpenConnection =>
  new Proxy(right, {
    get(target, key) {
      if (key in own) return Reflect.get(own, key);
      const value: unknown = Reflect.get(target, key, target);
      return typeof value === "function" ? value.bind(target) : value;
    },
  });

/** Virtual milliseconds; with every check failing by its own patience, 20 minutes. */
const BUDGET = 1_500_000;

const never = () => new Promise<never>(() => undefined);
const neverAborted = () => new AbortController().signal;

/** Failed checks of the radio that `make` gives over a test tag, in virtual time. */
async function failures(make: (tag: RadioTestTag) => TagRadio, isReal = false): Promise<string[]> {
  const tag = new RadioTestTag();
  const options = isReal ? {} : { tag };
  const { checks, ok } = await new VirtualTime(1).run(BUDGET, () => checkRadio(make(tag), options));
  const failed = checks.filter(({ outcome }) => outcome === "failed");
  expect(ok).toBe(failed.length === 0);
  expect(checks.some(({ outcome }) => outcome === "left_out")).toBe(isReal);
  return failed.map(({ name, reason }) => `${name}: ${reason}`);
}

const webBluetooth = (tag: RadioTestTag) => {
  const bluetooth = fakeBluetooth([tag], async ([first]) => first);
  return webBluetoothRadio(() => bluetooth);
};

test.each([
  ["Web Bluetooth's", webBluetooth],
  ["one over a plugin", (tag: RadioTestTag) => pluginRadio(tag)],
])("%s passes, with every fault and with a real tag", async (_whose, make) => {
  expect(await failures(make)).toEqual([]);
  expect(await failures(make, true)).toEqual([]);
});

const BROKEN: readonly (readonly [what: string, caughtBy: string, faults: PluginFaults])[] = [
  [
    "sends operations at once",
    "two at once",
    {
      link: (_right, device) => ({
        async connect() {
          const platform = await device.connect();
          const read: TagConnection["read"] = (...at) => connectionOver(platform).read(...at);
          return changed(connectionOver(platform), { read });
        },
      }),
    },
  ],
  [
    "writes the whole buffer that a value is a view of",
    "writes arrive whole",
    {
      connection: ({ write }) => ({
        write: (service, uuid, value, ...more) => write(service, uuid, new Uint8Array(value.buffer), ...more),
      }),
    },
  ],
  [
    "cuts values at the MTU",
    "values arrive whole",
    {
      connection: ({ read }) => ({ read: async (...at) => copyBytes(await read(...at)).slice(0, 20) }),
    },
  ],
  [
    "splits long writes",
    "writes arrive whole",
    {
      connection: ({ write }) => ({
        async write(service, uuid, value, withoutResponse) {
          for (let at = 0; at < value.length; at += 20)
            await write(service, uuid, value.slice(at, at + 20), withoutResponse);
        },
      }),
    },
  ],
  [
    "writes without response where it must not",
    "writes without response only where they are safe",
    { connection: ({ write }) => ({ write: (service, uuid, value) => write(service, uuid, value, true) }) },
  ],
  [
    "does not wait for the tag's confirmation",
    "a write resolves only when",
    { connection: ({ write }) => ({ write: async (...at) => void write(...at).catch(() => undefined) }) },
  ],
  [
    "lets the platform's errors through",
    "a refusal (UNLIKELY_ERROR)",
    ofConnections((right) => ({
      read: (uuid, signal) => right.read(uuid, signal).catch((error) => Promise.reject(error.cause ?? error)),
    })),
  ],
  [
    "misses falls",
    "a fall between operations",
    { connection: () => ({ onDisconnect: () => () => undefined }) },
  ],
  [
    "has no time limit",
    "a read without an answer times out",
    ofConnections((right) => ({
      read: (uuid, signal) =>
        right
          .read(uuid, signal)
          .catch((error) => (error.code === "timeout" ? never() : Promise.reject(error))),
    })),
  ],
  [
    "ignores the signal",
    "a write in flight is cancelled at once",
    ofConnections((right) => ({ write: (uuid, value) => right.write(uuid, value, neverAborted()) })),
  ],
  [
    "leaves the link when closed",
    "close ends the link",
    { connection: () => ({ disconnect: () => undefined }) },
  ],
  [
    "connects once",
    "an attempt that fails is repeated",
    { link: (_right, device) => ({ connect: async () => connectionOver(await device.connect()) }) },
  ],
  [
    "leaves a link behind when a connect is cancelled",
    "a connect is cancelled at once, and leaves no link",
    {
      link: (right) => ({
        connect: (signal, onRetry) => orCancelled(signal, right.connect(neverAborted(), onRetry)),
      }),
    },
  ],
  [
    "forgets the chosen device",
    "find gives the chosen device",
    { radio: () => ({ find: async () => undefined }) },
  ],
  [
    "lists no properties",
    "discovery finds every characteristic",
    { connection: () => ({ characteristics: [] }) },
  ],
  [
    "reads the tag service alone",
    "Battery and Device Information are read",
    {
      connection: ({ read }) => ({
        read: (service, uuid) =>
          service.startsWith("0000") ? Promise.reject(new Error()) : read(service, uuid),
      }),
    },
  ],
];

test.each(BROKEN)("a radio that %s is caught", async (_what, caughtBy, faults) => {
  expect(await failures((tag) => pluginRadio(tag, faults))).toContainEqual(expect.stringContaining(caughtBy));
});
