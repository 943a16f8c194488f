import { cleanup, fireEvent, screen, waitFor } from "@solidjs/testing-library";
import { createRoot } from "solid-js";
import { describe, expect, test, vi } from "vitest";
import { withResolvers } from "../../sdk/abort.ts";
import type { EbtLockLookupResponse, Result, TracedBag } from "../../sdk/index.ts";
import { en } from "../i18n/en.ts";
import { kiosk as words } from "../i18n/en-kiosk.ts";
import { type FakeScript, PICKED } from "../test-support/fake-taglatch.ts";
import {
  heading,
  PASSWORD,
  press,
  renderKiosk,
  scan,
  setUpKioskTests,
  type,
} from "../test-support/render-kiosk.tsx";
import { createStaffGate, type Demanded } from "./staff.ts";

const ADA = { id: "1001", pin: "246813" };

setUpKioskTests();

/** The dialog that asks for id and PIN, or for user name and password. */
async function authenticate(
  [nameLabel, name]: readonly [string, string],
  [label, secret]: readonly [string, string],
) {
  await screen.findByLabelText(nameLabel);
  type(nameLabel, name);
  type(label, secret);
  await press(words.staffProof.submit);
}
const enterPin = (pin: string) =>
  authenticate([words.staffProof.staffId, ADA.id], [words.staffProof.pin, pin]);
const enterPassword = (password: string) =>
  authenticate([words.signIn.username, "kiosk-osl-1"], [words.signIn.password, password]);

/** From the attract screen to the staff dialog. */
async function openLock(options: Parameters<typeof renderKiosk>[0] = {}) {
  const kiosk = renderKiosk(options);
  await heading(words.attract.scan);
  await press(words.attract.staff);
  await press(en.kiosk.release.title);
  await press(words.release.choose);
  fireEvent.click(await screen.findByLabelText(words.release.reasons.handover));
  await press(words.release.confirm);
  return kiosk;
}
const releases = (calls: readonly string[]) => calls.filter((call) => call.startsWith("release"));

describe("staff", () => {
  test("authenticate by id and PIN before a lock opens, and a wrong PIN opens none", async () => {
    const { fake } = await openLock({ script: { staff: ADA } });
    await screen.findByText(words.staffProof.pinLead);
    expect(releases(fake.calls)).toEqual([]);
    await enterPin("000000");
    await screen.findByText(words.staffProof.refused);
    expect(screen.getByLabelText<HTMLInputElement>(words.staffProof.pin).value).toBe("");
    expect(screen.getByLabelText<HTMLInputElement>(words.staffProof.staffId).value).toBe(ADA.id);
    await enterPin(ADA.pin);
    await heading(words.release.doneTitle);
    expect(releases(fake.calls)).toEqual(Array(2).fill("release ebt-21-0001 handover 1001"));
    expect(fake.calls.filter((call) => call.startsWith("loginB2B"))).toEqual([]);
  });

  test("touch their id and PIN on a pad of digits, with letters one key away", async () => {
    await openLock({ script: { staff: ADA } });
    const id = await screen.findByLabelText<HTMLInputElement>(words.staffProof.staffId);
    for (const digit of ADA.id) await press(digit);
    expect(id.value).toBe(ADA.id);
    expect(document.querySelectorAll(".keyboard-key")).toHaveLength(12);
    await press("abc");
    await press("q");
    expect(id.value).toBe(`${ADA.id}q`);
  });

  test("authenticate by the account's password where the client has no PINs", async () => {
    const { fake } = await openLock();
    await screen.findByText(words.staffProof.passwordLead);
    await enterPassword("guessed");
    await screen.findByText(en.errors.invalid_credentials.what);
    expect(releases(fake.calls)).toEqual([]);
    await enterPassword(PASSWORD);
    await heading(words.release.doneTitle);
    expect(releases(fake.calls)).toEqual(["release ebt-21-0001 handover"]);
  });

  test("may cancel: nothing is opened, and nothing typed is left", async () => {
    const { fake } = await openLock({ script: { staff: ADA } });
    await screen.findByLabelText(words.staffProof.pin);
    type(words.staffProof.pin, ADA.pin);
    await press(en.app.cancel);
    await press(words.release.confirm);
    expect((await screen.findByLabelText<HTMLInputElement>(words.staffProof.pin)).value).toBe("");
    expect(releases(fake.calls)).toEqual([]);
  });

  test("see which field is empty, and the service is not asked", async () => {
    const { fake } = await openLock({ script: { staff: ADA } });
    await screen.findByLabelText(words.staffProof.staffId);
    await press(words.staffProof.submit);
    await screen.findByText(words.staffProof.staffIdMissing);
    await screen.findByText(words.staffProof.pinMissing);
    expect(releases(fake.calls)).toEqual([]);
  });

  test("end a shift with id and PIN, or with the password", async () => {
    for (const staff of [ADA, undefined]) {
      const { fake } = renderKiosk({ script: staff ? { staff } : {} });
      await heading(words.attract.scan);
      await press(words.attract.staff);
      await press(words.staff.endShift);
      await (staff ? enterPin("000000") : enterPassword("guessed"));
      await screen.findByText(staff ? words.staffProof.refused : en.errors.invalid_credentials.what);
      expect(fake.calls).not.toContain("logout");
      await (staff ? enterPin(ADA.pin) : enterPassword(PASSWORD));
      await heading(words.signIn.title);
      expect(fake.calls).toContain("logout");
      cleanup();
    }
  });

  test("have 45 seconds to answer, then the dialog closes", async () => {
    renderKiosk({ script: { staff: ADA } });
    await heading(words.attract.scan);
    await press(words.attract.staff);
    await press(words.staff.endShift);
    await screen.findByLabelText(words.staffProof.pin);
    type(words.staffProof.pin, ADA.pin);
    vi.advanceTimersByTime(46_000);
    await waitFor(() => expect(screen.queryByLabelText(words.staffProof.pin)).toBeNull());
    await heading(words.attract.scan);
  });
});

test("a shift begins with user name and password; a wrong one is named, and is not left on the screen", async () => {
  const { fake } = renderKiosk({ session: { method: "none" } });
  await heading(words.signIn.title);
  const password = screen.getByLabelText<HTMLInputElement>(words.signIn.password);
  expect(password.type).toBe("password");
  type(words.signIn.username, "kiosk-osl-1");
  type(words.signIn.password, "guessed");
  await press(words.signIn.submit);
  await screen.findByText(en.errors.invalid_credentials.what);
  expect(password.value).toBe("");
  type(words.signIn.password, PASSWORD);
  await press(words.signIn.submit);
  await heading(words.attract.scan);
  expect(fake.calls.filter((call) => call.startsWith("loginB2B"))).toHaveLength(2);
});

test("the tag whose lock was opened is cleared without being chosen again, once", async () => {
  const { fake } = await openLock({ script: { staff: ADA } });
  await enterPin(ADA.pin);
  await press(words.release.clear);
  await heading(words.job.clearedTitle);
  const used = () => fake.calls.filter((call) => /^(pickTag|connect|clearTag)/.test(call));
  expect(used()).toEqual(["pickTag", `connect ${PICKED.deviceId}`, "clearTag"]);
  await press(words.job.another);
  await press(words.release.choose);
  await heading(words.job.clearedTitle);
  expect(used().slice(3)).toEqual(["pickTag", "clearTag"]);
});

describe("before a lock is opened", () => {
  const HINTS = { maskedRecordLocator: "K•••••", maskedSurname: "M•••••" };
  const heldByOther = { locked: true, sameTravelPlan: false, requiresCustodyProof: true, hints: HINTS };

  async function openReleaseScreen(lock: EbtLockLookupResponse) {
    renderKiosk({ script: { lookUp: { ok: true, value: lock } } });
    await heading(words.attract.scan);
    await press(words.attract.staff);
    await press(en.kiosk.release.title);
    await press(words.release.choose);
    await screen.findByText(words.release.reason);
  }
  const fact = (name: string) =>
    screen.queryByText(name, { selector: "dt" })?.nextElementSibling?.textContent;

  test.each([
    ["one day", { first: "2026-11-24", last: "2026-11-24" }, "Tue Nov 24"],
    ["several", { first: "2026-11-24", last: "2026-12-01" }, "Tue Nov 24 – Tue Dec 1"],
  ] as const)("staff see when its journey flies, beside today: %s", async (_, flightDates, shown) => {
    vi.useFakeTimers({ toFake: ["Date"], now: new Date(2026, 10, 25, 0, 30) });
    await openReleaseScreen({ ...heldByOther, flightDates });
    expect(fact(words.release.days)?.replaceAll(",", "")).toBe(shown);
    expect(fact(words.release.today)?.replaceAll(",", "")).toBe("Wed Nov 25");
  });

  test("today is the kiosk's local day, in its last half hour too", async () => {
    vi.useFakeTimers({ toFake: ["Date"], now: new Date(2026, 10, 25, 23, 30) });
    await openReleaseScreen(heldByOther);
    expect(fact(words.release.today)?.replaceAll(",", "")).toBe("Wed Nov 25");
  });

  test.each([
    [true, words.release.otherTag],
    [false, words.release.noOtherTag],
  ])("staff see whether the bag would be on no tag", async (bagOnOtherTag, said) => {
    await openReleaseScreen({ ...heldByOther, bagOnOtherTag });
    expect(fact(words.release.bag)).toBe(said);
  });

  test("staff see that the days of a claim's flights are unknown", async () => {
    await openReleaseScreen(heldByOther);
    expect(fact(words.release.days)).toBe(words.release.daysUnknown);
    expect(fact(words.release.bag)).toBeUndefined();
  });

  test("nothing is hinted at where the lock is the kiosk's own", async () => {
    await openReleaseScreen({ locked: true, sameTravelPlan: true });
    expect(fact(words.release.days)).toBeUndefined();
  });
});

function gated() {
  const demanded = withResolvers<Result<Demanded>>();
  const passed = withResolvers<Result<unknown>>();
  const done: string[] = [];
  const gate = createRoot(() => createStaffGate(() => demanded.promise));
  const begin = () =>
    gate.begin(
      () => passed.promise,
      () => done.push("done"),
    );
  return { gate, begin, done, demand: () => demanded.resolve({ ok: true, value: "pin" }), passed };
}

test("a cancelled dialog does not open when the service has said what it demands", async () => {
  const { gate, begin, demand } = gated();
  const begun = begin();
  gate.cancel();
  demand();
  await begun;
  expect([gate.asking(), gate.working()]).toEqual([undefined, false]);
});

test("an answer that is accepted after the cancel does nothing on this screen", async () => {
  const { gate, begin, done, demand, passed } = gated();
  demand();
  await begin();
  const answered = gate.answer({ name: "1001", secret: "246813" });
  gate.cancel();
  passed.resolve({ ok: true, value: undefined });
  await answered;
  expect([gate.asking(), gate.working(), done]).toEqual([undefined, false, []]);
});

const bag = (n: number) =>
  ({
    ...{ uniqueDeviceId: `ebt-21-000${n}`, licencePlate: `011712345${n}`, baggageId: n },
    ...{ lostSince: `2026-11-2${9 - n}T10:00:00Z`, reports: [] },
  }) as unknown as TracedBag;

/** Staff sign in for the list of lost and found bags. */
async function opensTracing(script: FakeScript) {
  renderKiosk({ script });
  await heading(words.attract.scan);
  await press(words.attract.staff);
  await press(words.tracing.title);
  await enterPassword(PASSWORD);
  await heading(words.tracing.title);
}

test("further pages of lost and found bags follow the first", async () => {
  const traced = (cursor: string | undefined) =>
    cursor === undefined ? { bags: [bag(1), bag(2)], nextCursor: "next" } : { bags: [bag(3)] };
  await opensTracing({ traced });
  const shown = () => [...document.querySelectorAll(".tracing-tag")].map((one) => one.textContent);
  await waitFor(() => expect(shown()).toHaveLength(2));
  await press(words.tracing.further);
  await waitFor(() => expect(shown()).toHaveLength(3));
  expect(shown().map((name) => name?.at(-1))).toEqual(["1", "2", "3"]);
  expect(screen.queryByRole("button", { name: words.tracing.further })).toBeNull();
});

test("a row has plate, flight and state, and a scan of the label opens the bag", async () => {
  const all = [bag(1), { ...bag(2), flight: "FT 123" }];
  const traced = (_cursor: unknown, tag?: string) => ({
    bags: all.filter(({ uniqueDeviceId }) => tag === undefined || uniqueDeviceId === tag),
  });
  await opensTracing({ traced });
  const row = await screen.findByRole("button", { name: /^0117123452 FT 123 EBT-\W?0002 Lost since/ });
  expect(row).toBeTruthy();
  scan("0117123452");
  await heading(words.tracing.title);
  await screen.findByRole("heading", { level: 2, name: /0117123452 · FT 123/ });
});

test("the label of a bag that is not listed says so, and starts no visit", async () => {
  await opensTracing({ traced: () => ({ bags: [bag(1)] }) });
  await screen.findByRole("button", { name: /^0117123451/ });
  scan("0117999999");
  await screen.findByText(words.tracing.notListed);
});
