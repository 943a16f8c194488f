import { cleanup, render, screen } from "@solidjs/testing-library";
import { afterEach, expect, test, vi } from "vitest";
import { I18nProvider } from "../i18n/index.tsx";
import { fakeTaglatch, PICKED } from "../test-support/fake-taglatch.ts";
import { SETTINGS } from "../test-support/render-kiosk.tsx";
import { type Kiosk, KioskProvider, useKiosk } from "./kiosk-state.tsx";

afterEach(() => {
  cleanup();
  vi.unstubAllGlobals();
});

/** A kiosk on its attract screen, without its screens. */
async function kiosk(): Promise<Kiosk> {
  const session = { ...fakeTaglatch().session, state: async () => ({ method: "b2b-secret" }) as const };
  const parts = {
    setup: { settings: async () => SETTINGS, secret: async () => "", save: async () => undefined },
    createClient: async () => ({ ...fakeTaglatch(), session }),
    watchUpdates: () => undefined,
    chime: () => undefined,
    isDevelopment: async () => false,
  };
  let made!: Kiosk;
  const Probe = () => {
    made = useKiosk();
    return <p>{made.screen()}</p>;
  };
  render(() => (
    <I18nProvider>
      <KioskProvider parts={parts}>
        <Probe />
      </KioskProvider>
    </I18nProvider>
  ));
  await screen.findByText("attract");
  return made;
}

test("of the tag that one passenger had in hand, was about to clear or had unlocked, the next has nothing", async () => {
  const { clear, release, home, clearing, releasing, takeChosenTag } = await kiosk();
  for (const end of [() => clear(PICKED.uniqueDeviceId, PICKED), () => release(PICKED)]) {
    end();
    home();
    expect([clearing(), releasing(), takeChosenTag()]).toEqual([undefined, undefined, undefined]);
  }
});
