import { fireEvent, screen, waitFor, within } from "@solidjs/testing-library";
import { describe, expect, test, vi } from "vitest";
import {
  BagRefusedError,
  BluetoothError,
  CustodyProofCancelledException,
  type JourneyWithNewBag,
  type Result,
  ServiceError,
  TagError,
  type TaglatchError,
} from "../../sdk/index.ts";
import { en } from "../i18n/en.ts";
import { kiosk as words } from "../i18n/en-kiosk.ts";
import { passenger } from "../i18n/en-passenger.ts";
import { withNumbers } from "../i18n/forms.ts";
import { LOVELACE, PICKED, promptOf, WRITTEN } from "../test-support/fake-taglatch.ts";
import {
  heading,
  openJourney,
  PASS,
  press,
  renderKiosk,
  SETTINGS,
  scan,
  setUpKioskTests,
  type,
} from "../test-support/render-kiosk.tsx";
import { type Kiosk, type KioskParts, KioskProvider, useKiosk } from "./kiosk-state.tsx";

setUpKioskTests();

describe("the kiosk", () => {
  test("asks for its set-up on a fresh device", async () => {
    renderKiosk({ isSetUp: false });
    await heading(words.unset.title);
  });

  test.each([
    ["no shift has begun", { method: "none" }],
    ["the session's last day is over", { method: "b2b-secret", expiresAt: 1 }],
  ] as const)("asks for a sign-in where %s", async (_, session) => {
    renderKiosk({ session });
    await heading(words.signIn.title);
  });

  test("a session that ends during a visit is noticed after it", async () => {
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
    await openJourney();
  });

  test("warns with a sound after 45 seconds, and clears the screen after twenty more", async () => {
    const { chime } = await openJourney();
    vi.advanceTimersByTime(44_000);
    expect(chime).not.toHaveBeenCalled();
    vi.advanceTimersByTime(2_000);
    await screen.findByText(words.idle.title);
    expect(chime).toHaveBeenCalledTimes(1);
    vi.advanceTimersByTime(21_000);
    await heading(words.attract.scan);
    expect(document.body.textContent).not.toContain("LOVELACE");
  });

  test("doubles the time while speech is on, and begins before the first screen", async () => {
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
    const { chime } = await openJourney({
      script: {
        transfer: () =>
          new Promise((resolve) => {
            finish = () => resolve(WRITTEN);
          }),
      },
    });
    await press("Write to tag: bag\u00a01");
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

  test("that is another journey's goes on with another tag, without a proof", async () => {
    const answers: unknown[] = [];
    const { fake } = renderKiosk({
      script: {
        transfer: async (collector) => {
          if (answers.length > 0) return WRITTEN;
          answers.push(await collector.collect(promptOf()));
          return { ok: false, error: new CustodyProofCancelledException() };
        },
      },
    });
    await heading(words.attract.scan);
    scan(PASS);
    await press("Write to tag: bag\u00a01");
    await press(words.release.choose);
    await press(passenger.otherBag.another);
    await heading(words.job.doneTitle);
    expect(answers).toEqual([null]);
    expect(fake.calls.filter((call) => call === "pickTag")).toHaveLength(2);
  });
});

describe("after clearing a tag", () => {
  const clears = async () => {
    await press(en.start.clearAction);
    await press(words.release.choose);
    await heading(words.job.clearedTitle);
  };
  const next = (bag: number) => screen.queryByRole("button", { name: withNumbers(en.job.nextBag(bag)) });

  test("the next bag is offered, but never the one whose tag has just been taken off", async () => {
    await openJourney({ script: { transfer: async () => WRITTEN } });
    await clears();
    expect(next(1)).not.toBeNull();
    await press(words.job.toJourney);
    await press("Write to tag: bag\u00a01");
    await press(words.release.choose);
    await heading(words.job.doneTitle);
    expect(next(2)).not.toBeNull();
    await press(words.job.toJourney);
    await heading(en.journey.title("Helsinki"));
    await clears();
    expect([next(1), next(2)]).toEqual([null, null]);
  });
});

describe("a new version", () => {
  test("waits during a visit", async () => {
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
});

const causeOf = ({ code }: TaglatchError) => en.errors[code].what.replace(/\.$/, "");

describe("a job that failed", () => {
  /** The first bag's job, which ends in `error`. */
  async function failingWith(error: TaglatchError) {
    const kiosk = renderKiosk({ script: { transfer: async () => ({ ok: false, error }) } });
    await heading(words.attract.scan);
    scan(PASS);
    fireEvent.click(await screen.findByRole("button", { name: withNumbers(en.bag.putLabel(1)) }));
    await press(words.release.choose);
    await heading(causeOf(error));
    return kiosk;
  }

  test.each([
    [new BluetoothError("link_lost", ""), en.app.again],
    [new TagError("untrusted_tag", ""), en.passenger.otherBag.another],
    [new ServiceError("payload_mismatch", ""), words.job.toJourney],
    [new ServiceError("unauthorized_token", ""), en.start.find],
    [new ServiceError("custody_proof_required", ""), en.start.find],
    [new ServiceError("invalid_answer", ""), en.journey.reload],
    [new ServiceError("insufficient_scope", ""), en.job.toStart],
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
    await heading(causeOf(new TagError("untrusted_tag", "")));
    await press(words.job.toJourney);
    await screen.findByRole("button", { name: withNumbers(en.bag.putLabel(1)) });
  });
});

const { addBag, notListed } = passenger;

async function add(answer: Result<JourneyWithNewBag>) {
  await openJourney({ script: { addBag: answer } });
  await press(words.journey.addBag);
}

test("a refusal has the airline's reason, its sentence and the next step", async () => {
  const errors = ["not_checked_in", "Check in at gate 4."];
  await add({ ok: false, error: new BagRefusedError("bag_refused", "", { errors }) });
  const alert = within(await screen.findByRole("alert"));
  await alert.findByText(addBag.refused.not_checked_in.what);
  alert.getByText(addBag.refused.not_checked_in.next);
  alert.getByText("Check in at gate 4.");
});

test("another error is what it was", async () => {
  await add({ ok: false, error: new ServiceError("bag_limit", "") });
  await within(await screen.findByRole("alert")).findByText(en.errors.bag_limit.what);
});

test("the weight is said until another journey is shown, and an airport that is not listed is named", async () => {
  const value = { ...LOVELACE, acceptsTags: false, allowed: { kilograms: 23 } } as const;
  await add({ ok: true, value });
  await screen.findByText(addBag.upTo("23 kg"));
  screen.getByText(notListed.title("OSL"));
  await press(words.journey.done);
  await heading(words.attract.scan);
  scan(PASS);
  await heading(en.journey.title("Helsinki"));
  expect(screen.queryByText(addBag.upTo("23 kg"))).toBeNull();
  expect(screen.queryByText(notListed.title("OSL"))).toBeNull();
});

test("a booking is typed on the screen, at the caret, by touch or by arrows; a touch leaves the focus in the field", async () => {
  renderKiosk();
  await press(words.attract.type);
  const locator = await screen.findByLabelText<HTMLInputElement>(en.start.recordLocator);
  expect(locator.inputMode).toBe("none");
  await waitFor(() => expect(document.activeElement).toBe(locator));
  for (const key of ["A", "B", "D"]) await press(key);
  locator.setSelectionRange(2, 2);
  await press("C");
  expect(locator.value).toBe("ABCD");
  await press(words.keyboard.remove);
  expect(locator.value).toBe("ABD");
  const [first, below] = ["1", "Q"].map((name) => screen.getByRole("button", { name }));
  expect(fireEvent.mouseDown(first as Element)).toBe(false);
  expect([first?.tabIndex, below?.tabIndex]).toEqual([0, -1]);
  first?.focus();
  for (const key of ["ArrowDown", "ArrowRight"])
    fireEvent.keyDown(document.activeElement as Element, { key });
  expect(document.activeElement?.textContent).toBe("W");
  fireEvent.click(document.activeElement as Element);
  fireEvent.keyDown(document.activeElement as Element, { key: "Backspace" });
  expect(locator.value).toBe("ABD");
});

/** A kiosk on its attract screen, without its screens. */
async function kiosk(): Promise<Kiosk> {
  let made!: Kiosk;
  const Probe = () => {
    made = useKiosk();
    return <p>{made.screen()}</p>;
  };
  const app = ({ parts }: { readonly parts: KioskParts }) => (
    <KioskProvider parts={parts}>
      <Probe />
    </KioskProvider>
  );
  renderKiosk({ app });
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

/** How a kiosk finds a booking; one of several airlines asks whose it is. */

const script = { airlines: ["LH", "SK"] };
const airlines = async () => {
  const alert = within(await screen.findByRole("alert"));
  await alert.findByText(en.errors.airline_required.what);
  return alert.getAllByRole("button").map(({ textContent }) => textContent);
};
const found = (calls: readonly string[]) => calls.filter((call) => call.startsWith("from"));

test("a boarding pass is looked for once more with the airline that was chosen", async () => {
  const { fake } = renderKiosk({ script });
  await heading(words.attract.scan);
  scan(PASS);
  await heading(words.find.title);
  expect(await airlines()).toEqual(["LH", "SK"]);
  await press("LH");
  await heading(en.journey.title("Helsinki"));
  expect(found(fake.calls)).toEqual([`fromBcbp ${PASS}`, `fromBcbp ${PASS} LH`]);
});

test("so is a booking that was typed; the next passenger is asked again", async () => {
  const { fake } = renderKiosk({ script });
  await press(words.attract.type);
  type(en.start.recordLocator, "K7Q2ZD");
  type(en.start.surname, "MÜLLER");
  await press(en.start.find);
  expect(await airlines()).toEqual(["LH", "SK"]);
  await press("SK");
  await heading(en.journey.title("Helsinki"));
  expect(found(fake.calls)).toEqual([
    "fromRecordLocator K7Q2ZD MÜLLER",
    "fromRecordLocator K7Q2ZD MÜLLER SK",
  ]);
  await press(words.journey.done);
  await heading(words.attract.scan);
  scan(PASS);
  expect(await airlines()).toEqual(["LH", "SK"]);
});
