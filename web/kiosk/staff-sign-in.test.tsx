import { cleanup, fireEvent, screen, waitFor } from "@solidjs/testing-library";
import { describe, expect, test, vi } from "vitest";
import type { EbtLockLookupResponse } from "../../sdk/index.ts";
import { en } from "../i18n/en.ts";
import { kiosk as words } from "../i18n/en-kiosk.ts";
import { PICKED } from "../test-support/fake-taglatch.ts";
import { heading, PASSWORD, press, renderKiosk, setUpKioskTests } from "../test-support/render-kiosk.tsx";

const ADA = { id: "1001", pin: "246813" };

setUpKioskTests();

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

/** From the attract screen to the staff dialog. */
async function opensLock() {
  await press(words.attract.staff);
  await press(en.kiosk.release.title);
  await press(words.release.choose);
  fireEvent.click(await screen.findByLabelText(words.release.reasons.handover));
  await press(words.release.confirm);
}
const releases = (calls: readonly string[]) => calls.filter((call) => call.startsWith("release"));

describe("staff", () => {
  test("authenticate by id and PIN before a lock opens, and a wrong PIN opens none", async () => {
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

  test("authenticate by the account's password where the client has no PINs", async () => {
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

  test("may cancel: nothing is opened, and nothing typed is left", async () => {
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

  test("see which field is empty, and the service is not asked", async () => {
    const { fake } = renderKiosk({ script: { staff: ADA } });
    await heading(words.attract.scan);
    await opensLock();
    await screen.findByLabelText(words.who.staffId);
    await press(words.who.submit);
    await screen.findByText(words.who.staffIdMissing);
    await screen.findByText(words.who.pinMissing);
    expect(releases(fake.calls)).toEqual([]);
  });

  test("end a shift with id and PIN, or with the password", async () => {
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

  test("have 45 seconds to answer, then the dialog closes", async () => {
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

test("the tag whose lock was opened is cleared without being chosen again, once", async () => {
  const { fake } = renderKiosk({ script: { staff: ADA } });
  await heading(words.attract.scan);
  await opensLock();
  await saysPin(ADA.pin);
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

  async function asksWhy(lock: EbtLockLookupResponse) {
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
    await asksWhy({ ...heldByOther, flightDates });
    expect(fact(words.release.days)?.replaceAll(",", "")).toBe(shown);
    expect(fact(words.release.today)?.replaceAll(",", "")).toBe("Wed Nov 25");
  });

  test.each([
    ["its first half hour", new Date(2026, 10, 25, 0, 30)],
    ["its last half hour", new Date(2026, 10, 25, 23, 30)],
  ])("today is the kiosk's local day, in %s too", async (_, now) => {
    vi.useFakeTimers({ toFake: ["Date"], now });
    await asksWhy(heldByOther);
    expect(fact(words.release.today)?.replaceAll(",", "")).toBe("Wed Nov 25");
  });

  test.each([
    [true, words.release.otherTag],
    [false, words.release.noOtherTag],
  ])("staff see whether the bag would be on no tag", async (bagOnOtherTag, said) => {
    await asksWhy({ ...heldByOther, bagOnOtherTag });
    expect(fact(words.release.bag)).toBe(said);
  });

  test("staff see that the days of a claim's flights are unknown", async () => {
    await asksWhy(heldByOther);
    expect(fact(words.release.days)).toBe(words.release.daysUnknown);
    expect(fact(words.release.bag)).toBeUndefined();
  });

  test("nothing is hinted at where the lock is the kiosk's own", async () => {
    await asksWhy({ locked: true, sameTravelPlan: true });
    expect(fact(words.release.days)).toBeUndefined();
  });
});
