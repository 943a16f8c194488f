/** A kiosk for a visitor who does not see its screen: by the keys of a keypad, and by ear. */

import type { Page } from "@playwright/test";
import { ADA, JUERGEN } from "../scripts/drivers/passenger.ts";
import { expectBlank, expectLabel } from "../scripts/drivers/tag-checks.ts";
import type { TagSimulator } from "../sim/tag/tag-simulator.ts";
import { en } from "../web/i18n/en.ts";
import { keyboardRows } from "../web/kiosk/keys.ts";
import { adasPass, passText } from "./support/boarding-pass.ts";
import { test as base, expect } from "./support/kiosk-test.ts";

/** A recording machine's voices, one of them a remote one; headless Chromium has none. */
function installVoices(): void {
  const spoken: string[] = [];
  const voice = (lang: string, localService: boolean) => ({ lang, localService, default: false });
  const speak = ({ text, voice: by }: { text: string; voice: { localService: boolean } }) =>
    spoken.push(by.localService ? text : `spoken elsewhere: ${text}`);
  const voices = [voice("en-US", false), voice("en-GB", true), voice("de-DE", true)];
  const machine = { getVoices: () => voices, speak, cancel: () => undefined };
  class Utterance {
    readonly text: string;
    constructor(text: string) {
      this.text = text;
    }
  }
  Object.assign(globalThis, { spoken });
  Object.defineProperty(globalThis, "speechSynthesis", { value: machine });
  Object.defineProperty(globalThis, "SpeechSynthesisUtterance", { value: Utterance });
}

/** What was spoken so far. Demo journeys are always tomorrow: a day is a day. A space that keeps a line together sounds like any. */
async function spokenBy(page: Page): Promise<string[]> {
  const spoken = await page.evaluate(() => (globalThis as unknown as { spoken: string[] }).spoken);
  const spaced = spoken.map((text) => text.replaceAll("\u00a0", " "));
  return spaced.map((text) => text.replaceAll(/\b[A-Z][a-z]{2} \d{1,2} [A-Z][a-z]{2}\b/g, "DAY"));
}
/** Sentences come often: asked for at a speaker's pace. */
const PACE = { intervals: [50] };

/** A visitor who does not see the screen: keys of a keypad, and every sentence that is spoken. */
class Listener {
  readonly page: Page;
  /** Everything, from the beginning. */
  readonly all: string[] = [];

  private constructor(page: Page) {
    this.page = page;
  }

  /** Before the page is opened. */
  static async at(page: Page): Promise<Listener> {
    await page.addInitScript(installVoices);
    return new Listener(page);
  }

  /** Each key once the one before was answered: a keypad is slower than a scanner. */
  async presses(...keys: readonly string[]): Promise<void> {
    for (const key of keys) await this.page.keyboard.press(key, { delay: 20 });
  }

  /** Expects exactly these sentences since the last call. */
  async expectsSpoken(...sentences: readonly string[]): Promise<void> {
    const before = this.all.length;
    await expect.poll(async () => (await spokenBy(this.page)).slice(before), PACE).toEqual(sentences);
    this.all.push(...sentences);
  }

  /** One key, and what it makes the kiosk say. */
  async step(key: string, ...sentences: readonly string[]): Promise<void> {
    await this.presses(key);
    await this.expectsSpoken(...sentences);
  }

  /** What is spoken until `last` is, which ends an utterance or is one; gives all before it. */
  async expectsSpokenAtLast(last: string): Promise<string[]> {
    const before = this.all.length;
    const since = async () => (await spokenBy(this.page)).slice(before);
    await expect.poll(async () => (await since()).at(-1), PACE).toBe(last);
    const said = await since();
    this.all.push(...said);
    return said.slice(0, -1);
  }
}

const { kiosk: words, job, doing, bag, app } = en;
const { otherBag, proof } = en.passenger;
const speech = words.speech;
const PLATES = [ADA.licencePlate, "0117123457"];

/** A tag that is locked to Jürgen's journey, and a visitor who listens. */
const test = base.extend<{ tag: TagSimulator; listener: Listener }>({
  listener: async ({ page }, use) => use(await Listener.at(page)),
  tag: async ({ kiosk: _kiosk, listener: _listener, makeTag, stranger, reach }, use) => {
    const tag = await makeTag("2.1", { signs: false });
    await stranger.attach(tag.id, JUERGEN.baggageId);
    await reach(tag);
    await use(tag);
  },
});

const button = (name: string, at: number, of: number) =>
  `${name}, ${speech.button}, ${speech.place(at, of)}.`;
const field = (name: string, at: number, of: number, value = "") =>
  `${[name, speech.field, value, speech.place(at, of)].filter(Boolean).join(", ")}.`;
const STARTED = [speech.title, speech.lead, speech.keys].map((text) => text.replace(/[^.]$/, "$&."));
const DIALOG = [...STARTED, button(speech.loudspeaker, 1, 3)].join(" ");
const ATTRACT = `${words.attract.title}. ${words.attract.scan}. ${words.attract.scanHow}`;

/** What may be said while a tag is worked at, in any order: how fast it goes is the machine's affair. */
function expectProgress(said: readonly string[], tag: TagSimulator, title: string): void {
  const expected = [
    ...[
      title,
      job.readyTitle,
      words.find.finding,
      job.choosing,
      words.job.ready,
      job.hold,
      job.putDown,
      ...Object.values(doing),
    ],
    ...[bag.changingDrawing, bag.blankDrawing, bag.drawing("Helsinki", ADA.licencePlate), job.battery(87)],
    ...[
      bag.title(1),
      bag.title(2),
      job.device(tag.name),
      tag.name,
      en.stepState.done,
      button(app.loading, 4, 6),
    ],
  ].sort((a, b) => b.length - a.length);
  const left = expected.reduce((rest, text) => rest.replaceAll(text, ""), said.join(" "));
  expect(left.replaceAll(/[. ]/g, "")).toBe("");
}

/** Letters chosen on the screen's keyboard, by arrows; the focus is on its key `from`. Each is spoken, and so is each on the way. */
async function spells(listener: Listener, text: string, from: string): Promise<void> {
  const rows = keyboardRows("en", "ABC");
  const placeOf = (letter: string) => {
    const row = rows.findIndex((keys) => keys.includes(letter));
    return [row, rows[row]?.indexOf(letter) ?? 0] as const;
  };
  let [row, key] = placeOf(from);
  for (const letter of text) {
    const [down, right] = placeOf(letter);
    const arrows = [
      ...Array<string>(Math.abs(right - key)).fill(right > key ? "ArrowRight" : "ArrowLeft"),
      ...Array<string>(Math.abs(down - row)).fill(down > row ? "ArrowDown" : "ArrowUp"),
    ];
    await listener.presses(...arrows);
    if (arrows.length > 0) {
      const passed = await listener.expectsSpokenAtLast(`${letter}.`);
      expect(passed.filter((said) => !/^[A-Z0-9'-]\.$/.test(said))).toEqual([]);
    }
    await listener.presses("Enter");
    await listener.expectsSpoken(letter);
    [row, key] = [down, right];
  }
}

const proofOf = ({ name }: TagSimulator) =>
  [
    `${proof.title(name)}. ${proof.body} ${proof.route}. JFK – FRA. ${en.start.recordLocator}. K•••••. ${en.start.surname}. M•••••.`,
    `${words.job.proofAfterLast} ${proof.attemptsLeft(3)}. ${words.find.accents} ${words.job.proofScan} ${field(en.start.recordLocator, 1, 6)}`,
  ].join(" ");

/** The journey's screen, from the heading to its last sentence; `onTag`: what stands at the first bag. */
const journeyOf = (...onTag: readonly string[]) =>
  [
    ...[en.journey.title("Helsinki"), en.journey.route("OSL – ARN – HEL")],
    ...["SK 1234", "OSL – ARN", "DAY", "SK 0999", "ARN – HEL", "DAY", en.journey.passenger, "ADA LOVELACE"],
    ...[en.start.recordLocator, ADA.recordLocator, bag.title(1), ...onTag],
    ...[bag.drawing("Helsinki", PLATES[0] ?? ""), bag.title(2), bag.drawing("Helsinki", PLATES[1] ?? "")],
    words.journey.plateHint,
  ].join(". ");

test("a bag is put on a tag that is another's, after a proof, and the tag is cleared, by keypad and by ear alone", {
  tag: "@nightly",
}, async ({ kiosk, tag, listener }) => {
  const { step, expectsSpoken } = {
    step: listener.step.bind(listener),
    expectsSpoken: listener.expectsSpoken.bind(listener),
  };
  await expectsSpoken();
  await step("F1", DIALOG);
  await step("ArrowDown", button(speech.headphones, 2, 3));
  await step("Enter", ATTRACT);
  await step("ArrowDown", button(words.attract.type, 3, 12));
  await step("F2", `${ATTRACT} ${button(words.attract.type, 3, 12)}`);
  await kiosk.scans(passText(adasPass()));
  expectProgress(await listener.expectsSpokenAtLast(journeyOf()), tag, "");
  await step("ArrowDown", button(bag.putLabel(1), 3, 6));

  await listener.presses("Enter");
  expectProgress(await listener.expectsSpokenAtLast(proofOf(tag)), tag, job.transferTitle);
  await step("ArrowUp", `${words.keyboard.label}, ${en.start.recordLocator}, 1.`);
  await spells(listener, JUERGEN.recordLocator, "1");
  await step("ArrowDown", "C.");
  await step("ArrowDown", `${words.keyboard.remove}.`);
  await step("ArrowDown", field(en.start.recordLocator, 1, 6, "K 7 Q 2 Z D"));
  await step("ArrowDown", field(en.start.surname, 2, 6));
  await step("ArrowDown", button(otherBag.another, 3, 6));
  await step("ArrowDown", button(proof.submit, 4, 6));
  await step("ArrowDown", button(words.job.proofRelease, 5, 6));
  await step("ArrowDown", `${words.keyboard.label}, ${en.start.surname}, ${words.keyboard.remove}.`);
  await step("ArrowUp", "X.");
  await spells(listener, "MUELLER", "X");
  await step("ArrowUp", "4.");
  await step("ArrowUp", button(words.job.proofRelease, 5, 6));
  await step("ArrowUp", button(proof.submit, 4, 6));
  await listener.presses("Enter");
  const bags = `${bag.title(1)}. ${tag.name}. ${en.stepState.done}. ${bag.title(2)}.`;
  const done = `${words.job.doneTitle}. ${bags} ${words.job.done("Helsinki")}`;
  expectProgress(await listener.expectsSpokenAtLast(done), tag, job.transferTitle);
  expectLabel(tag, ADA);

  await step("Backspace", journeyOf(bag.onTag(tag.name)));
  await step("ArrowUp", button(words.journey.done, 2, 7));
  await step("ArrowUp", button(speech.title, 1, 7));
  await step("ArrowUp", button(en.start.clearAction, 7, 7));
  await step(
    "Enter",
    `${en.start.clearAction}. ${bag.blankDrawing}. ${words.job.clearLead} ${words.job.clearLocked}`,
  );
  await step("ArrowDown", button(words.release.choose, 3, 4));
  await listener.presses("Enter");
  const cleared = `${words.job.clearedTitle}. ${en.clear.done(tag.name)} ${words.job.clearedBooking}`;
  expectProgress(await listener.expectsSpokenAtLast(cleared), tag, en.clear.workingTitle);
  expectBlank(tag);
  await step("ArrowDown", button(words.job.another, 2, 4));
  await step("ArrowDown", button(words.job.toJourney, 3, 4));
  await step("ArrowDown", button(words.journey.done, 4, 4));
  // The visit ends, and with it the speech.
  await step("Enter", speech.off);
  await listener.presses("ArrowDown", "F2");
  await kiosk.isAttracting();
  await expect(kiosk.page.getByRole("button", { name: speech.title })).toHaveCount(0);
  await expectsSpoken();
});
