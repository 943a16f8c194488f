import { cleanup, fireEvent, render, screen, waitFor } from "@solidjs/testing-library";
import { afterEach, beforeAll, beforeEach, describe, expect, test, vi } from "vitest";
import {
  BluetoothError,
  ServiceError,
  type SessionState,
  TagError,
  type Taglatch,
  type TaglatchError,
} from "../../sdk/index.ts";
import { en } from "../i18n/en.ts";
import { kiosk as words } from "../i18n/en-kiosk.ts";
import { I18nProvider } from "../i18n/index.tsx";
import { withNumbers } from "../i18n/unbroken.ts";
import type { InstallUpdate } from "../service-worker/watch-updates.ts";
import { type FakeScript, fakeTaglatch, PICKED } from "../test-support/fake-taglatch.ts";
import { LOVELACE } from "../test-support/journeys.ts";
import { standInForDialogs } from "../test-support/render-app.tsx";
import { scan } from "../test-support/scanner.ts";
import { KioskApp } from "./KioskApp.tsx";
import type { Settings } from "./setup-store.ts";

const PASS = "M1LOVELACE/ADA        EABC123 OSLARNSK 1234 123Y008A0034 100";
const SETTINGS: Settings = { name: "OSL 12", airline: "SK", airport: "OSL", scanner: "both", sound: true };

const ADA = { id: "1001", pin: "246813" };
const PASSWORD = "correct horse";

beforeAll(standInForDialogs);
beforeEach(() => {
  localStorage.clear();
  vi.useFakeTimers({
    toFake: ["setTimeout", "clearTimeout", "setInterval", "clearInterval"],
    shouldAdvanceTime: true,
  });
});
afterEach(() => {
  cleanup();
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

interface Options {
  readonly settings?: Settings;
  readonly isSetUp?: boolean;
  readonly script?: FakeScript;
  readonly session?: SessionState;
}

/** A kiosk over a scripted SDK, with a shift begun. */
function renderKiosk(options: Options = {}) {
  const { settings = SETTINGS, isSetUp = true, script = {}, session = { method: "b2b-secret" } } = options;
  const fake = fakeTaglatch(script);
  let tellSession: (state: SessionState) => void = () => undefined;
  const client: Taglatch = {
    ...fake,
    journeys: { ...fake.journeys, fromBcbp: async () => ({ ok: true, value: LOVELACE }) },
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
  const chime = vi.fn();
  const reload = vi.fn<InstallUpdate>(async () => undefined);
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
      <KioskApp parts={parts} />
    </I18nProvider>
  ));
  return {
    fake,
    chime,
    reload,
    update: () => offerUpdate(reload),
    sessionEnds: () => tellSession({ method: "none" }),
  };
}

const heading = (name: string) => screen.findByRole("heading", { level: 1, name });
const press = async (name: string) => fireEvent.click(await screen.findByRole("button", { name }));

describe("the kiosk", () => {
  test("asks for its set-up on a fresh device", async () => {
    renderKiosk({ isSetUp: false });
    await heading(words.unset.title);
  });

  test("asks for a sign-in where nobody is signed in", async () => {
    renderKiosk({ session: { method: "none" } });
    await heading(words.signIn.title);
  });

  test("asks for a sign-in again where the session's last day is over", async () => {
    renderKiosk({ session: { method: "b2b-secret", expiresAt: Date.now() - 1 } });
    await heading(words.signIn.title);
  });

  test("a session that ends during a visit is told after it", async () => {
    const { sessionEnds } = renderKiosk();
    await heading(words.attract.scan);
    await press(words.attract.type);
    sessionEnds();
    await heading(words.find.title);
    await press(en.job.toStart);
    await heading(words.signIn.title);
  });
});

describe("a visit", () => {
  test("begins with a scanned boarding pass, whatever has the focus", async () => {
    renderKiosk();
    await heading(words.attract.scan);
    scan(PASS);
    await heading(en.journey.title("Helsinki"));
  });

  test("warns with a sound after 45 seconds, and clears the screen after twenty more", async () => {
    const { chime } = renderKiosk();
    await heading(words.attract.scan);
    scan(PASS);
    await heading(en.journey.title("Helsinki"));
    vi.advanceTimersByTime(44_000);
    expect(chime).not.toHaveBeenCalled();
    vi.advanceTimersByTime(2_000);
    await screen.findByText(words.idle.title);
    expect(chime).toHaveBeenCalledTimes(1);
    vi.advanceTimersByTime(21_000);
    await heading(words.attract.scan);
    expect(document.body.textContent).not.toContain("LOVELACE");
  });

  test("gives whoever listens twice the time, and begins before the first screen", async () => {
    renderKiosk();
    await heading(words.attract.scan);
    fireEvent.keyDown(document.body, { key: "F15" });
    vi.advanceTimersByTime(89_000);
    expect(screen.queryByText(words.idle.title)).toBeNull();
    vi.advanceTimersByTime(2_000);
    expect((await screen.findByRole("alert", { hidden: true })).textContent).toBe(
      withNumbers(words.idle.body(40)),
    );
    vi.advanceTimersByTime(21_000);
    expect(screen.getByRole("alert", { hidden: true }).textContent).toBe(withNumbers(words.idle.body(20)));
    expect(screen.getByText(words.speech.title)).toBeTruthy();
    vi.advanceTimersByTime(20_000);
    await waitFor(() => expect(screen.queryByText(words.speech.title)).toBeNull());
  });

  test("warns in silence where the sound is muted", async () => {
    const { chime } = renderKiosk({ settings: { ...SETTINGS, sound: false } });
    await heading(words.attract.scan);
    await press(words.attract.type);
    vi.advanceTimersByTime(46_000);
    await screen.findByText(words.idle.title);
    expect(chime).not.toHaveBeenCalled();
  });
});

describe("a visit with a tag", () => {
  test("is not cleared while a tag is written, however long that takes", async () => {
    let finish: () => void = () => undefined;
    const { chime } = renderKiosk({
      script: {
        transfer: () =>
          new Promise((resolve) => {
            finish = () =>
              resolve({
                ok: true,
                value: { pendingRetry: false, confirmedByTag: true, device: PICKED, elapsed: 1 },
              });
          }),
      },
    });
    await heading(words.attract.scan);
    scan(PASS);
    await heading(en.journey.title("Helsinki"));
    await press("Put on tag: bag\u00a01");
    await press(words.release.choose);
    await screen.findByText("Tag EBT-\u20600001");
    vi.advanceTimersByTime(600_000);
    expect(chime).not.toHaveBeenCalled();
    expect(screen.queryByText(words.idle.title)).toBeNull();
    finish();
    await heading(words.job.doneTitle);
    vi.advanceTimersByTime(46_000);
    await screen.findByText(words.idle.title);
  });
});

describe("a new version", () => {
  test("is taken at once on the attract screen", async () => {
    const { update, reload } = renderKiosk();
    await heading(words.attract.scan);
    update();
    await waitFor(() => expect(reload).toHaveBeenCalled());
  });

  test("waits while somebody is there", async () => {
    const { update, reload } = renderKiosk();
    await heading(words.attract.scan);
    await press(words.attract.type);
    await heading(words.find.title);
    update();
    await heading(words.find.title);
    expect(reload).not.toHaveBeenCalled();
    await press(en.job.toStart);
    await waitFor(() => expect(reload).toHaveBeenCalled());
  });

  test("that waits for a job in another window is given up as somebody comes", async () => {
    const { update, reload } = renderKiosk();
    await heading(words.attract.scan);
    update();
    await waitFor(() => expect(reload).toHaveBeenCalledOnce());
    const signal = reload.mock.lastCall?.[0]?.signal;
    expect(signal?.aborted).toBe(false);
    await press(words.attract.type);
    await heading(words.find.title);
    expect(signal?.aborted).toBe(true);
  });
});

const type = (label: string, value: string) =>
  fireEvent.input(screen.getByLabelText(label), { target: { value } });

/** The dialog that asks for id and PIN, or for user name and password. */
async function says(
  [nameLabel, name]: readonly [string, string],
  [label, secret]: readonly [string, string],
) {
  await screen.findByLabelText(nameLabel);
  type(nameLabel, name);
  type(label, secret);
  await press(words.who.submit);
}
const saysPin = (pin: string) => says([words.who.staffId, ADA.id], [words.who.pin, pin]);
const saysPassword = (password: string) =>
  says([words.signIn.username, "kiosk-osl-1"], [words.signIn.password, password]);

/** From the attract screen to the question who stands there. */
async function opensLock() {
  await press(words.attract.staff);
  await press(en.kiosk.release.title);
  await press(words.release.choose);
  fireEvent.click(await screen.findByLabelText(words.release.reasons.handover));
  await press(words.release.confirm);
}
const releases = (calls: readonly string[]) => calls.filter((call) => call.startsWith("release"));

describe("a job that failed", () => {
  /** The first bag's job, which ends in `error`. */
  async function failingWith(error: TaglatchError) {
    const kiosk = renderKiosk({ script: { transfer: async () => ({ ok: false, error }) } });
    await heading(words.attract.scan);
    scan(PASS);
    fireEvent.click(await screen.findByRole("button", { name: withNumbers(en.bag.putLabel(1)) }));
    await press(words.release.choose);
    await heading(en.error.title);
    return kiosk;
  }

  test.each([
    [new BluetoothError("link_lost", ""), en.app.again],
    [new TagError("untrusted_tag", ""), en.passenger.otherBag.another],
    [new ServiceError("payload_mismatch", ""), words.job.toJourney],
    [new ServiceError("unauthorized_token", ""), en.start.find],
    [new ServiceError("custody_proof_required", ""), en.start.find],
    [new ServiceError("invalid_answer", ""), en.journey.reload],
    [new ServiceError("insufficient_scope", ""), words.journey.next],
  ] as const)("%s has the button that its sentence advises, and each way once", async (error, name) => {
    await failingWith(error);
    await waitFor(() =>
      expect(document.querySelector("main .button[data-kind=primary]")?.textContent).toBe(name),
    );
    const labels = [...document.querySelectorAll("main button")].map((button) => button.textContent);
    expect(labels.filter((label) => label === name)).toHaveLength(1);
  });

  test("that another tag may mend chooses another, and the journey is a press away", async () => {
    const { fake } = await failingWith(new TagError("untrusted_tag", ""));
    await press(en.passenger.otherBag.another);
    await waitFor(() => expect(fake.calls.filter((call) => call === "pickTag")).toHaveLength(2));
    await heading(en.error.title);
    await press(words.job.toJourney);
    await screen.findByRole("button", { name: withNumbers(en.bag.putLabel(1)) });
  });
});

describe("who stands there", () => {
  test("says so by id and PIN before a lock opens, and a wrong PIN opens none", async () => {
    const { fake } = renderKiosk({ script: { staff: ADA } });
    await heading(words.attract.scan);
    await opensLock();
    await screen.findByText(words.who.pinLead);
    expect(releases(fake.calls)).toEqual([]);
    await saysPin("000000");
    await screen.findByText(words.who.refused);
    expect(screen.getByLabelText<HTMLInputElement>(words.who.pin).value).toBe("");
    expect(screen.getByLabelText<HTMLInputElement>(words.who.staffId).value).toBe(ADA.id);
    await saysPin(ADA.pin);
    await heading(words.release.doneTitle);
    expect(releases(fake.calls)).toEqual(Array(2).fill("release ebt-21-0001 handover 1001"));
    expect(fake.calls.filter((call) => call.startsWith("loginB2B"))).toEqual([]);
  });

  test("says so by the account's password where the client has no PINs", async () => {
    const { fake } = renderKiosk();
    await heading(words.attract.scan);
    await opensLock();
    await screen.findByText(words.who.passwordLead);
    await saysPassword("guessed");
    await screen.findByText(en.errors.invalid_credentials.what);
    expect(releases(fake.calls)).toEqual([]);
    await saysPassword(PASSWORD);
    await heading(words.release.doneTitle);
    expect(releases(fake.calls)).toEqual(["release ebt-21-0001 handover"]);
  });

  test("may change their mind: nothing is opened, and nothing typed is left", async () => {
    const { fake } = renderKiosk({ script: { staff: ADA } });
    await heading(words.attract.scan);
    await opensLock();
    await screen.findByLabelText(words.who.pin);
    type(words.who.pin, ADA.pin);
    await press(en.app.cancel);
    await press(words.release.confirm);
    expect((await screen.findByLabelText<HTMLInputElement>(words.who.pin)).value).toBe("");
    expect(releases(fake.calls)).toEqual([]);
  });

  test("is told which field is empty, and the service is not asked", async () => {
    const { fake } = renderKiosk({ script: { staff: ADA } });
    await heading(words.attract.scan);
    await opensLock();
    await screen.findByLabelText(words.who.staffId);
    await press(words.who.submit);
    await screen.findByText(words.who.staffIdMissing);
    await screen.findByText(words.who.pinMissing);
    expect(releases(fake.calls)).toEqual([]);
  });

  test("ends a shift with id and PIN, or with the password", async () => {
    for (const staff of [ADA, undefined]) {
      const { fake } = renderKiosk({ script: staff ? { staff } : {} });
      await heading(words.attract.scan);
      await press(words.attract.staff);
      await press(words.staff.endShift);
      await (staff ? saysPin("000000") : saysPassword("guessed"));
      await screen.findByText(staff ? words.who.refused : en.errors.invalid_credentials.what);
      expect(fake.calls).not.toContain("logout");
      await (staff ? saysPin(ADA.pin) : saysPassword(PASSWORD));
      await heading(words.signIn.title);
      expect(fake.calls).toContain("logout");
      cleanup();
    }
  });

  test("is forgotten after 45 seconds without an answer", async () => {
    renderKiosk({ script: { staff: ADA } });
    await heading(words.attract.scan);
    await press(words.attract.staff);
    await press(words.staff.endShift);
    await screen.findByLabelText(words.who.pin);
    type(words.who.pin, ADA.pin);
    vi.advanceTimersByTime(46_000);
    await waitFor(() => expect(screen.queryByLabelText(words.who.pin)).toBeNull());
    await heading(words.attract.scan);
  });
});
