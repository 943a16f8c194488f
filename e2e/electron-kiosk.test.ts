/** The main process of examples/electron, with a stub in Electron's place. */
import { EventEmitter } from "node:events";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { expect, test, vi } from "vitest";
import { tagName } from "../core/gatt/tag-name.ts";
import { ROOT } from "../scripts/project-files.ts";

const load = (file: string) => import(pathToFileURL(join(ROOT, "examples", "electron", file)).href);
const { answerChooser, nameOf } = await load("answer-chooser.mjs");
const { startKiosk } = await load("kiosk.mjs");

const TAGS = [
  { deviceName: "EBT-0001", deviceId: "one" },
  { deviceName: "EBT-00aB", deviceId: "two" },
];

/** A page whose chooser is open, and what staff answer, where they do. */
function chooser(said: () => Promise<string | null>, patience?: number) {
  const webContents = new EventEmitter();
  const ask = vi.fn(said);
  answerChooser(webContents, ask, patience);
  const preventDefault = vi.fn();
  const callback = vi.fn();
  const finds = (...devices: typeof TAGS) =>
    webContents.emit("select-bluetooth-device", { preventDefault }, devices, callback);
  return { ask, callback, finds, preventDefault };
}

const settled = () => new Promise((resolve) => setTimeout(resolve, 20));

test.each([
  ["EBT-0001", "one"],
  [" ebt-00ab\n", "two"],
  ["https://tags.example.com/t/ebt-21-0001?from=label", "one"],
])("staff who say %j get that tag, once, however often devices are reported", async (said, deviceId) => {
  const { ask, callback, finds, preventDefault } = chooser(async () => said);
  finds();
  finds(...TAGS.slice(0, 1));
  finds(...TAGS);
  await settled();
  expect(callback.mock.calls).toEqual([[deviceId]]);
  expect([ask.mock.calls.length, preventDefault.mock.calls.length]).toEqual([1, 3]);
});

test("a tag that advertises after it was named is taken", async () => {
  const { callback, finds } = chooser(async () => "EBT-0001");
  finds();
  await settled();
  expect(callback).not.toHaveBeenCalled();
  finds(...TAGS);
  expect(callback.mock.calls).toEqual([["one"]]);
});

test("no tag is taken where staff give up, the window fails, none has the name in time, or two have it", async () => {
  for (const [said, devices] of [
    [async () => null, TAGS],
    [() => Promise.reject(new Error("no window")), TAGS],
    [async () => "EBT-9999", TAGS],
    [async () => "EBT-0001", [...TAGS, { deviceName: "EBT-0001", deviceId: "three" }]],
  ] as const) {
    const { callback, finds } = chooser(said, 10);
    finds(...devices);
    await settled();
    expect(callback.mock.calls).toEqual([[""]]);
  }
});

test("the next chooser asks again", async () => {
  const { ask, callback, finds } = chooser(async () => "EBT-0001");
  for (const times of [1, 2]) {
    finds(...TAGS);
    await settled();
    expect([ask.mock.calls.length, callback.mock.calls.length]).toEqual([times, times]);
  }
});

test("a tag's id, its address and its name give the name that it advertises", () => {
  const id = "ebt-21-0042";
  for (const said of [id, `https://tags.example.com/t/${id}/`, tagName(id), "0042"])
    expect(nameOf(said)).toBe(tagName(id));
});

/** Electron, as far as the kiosk uses it. */
function stubOfElectron() {
  const windows: StubWindow[] = [];
  class StubWindow extends EventEmitter {
    shown = "";
    opening: () => unknown = () => undefined;
    readonly options: Record<string, unknown>;
    readonly webContents = Object.assign(new EventEmitter(), {
      ipc: new EventEmitter(),
      setWindowOpenHandler: (handler: () => unknown) => {
        this.opening = handler;
      },
    });
    constructor(options: Record<string, unknown>) {
      super();
      this.options = options;
      windows.push(this);
    }
    async loadURL(address: string) {
      this.shown = address;
    }
    loadFile(path: string) {
      return this.loadURL(path);
    }
    close() {
      this.emit("closed");
    }
  }
  const switches = new Map<string, string>();
  const commandLine = { appendSwitch: (name: string, value: string) => switches.set(name, value) };
  const app = Object.assign(new EventEmitter(), {
    commandLine,
    whenReady: async () => undefined,
    quit: vi.fn(),
  });
  return { app, BrowserWindow: StubWindow, windows, switches };
}

test("the kiosk shows the service alone, and asks staff in a window of its own", async () => {
  const { windows, switches, ...electron } = stubOfElectron();
  const kiosk = await startKiosk(electron, "https://tags.example.com");
  expect([kiosk.shown, kiosk.options.kiosk]).toEqual(["https://tags.example.com/kiosk", true]);
  expect([...switches.keys()]).toEqual(["enable-blink-features", "enable-features"]);
  expect(kiosk.opening()).toEqual({ action: "deny" });
  const goes = (url: string) => {
    const preventDefault = vi.fn();
    kiosk.webContents.emit("will-navigate", { url, preventDefault });
    return preventDefault.mock.calls.length === 0;
  };
  expect([goes("https://tags.example.com/kiosk/setup"), goes("https://evil.example/")]).toEqual([
    true,
    false,
  ]);

  const answers: string[] = [];
  for (const end of ["EBT-0001", undefined]) {
    const select = (deviceId: string) => answers.push(deviceId);
    kiosk.webContents.emit("select-bluetooth-device", { preventDefault: () => undefined }, TAGS, select);
    const dialog = windows.at(-1);
    expect(dialog?.options).toMatchObject({ parent: kiosk, modal: true });
    expect(dialog?.shown).toMatch(/ask\.html$/);
    if (end === undefined) dialog?.close();
    else dialog?.webContents.ipc.emit("tag", {}, end);
    await settled();
  }
  expect(answers).toEqual(["one", ""]);
});
