import { webcrypto } from "node:crypto";
import { cleanup, fireEvent, render, screen } from "@solidjs/testing-library";
import { afterEach, beforeAll, vi } from "vitest";
import { App } from "../app.tsx";
import { rememberListKnown } from "../job/guide-chooser.ts";
import { type Elsewhere, takeFragment } from "../state/start.ts";
import { type FakeScript, type FakeTaglatch, fakeTaglatch } from "./fake-taglatch.ts";

/** The whole page over a scripted SDK, at `path`, with no service behind it; the browser's list was explained before. */
export function renderApp(path: string, script: FakeScript = {}, elsewhere: Elsewhere = {}): FakeTaglatch {
  rememberListKnown();
  const client = fakeTaglatch(script);
  vi.stubGlobal("fetch", () => Promise.reject(new TypeError("no network in this test")));
  vi.stubGlobal("scrollTo", () => undefined);
  // As a browser that names its tags.
  Object.assign(navigator, { bluetooth: script.remembered && { getDevices: async () => [] } });
  history.replaceState(null, "", path);
  const arrived = takeFragment();
  render(() => (
    <App
      createClient={async () => client}
      watchUpdates={() => undefined}
      isDevelopment={async () => false}
      elsewhere={async () => elsewhere}
      handOver={{ token: undefined, origins: async () => [] }}
      arrived={arrived}
      brand={() => ({})}
    />
  ));
  return client;
}

/** jsdom lacks modal dialogs; the page needs only that they open and close. */
function standInForDialogs(): void {
  HTMLDialogElement.prototype.showModal ??= function (this: HTMLDialogElement) {
    this.open = true;
  };
  HTMLDialogElement.prototype.close ??= function (this: HTMLDialogElement) {
    this.open = false;
  };
}

/** Dialogs, and nothing of one test for the next. */
export function setUpPageTests(): void {
  beforeAll(standInForDialogs);
  afterEach(() => {
    cleanup();
    vi.useRealTimers();
    vi.restoreAllMocks();
    vi.unstubAllGlobals();
    localStorage.clear();
  });
}

/** Every tap of a test has just happened. */
export const stubUserActivation = () =>
  void vi.stubGlobal("navigator", Object.assign(navigator, { userActivation: { isActive: true } }));

/** jsdom has no cryptography. */
export async function standInForCryptography(): Promise<void> {
  Object.defineProperty(globalThis, "crypto", { value: webcrypto });
  const key = await webcrypto.subtle.generateKey({ name: "AES-GCM", length: 256 }, false, ["encrypt"]);
  Object.assign(globalThis, { CryptoKey: key.constructor });
}

export const heading = (name: string | RegExp) => screen.findByRole("heading", { level: 1, name });
/** The words of some buttons load with the screen. */
export const pressSoon = async (name: string) => fireEvent.click(await screen.findByRole("button", { name }));
export const type = (label: string, value: string, field = screen.getByLabelText(label)) =>
  fireEvent.input(field, { target: { value } });
export const press = (name: string | RegExp) => fireEvent.click(screen.getByRole("button", { name }));
