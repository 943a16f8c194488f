import { createEvent, fireEvent, render } from "@solidjs/testing-library";
import type { JSX } from "solid-js";
import { beforeEach, type Mock, vi } from "vitest";
import { ServiceError, type SessionState, type Taglatch } from "../../sdk/index.ts";
import { en } from "../i18n/en.ts";
import { I18nProvider } from "../i18n/index.tsx";
import { KioskApp } from "../kiosk/KioskRoot.tsx";
import type { KioskParts } from "../kiosk/kiosk-state.tsx";
import type { Settings } from "../kiosk/setup.ts";
import type { InstallUpdate } from "../service-worker/watch-updates.ts";
import { type FakeScript, fakeTaglatch, LOVELACE } from "./fake-taglatch.ts";
import { heading, pressSoon, setUpPageTests, type } from "./render-app.tsx";

export { heading, pressSoon as press, type };

export const SETTINGS: Settings = {
  name: "OSL 12",
  airline: "SK",
  airport: "OSL",
  scanner: "both",
  sound: true,
};
export const PASSWORD = "correct horse";
/** A boarding pass of the journey. */
export const PASS = "M1LOVELACE/ADA        EABC123 OSLARNSK 1234 123Y008A0034 100";

/** Dialogs, and a clock that a test may turn on by 45 seconds. */
export function setUpKioskTests() {
  setUpPageTests();
  beforeEach(() =>
    vi.useFakeTimers({
      toFake: ["setTimeout", "clearTimeout", "setInterval", "clearInterval"],
      shouldAdvanceTime: true,
    }),
  );
}

interface Options {
  readonly settings?: Settings;
  readonly isSetUp?: boolean;
  readonly script?: FakeScript;
  readonly session?: SessionState;
  /** In place of its screens. */
  readonly app?: (props: { readonly parts: KioskParts }) => JSX.Element;
}

/** The scripted SDK of staff whose shift has begun. */
function fakeClient(script: FakeScript, session: SessionState) {
  const fake = fakeTaglatch(script);
  let tellSession: (state: SessionState) => void = () => undefined;
  const client: Taglatch = {
    ...fake,
    journeys: {
      ...fake.journeys,
      ...(!script.airlines && { fromBcbp: async () => ({ ok: true, value: LOVELACE }) }),
    },
    session: {
      ...fake.session,
      loginB2B: async ({ username, password }) => {
        fake.calls.push(`loginB2B ${username}`);
        if (password !== PASSWORD) return { ok: false, error: new ServiceError("invalid_credentials", "") };
        return { ok: true, value: session };
      },
      logout: async () => {
        fake.calls.push("logout");
        tellSession({ method: "none" });
        return { ok: true, value: undefined };
      },
      state: async () => session,
      subscribe: (listener) => {
        tellSession = listener;
        return () => undefined;
      },
    },
  };
  return { fake, client, sessionEnds: () => tellSession({ method: "none" }) };
}

/** A kiosk over it. */
export function renderKiosk(options: Options = {}) {
  const { settings = SETTINGS, isSetUp = true, script = {}, session = { method: "b2b-secret" } } = options;
  const { app: App = KioskApp } = options;
  const { fake, client, sessionEnds } = fakeClient(script, session);
  const chime: Mock<() => void> = vi.fn();
  const reload: Mock<InstallUpdate> = vi.fn(async () => undefined);
  let offerUpdate: (install: InstallUpdate) => void = () => undefined;
  history.replaceState(null, "", "/kiosk");
  vi.stubGlobal("fetch", () => Promise.reject(new TypeError("no network in this test")));
  const parts = {
    setup: {
      settings: async () => (isSetUp ? settings : undefined),
      secret: async () => "secret",
      save: async () => undefined,
    },
    createClient: async () => client,
    watchUpdates: (found: typeof offerUpdate) => {
      offerUpdate = found;
    },
    chime,
    isDevelopment: async () => false,
  };
  render(() => (
    <I18nProvider>
      <App parts={parts} />
    </I18nProvider>
  ));
  return { fake, chime, reload, update: () => offerUpdate(reload), sessionEnds };
}

/** The same with the journey open, by its boarding pass. */
export async function openJourney(options: Options = {}) {
  const kiosk = renderKiosk(options);
  await heading(en.kiosk.attract.scan);
  scan(PASS);
  await heading(en.journey.title("Helsinki"));
  return kiosk;
}

/** A scanner strikes a key every few milliseconds, however late a busy machine delivers them. */
export function scan(text: string) {
  const struck = performance.now();
  for (const [nth, key] of [...text, "Enter"].entries()) {
    const target = document.activeElement ?? document.body;
    const event = createEvent.keyDown(target, { key });
    Object.defineProperty(event, "timeStamp", { value: struck + nth });
    fireEvent(target, event);
  }
}
