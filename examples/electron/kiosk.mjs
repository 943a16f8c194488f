import { fileURLToPath } from "node:url";
import { answerChooser } from "./answer-chooser.mjs";

const here = (file) => fileURLToPath(new URL(file, import.meta.url));

/** Chromium's own switches: Web Bluetooth on Linux, and devices that stay known from start to start. */
const SWITCHES = [
  ["enable-blink-features", "WebBluetooth"],
  ["enable-features", "WebBluetoothNewPermissionsBackend"],
];

/** Shows the service's kiosk, and nothing else, in the place of the desktop. */
export async function startKiosk({ app, BrowserWindow }, service) {
  for (const [name, value] of SWITCHES) app.commandLine.appendSwitch(name, value);
  app.on("window-all-closed", () => app.quit());
  await app.whenReady();
  const kiosk = new BrowserWindow({ kiosk: true, webPreferences: { sandbox: true } });
  const { webContents } = kiosk;
  webContents.setWindowOpenHandler(() => ({ action: "deny" }));
  webContents.on("will-navigate", (event) => {
    if (new URL(event.url).origin !== new URL(service).origin) event.preventDefault();
  });
  answerChooser(webContents, () => askStaff(BrowserWindow, kiosk));
  await kiosk.loadURL(`${service}/kiosk`);
  return kiosk;
}

/** A window over the kiosk that asks for the tag: typed, or by a scanner that types. Null where it is closed. */
function askStaff(BrowserWindow, parent) {
  return new Promise((resolve) => {
    const webPreferences = { sandbox: true, preload: here("preload.cjs") };
    const dialog = new BrowserWindow({
      parent,
      modal: true,
      width: 520,
      height: 300,
      frame: false,
      webPreferences,
    });
    dialog.webContents.ipc.once("tag", (_event, text) => {
      resolve(text);
      dialog.close();
    });
    dialog.once("closed", () => resolve(null));
    dialog.loadFile(here("ask.html"));
  });
}
