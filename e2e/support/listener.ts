import { expect, type Page } from "@playwright/test";

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
export class Listener {
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
