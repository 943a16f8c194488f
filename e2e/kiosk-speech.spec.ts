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
  /** How many sentences were read. */
  #read = 0;

  private constructor(page: Page) {
    this.page = page;
  }

  /** Before the page is opened. */
  static async at(page: Page): Promise<Listener> {
    await page.addInitScript(installVoices);
    return new Listener(page);
  }

  /** What is spoken since the last call, once `words` are in it. */
  async spoken(words: string): Promise<string> {
    const since = async () => (await spokenBy(this.page)).slice(this.#read);
    await expect.poll(async () => (await since()).join(" "), PACE).toContain(words);
    const said = await since();
    this.#read += said.length;
    return said.join(" ");
  }

  /** One key, a keypad is slower than a scanner; what it makes the kiosk say has these words. */
  async presses(key: string, words: string): Promise<string> {
    await this.page.keyboard.press(key, { delay: 20 });
    return this.spoken(words);
  }

  /** Goes on, control by control, until one is spoken that begins with `name`. */
  async goesTo(name: string, arrow = "ArrowDown"): Promise<void> {
    let said = "";
    for (let steps = 0; !said.startsWith(name); steps++) {
      if (steps === MOST_CONTROLS) throw new Error(`“${name}” is not reached: ${said}`);
      said = await this.presses(arrow, ".");
    }
  }

  /** Letters chosen on the screen's keyboard by arrows; the focus is on its key `from`. Each is spoken, and so is each on the way. */
  async spells(text: string, from: string): Promise<void> {
    const rows = keyboardRows("en", "ABC");
    const placeOf = (letter: string) => {
      const row = rows.findIndex((keys) => keys.includes(letter));
      return [row, rows[row]?.indexOf(letter) ?? 0] as const;
    };
    let at = placeOf(from);
    for (const letter of text) {
      const [row, key] = placeOf(letter);
      const across = Array<string>(Math.abs(key - at[1])).fill(key > at[1] ? "ArrowRight" : "ArrowLeft");
      const down = Array<string>(Math.abs(row - at[0])).fill(row > at[0] ? "ArrowDown" : "ArrowUp");
      for (const arrow of [...across, ...down])
        expect(await this.presses(arrow, ".")).toMatch(/^[A-Z0-9'-]\.$/);
      expect(await this.presses("Enter", letter)).toBe(letter);
      at = [row, key];
    }
  }
}

/** More than any screen has. */
const MOST_CONTROLS = 15;

const { kiosk: words, job, bag } = en;
const { proof } = en.passenger;
const { speech, keyboard } = words;

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

test("a bag is put on a tag that is another's, after a proof, and the tag is cleared, by keypad and by ear alone", {
  tag: "@nightly",
}, async ({ kiosk, tag, listener }) => {
  await listener.presses("F1", speech.lead);
  await listener.goesTo(speech.headphones);
  await listener.presses("Enter", words.attract.scanHow);
  await listener.goesTo(words.attract.type);
  await listener.presses("F2", words.attract.scanHow);
  await kiosk.scans(passText(adasPass()));
  const journey = await listener.spoken(words.journey.plateHint);
  for (const fact of [
    en.journey.title("Helsinki"),
    "SK 1234",
    "ADA LOVELACE",
    ADA.recordLocator,
    bag.title(2),
  ])
    expect(journey).toContain(fact);
  await listener.goesTo(bag.putLabel(1));

  const asked = await listener.presses("Enter", proof.attemptsLeft(3));
  for (const fact of [job.transferTitle, proof.title(tag.name), "JFK – FRA", "K•••••", "M•••••"])
    expect(asked).toContain(fact);
  await listener.goesTo(keyboard.label, "ArrowUp");
  await listener.spells(JUERGEN.recordLocator, "1");
  await listener.goesTo(keyboard.remove);
  await listener.goesTo(`${en.start.recordLocator}, ${speech.field}, K 7 Q 2 Z D`);
  await listener.goesTo(en.start.surname);
  await listener.goesTo(`${keyboard.label}, ${en.start.surname}, ${keyboard.remove}`);
  await listener.presses("ArrowUp", "X.");
  await listener.spells("MUELLER", "X");
  await listener.goesTo(proof.submit, "ArrowUp");
  await listener.presses("Enter", words.job.done("Helsinki"));
  expectLabel(tag, ADA);

  await listener.presses("Backspace", bag.onTag(tag.name));
  await listener.goesTo(en.start.clearAction, "ArrowUp");
  await listener.presses("Enter", words.job.clearLocked);
  await listener.goesTo(words.release.choose);
  await listener.presses("Enter", words.job.clearedBooking);
  expectBlank(tag);
  await listener.goesTo(words.journey.done);
  // The visit ends, and with it the speech.
  await listener.presses("Enter", speech.off);
  await kiosk.isAttracting();
  await expect(kiosk.page.getByRole("button", { name: speech.title })).toHaveCount(0);
});
