import { afterEach, expect, test, vi } from "vitest";
import { SKIP_WAITING } from "./messages.ts";
import { type InstallUpdate, watchUpdates } from "./watch-updates.ts";

afterEach(() => {
  vi.unstubAllGlobals();
  vi.unstubAllEnvs();
});

/** A worker of the page's script, which a test brings from state to state. */
class Worker extends EventTarget {
  state = "installed";
  readonly postMessage = vi.fn();
  become(state: string) {
    this.state = state;
    this.dispatchEvent(new Event("statechange"));
  }
}

/** A browser in which a version waits; `active`: whether one runs already. */
async function browser(active = true) {
  const [waiting, reload] = [new Worker(), vi.fn()];
  const registration = Object.assign(new EventTarget(), { waiting, active: active ? new Worker() : null });
  vi.stubEnv("PROD", true);
  vi.stubGlobal("navigator", {
    serviceWorker: { register: async () => registration, ready: Promise.resolve(registration) },
  });
  vi.stubGlobal("location", { reload });
  vi.stubGlobal("document", { documentElement: { lang: "en" } });
  vi.stubGlobal(
    "MutationObserver",
    class {
      observe() {}
    },
  );
  vi.stubGlobal("requestIdleCallback", (work: () => void) => work());
  const offers: InstallUpdate[] = [];
  watchUpdates((install) => offers.push(install));
  await new Promise((resolve) => setTimeout(resolve));
  return { waiting, reload, offers };
}
const soon = () => new Promise((resolve) => setTimeout(resolve));

test.each(["activated", "redundant"])(
  "the page reloads once the new version is %s, and not before: the old one would answer",
  async (end) => {
    const { waiting, reload, offers } = await browser();
    const installed = offers[0]?.();
    await soon();
    expect(waiting.postMessage.mock.calls).toEqual([[{ type: SKIP_WAITING }]]);
    waiting.become("activating");
    await soon();
    expect(reload).not.toHaveBeenCalled();
    waiting.become(end);
    await installed;
    expect(reload).toHaveBeenCalledTimes(1);
  },
);

test("a version that another window has already installed is only loaded", async () => {
  const { waiting, reload, offers } = await browser();
  waiting.state = "activated";
  await offers[0]?.();
  expect(waiting.postMessage).not.toHaveBeenCalled();
  expect(reload).toHaveBeenCalledTimes(1);
});

test("the first install is no update", async () => {
  expect((await browser(false)).offers).toEqual([]);
});
