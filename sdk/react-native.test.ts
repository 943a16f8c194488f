/** docs/react-native.md, run where there is neither DOM, IndexedDB nor `navigator`: a context with what the page names alone. */
import { readFileSync } from "node:fs";
import { createContext, runInContext } from "node:vm";
import { build, type Plugin } from "vite";
import { beforeAll, describe, expect, test, vi } from "vitest";
import { fromBase64, toBase64 } from "../core/encoding/bytes.ts";
import { AES_GCM_16 } from "../core/sec/suites.ts";
import { checkRadio, RadioTestTag } from "../sim/install.ts";
import { fakeBluetooth } from "../sim/radio/fake-bluetooth.ts";
import type { GattPeer } from "../sim/tag/tag-types.ts";
import { VirtualTime } from "../sim/test-support/virtual-time.ts";
import type { Taglatch, TagRadio } from "./index.ts";
import { keyValueStore } from "./test-support/memory-storage.ts";
import { outcomeOf, scene, valueIn } from "./test-support/scene.ts";

const PAGE = readFileSync(new URL("../docs/react-native.md", import.meta.url), "utf8");
const block = (language: string) =>
  new RegExp(`^\`\`\`${language}\\n([\\s\\S]*?)^\`\`\``, "m").exec(PAGE)?.[1] ?? "";

/** What the page imports: stand-ins that a context brings. */
const MODULES: Readonly<Record<string, string>> = {
  "@react-native-async-storage/async-storage": "export default globalThis.modules.AsyncStorage;",
  "react-native": "export const Platform = { OS: 'android' };",
  "react-native-ble-plx": "export const BleManager = globalThis.modules.BleManager;",
  "react-native-quick-crypto": "export const install = globalThis.modules.install;",
  webbluetooth: "export const Bluetooth = globalThis.modules.Bluetooth;",
};

/** One script of the page's block in `language` and of the SDK, which leaves `exported` as `app`. */
async function scriptOf(language: string, exported: string): Promise<string> {
  const entry = `entry-${language}.ts`;
  const sources = { ...MODULES, [entry]: `${block(language)}\nglobalThis.app = { ${exported} };` };
  const plugin: Plugin = {
    name: "sources",
    enforce: "pre",
    resolveId(id) {
      if (id === "@taglatch/sdk") return new URL("index.ts", import.meta.url).pathname;
      const name = Object.keys(sources).find((each) => id === each || id.endsWith(`/${each}`));
      return name === undefined ? null : `\0${name}.ts`;
    },
    load: (id) => (sources as Record<string, string>)[id.slice(1, -".ts".length)] ?? null,
  };
  const output = await build({
    configFile: false,
    logLevel: "silent",
    plugins: [plugin],
    build: { write: false, minify: false, target: "es2022", lib: { entry, formats: ["iife"], name: "page" } },
  });
  const [bundle] = [output].flat();
  return bundle && "output" in bundle ? bundle.output[0].code : "";
}

let script = "";
beforeAll(async () => {
  script = await scriptOf("ts", "radio, taglatch");
});

/** What an engine must have, or the page says what lacks. */
const GLOBALS = { AbortController, TextDecoder, TextEncoder, URL, atob, btoa };

type Alive = <Given extends unknown[], T>(
  work: (...given: Given) => Promise<T>,
) => (...given: Given) => Promise<T>;

/** The plugin's manager and device (version 3.5.1), with `tag` in reach. */
function bleManager(tag: GattPeer, alive: Alive) {
  const device = {
    id: "C0:11:22:33:44:55",
    name: null,
    localName: tag.name,
    connect: alive(() => tag.connect()),
    discoverAllServicesAndCharacteristics: async () => device,
    cancelConnection: alive(async () => tag.disconnect()),
    onDisconnected(listener: () => void) {
      const remove = tag.onDisconnect(listener);
      return { remove };
    },
    characteristicsForService: async (service: string) =>
      (tag.services.find(({ uuid }) => uuid === service)?.characteristics ?? []).map((row) => ({
        ...{ uuid: row.uuid, isReadable: row.read, isWritableWithResponse: row.write },
        ...{ isWritableWithoutResponse: row.command === true, isNotifiable: row.notify },
      })),
    readCharacteristicForService: async (_service: string, uuid: string) => ({
      value: toBase64(await tag.read(uuid)),
    }),
    writeCharacteristicWithResponseForService: (_service: string, uuid: string, value: string) =>
      tag.write(uuid, fromBase64(value)),
    writeCharacteristicWithoutResponseForService: (_service: string, uuid: string, value: string) =>
      tag.write(uuid, fromBase64(value), true),
  };
  return class {
    async startDeviceScan(
      _services: unknown,
      _options: unknown,
      found: (error: null, one: typeof device) => void,
    ) {
      found(null, device);
    }
    async stopDeviceScan() {}
  };
}

/** Starts the page's app as a process of its own, over what is stored; after `end` it reaches nothing any more. */
function start(tag: GattPeer, fetching: typeof fetch, texts = new Map<string, string>()) {
  let isEnded = false;
  const never = () => new Promise<never>(() => undefined);
  const alive: Alive =
    (work) =>
    (...given) =>
      isEnded ? never() : work(...given).then((value) => (isEnded ? never() : value));
  const { get, set, remove } = keyValueStore(texts);
  const modules = {
    AsyncStorage: { getItem: alive(get), setItem: alive(set), removeItem: alive(remove) },
    BleManager: bleManager(tag, alive),
    install: () => Object.assign(context, { crypto }),
  };
  const context = createContext({
    modules,
    ...GLOBALS,
    fetch: alive(fetching),
    // As the test has them: its time may be virtual.
    setTimeout: (...given: Parameters<typeof setTimeout>) => setTimeout(...given),
    clearTimeout: (timer: number) => clearTimeout(timer),
    performance: { now: () => performance.now() },
  });
  runInContext(script, context);
  const { radio, taglatch } = context.app as { readonly radio: TagRadio; readonly taglatch: Taglatch };
  const end = () => {
    isEnded = true;
    tag.disconnect();
  };
  return { radio, taglatch, end, context };
}

test("the page's radio passes every check", async () => {
  const tag = new RadioTestTag();
  const { radio } = start(tag, fetch);
  const { checks } = await new VirtualTime(1).run(1_500_000, () => checkRadio(radio, { tag }));
  expect(checks.filter(({ outcome }) => outcome === "failed")).toEqual([]);
});

describe.each(["2.1", "2.0"] as const)("a tag of generation %s", (generation) => {
  test("is written, reported and cleared", async () => {
    const { service, tag, request } = await scene({ generation });
    tag.disconnect();
    const { taglatch } = start(tag, service.fetch);
    valueIn(await taglatch.session.loginFederated("token"));
    const picked = valueIn(await taglatch.pickTag({ uniqueDeviceId: tag.id }));
    const transferred = valueIn(await taglatch.transferTag({ ...request, ...picked }));
    expect([transferred.pendingRetry, tag.snapshot().commits]).toEqual([false, 1]);
    expect(valueIn(await taglatch.clearTag(picked)).pendingRetry).toBe(false);
    expect(tag.snapshot().commits).toBe(2);
  });
});

test("an app that ended in the middle reports after its next start what the tag took", async () => {
  const { service, tag, request } = await scene();
  tag.disconnect();
  const texts = new Map<string, string>();
  const { taglatch: first, end } = start(tag, service.fetch, texts);
  valueIn(await first.session.loginFederated("token"));
  const picked = valueIn(await first.pickTag());
  const committed = new Promise<void>((resolve) => {
    tag.observe(() => tag.snapshot().commits === 1 && resolve());
  });
  void first.transferTag({ ...request, ...picked });
  await committed;
  end();

  const { taglatch } = start(tag, service.fetch, texts);
  expect(await taglatch.outbox.entries()).toMatchObject([{ unresolved: "written" }]);
  // No guest takes the traveller's place.
  expect(outcomeOf(await taglatch.journeys.list())).toBe("ServiceError:unauthorized_token");
  valueIn(await taglatch.session.loginFederated("token"));
  const again = valueIn(await taglatch.pickTag());
  expect(valueIn(await taglatch.settleTag(again))).toMatchObject({ outcome: "written" });
  expect([await taglatch.outbox.entries(), service.locks.size]).toEqual([[], 1]);
});

test("a record that does not open is no error of the engine's where there is no DOMException", async () => {
  vi.stubGlobal("DOMException", undefined);
  const { open } = await AES_GCM_16.key(new Uint8Array(16));
  const [nonce, forged] = [new Uint8Array(12), new Uint8Array(32)];
  expect(await open(nonce, new Uint8Array(), forged)).toBeUndefined();
  vi.unstubAllGlobals();
});

test("the page's client for Node writes a tag over a browser's Bluetooth", async () => {
  const { service, tag, request } = await scene();
  tag.disconnect();
  const given = { ...GLOBALS, crypto, fetch: service.fetch, setTimeout, clearTimeout, performance };
  const bluetooth = fakeBluetooth([tag], async ([first]) => first);
  const modules = {
    Bluetooth: class {
      constructor() {
        // biome-ignore lint/correctness/noConstructorReturn: the stand-in is not the class's own
        return bluetooth;
      }
    },
  };
  const context = createContext({ ...given, modules, navigator: {} });
  runInContext(await scriptOf("js", "taglatch"), context);
  const { taglatch } = context.app as { readonly taglatch: Taglatch };
  const picked = valueIn(await taglatch.pickTag());
  expect(valueIn(await taglatch.transferTag({ ...request, ...picked })).pendingRetry).toBe(false);
});
