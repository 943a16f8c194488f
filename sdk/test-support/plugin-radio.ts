/** A radio over a made-up platform plugin, with the test tag in the place of the plugin. */
import type { RadioTestTag } from "../../sim/radio-check/radio-test-tag.ts";
import {
  linkOver,
  type PlatformConnection,
  type PlatformDevice,
  TAG_PROFILE,
  type TagLink,
  type TagRadio,
} from "../index.ts";

/** What a broken radio does differently. */
export interface PluginFaults {
  readonly connection?: (right: PlatformConnection) => Partial<PlatformConnection>;
  readonly link?: (right: TagLink, device: PlatformDevice) => Partial<TagLink>;
  readonly radio?: (right: TagRadio) => Partial<TagRadio>;
}

export function pluginRadio(tag: RadioTestTag, faults: PluginFaults = {}): TagRadio {
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
export const ofConnections = (change: (right: OpenConnection) => Partial<OpenConnection>): PluginFaults => ({
  link: (right) => ({
    async connect(signal, onRetry) {
      const made = await right.connect(signal, onRetry);
      return changed(made, change(made));
    },
  }),
});

/** `right` with `own` members in the place of its own; its getters stay live. */
export const changed = (right: OpenConnection, own: Partial<OpenConnection>): OpenConnection =>
  new Proxy(right, {
    get(target, key) {
      if (key in own) return Reflect.get(own, key);
      const value: unknown = Reflect.get(target, key, target);
      return typeof value === "function" ? value.bind(target) : value;
    },
  });
