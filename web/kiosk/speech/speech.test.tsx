import { cleanup, fireEvent, render, waitFor } from "@solidjs/testing-library";
import { createSignal } from "solid-js";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { en } from "../../i18n/en.ts";
import { I18nProvider, useI18n } from "../../i18n/index.tsx";
import { AirlineBrandProvider } from "../../ui/Wordmark.tsx";
import type { SpeechSettings } from "../setup.ts";
import { createSpeech, type Speech } from "./create-speech.ts";
import { createVoice, voiceFor } from "./voice.ts";

const { ready, done } = en.kiosk.job;
const PERSONAL = done("Helsinki");
const HERE = { lang: "en-GB", localService: true, default: false };
const ELSEWHERE = { lang: "en-US", localService: false, default: true };
const OFFERED: SpeechSettings = { offered: "both", key: "F5", rate: "fast" };

/** What was said since it was last interrupted, and how. */
let spoken: { text: string; rate: number; volume: number; voice: object }[] = [];
let spokenEver: typeof spoken = [];
const sentences = () => spoken.map(({ text }) => text);

function machineWith(...voices: object[]) {
  vi.stubGlobal("speechSynthesis", {
    getVoices: () => voices,
    cancel: () => {
      spoken = [];
    },
    speak: (said: (typeof spoken)[number]) => {
      spoken.push(said);
      spokenEver.push(said);
    },
  });
}

beforeEach(() => {
  spoken = [];
  spokenEver = [];
  machineWith(ELSEWHERE, HERE);
  vi.stubGlobal(
    "SpeechSynthesisUtterance",
    class {
      readonly text: string;
      constructor(text: string) {
        this.text = text;
      }
    },
  );
});
afterEach(() => {
  cleanup();
  vi.unstubAllGlobals();
});

/** A screen that shows a sentence of ours and one with a passenger's destination in it. */
function renderSpeech(settings = OFFERED, airline?: string) {
  let speech!: Speech;
  const [isOpen, setOpen] = createSignal(true);
  const Screen = () => {
    speech = createSpeech({ settings: () => settings, isOpen });
    const { t } = useI18n();
    return (
      <div class="kiosk">
        <h1>{ready}</h1>
        <p>{PERSONAL}</p>
        {airline && <p>{t("kiosk.attract.whose", airline)}</p>}
        <input aria-label={en.start.surname} />
        <input type="password" aria-label={en.kiosk.staffProof.pin} />
      </div>
    );
  };
  render(() => (
    <I18nProvider>
      <AirlineBrandProvider value={() => (airline ? { name: airline } : {})}>
        <Screen />
      </AirlineBrandProvider>
    </I18nProvider>
  ));
  return { speech, setOpen };
}

const press = (key: string, init: KeyboardEventInit = {}) =>
  fireEvent.keyDown(document.body, { key, ...init });
const expectSpoken = (...said: string[]) => waitFor(() => expect(sentences()).toEqual(said));
const settles = () => new Promise((resolve) => setTimeout(resolve, 300));
const IN_PUBLIC = `${ready} ${en.kiosk.speech.withheld}.`;
const IN_PRIVATE = `${ready} ${PERSONAL}`;

describe("speech", () => {
  test("is silent until its key is pressed, and without personal data until headphones are chosen", async () => {
    const { speech } = renderSpeech();
    for (const key of ["F1", "F6", "5", "Enter"]) press(key);
    press("F5", { ctrlKey: true });
    await settles();
    expect(sentences()).toEqual([]);
    press("F5");
    expect(speech.asking()).toBe(true);
    await expectSpoken(IN_PUBLIC);
    speech.choose("private");
    await expectSpoken(IN_PRIVATE);
  });

  test("names the kiosk's airline in public", async () => {
    renderSpeech(OFFERED, "Polar Air");
    press("F5");
    await expectSpoken(`${IN_PUBLIC} ${en.kiosk.attract.whose("Polar Air")}.`);
  });

  test("begins as headphones go in, and ends in the middle of a word as they come out", async () => {
    const { speech } = renderSpeech();
    press("F15");
    await expectSpoken(IN_PRIVATE);
    press("F16");
    expect(sentences()).toEqual([]);
    await settles();
    expect([speech.isOn(), sentences()]).toEqual([false, []]);
  });

  test("does not take the next one's word for granted: twenty seconds without a key, unless the plug is in", async () => {
    let now = 0;
    const clock = vi.spyOn(performance, "now").mockImplementation(() => now);
    const { speech } = renderSpeech();
    const saysAfter = async (seconds: number, words: string) => {
      now += seconds * 1_000;
      speech.expirePrivate();
      press("F6");
      await expectSpoken(words);
    };
    press("F15");
    await saysAfter(100, IN_PRIVATE);
    press("F5");
    speech.choose("private");
    now += 19_000;
    press("ArrowDown");
    await saysAfter(19, IN_PRIVATE);
    // A scanner's.
    for (const key of ["M", "1", "Enter"]) press(key);
    await saysAfter(21, IN_PUBLIC);
    clock.mockRestore();
  });

  test("ends with the visit, and its next listener is a new one", async () => {
    const { speech, setOpen } = renderSpeech();
    press("F15");
    press("F8");
    await expectSpoken(IN_PRIVATE);
    setOpen(false);
    expect([speech.isOn(), sentences()]).toEqual([false, []]);
    press("F15");
    await settles();
    expect(sentences()).toEqual([]);
    setOpen(true);
    press("F5");
    await expectSpoken(IN_PUBLIC);
    expect(spoken[0]?.volume).toBe(0.7);
  });

  test("is interrupted by any key, and repeats, faster and louder where wished", async () => {
    renderSpeech();
    press("F15");
    await expectSpoken(IN_PRIVATE);
    expect(spoken[0]).toMatchObject({ rate: 1.3, volume: 0.7, voice: HERE });
    press("Enter");
    expect(sentences()).toEqual([]);
    press("F6");
    press("F6", { repeat: true });
    await expectSpoken(IN_PRIVATE);
    press("F7");
    expect(spoken[0]).toMatchObject({ rate: 1.3 * 0.75, volume: 0.7 });
    press("F7");
    press("F8");
    await expectSpoken(IN_PRIVATE);
    expect(spoken[0]).toMatchObject({ rate: 1.3 * 1.25, volume: 1 });
  });

  test("spells what is typed in private, and never a password", async () => {
    const { speech } = renderSpeech();
    press("F15");
    await expectSpoken(IN_PRIVATE);
    const types = (label: string, data: string, inputType = "insertText") => {
      spoken = [];
      const field = document.querySelector(`[aria-label="${label}"]`) as Element;
      fireEvent(field, new InputEvent("input", { bubbles: true, inputType, data }));
      return sentences();
    };
    expect(types(en.start.surname, "LO")).toEqual(["L O"]);
    expect(types(en.start.surname, "", "deleteContentBackward")).toEqual([en.kiosk.keyboard.remove]);
    // The beginning of a scan, taken back.
    expect(types(en.start.surname, "", "historyUndo")).toEqual([]);
    expect(types(en.kiosk.staffProof.pin, "2")).toEqual([en.kiosk.speech.star]);
    speech.choose("public");
    expect(types(en.start.surname, "L")).toEqual([en.kiosk.speech.star]);
  });

  test("does not start where it is not offered, and has no loudspeaker where that is not allowed", async () => {
    const { speech } = renderSpeech({ ...OFFERED, offered: "off" });
    press("F5");
    press("F15");
    await settles();
    expect([speech.isOn(), sentences()]).toEqual([false, []]);
    cleanup();
    const other = renderSpeech({ ...OFFERED, offered: "headphones" });
    press("F5");
    expect(other.speech.isOn()).toBe(true);
    other.speech.cancel();
    expect(other.speech.isOn()).toBe(false);
  });
});

describe("a voice", () => {
  test("that speaks elsewhere is never used", async () => {
    machineWith(ELSEWHERE);
    const { speech } = renderSpeech();
    press("F15");
    await settles();
    expect([speech.hasVoice(), sentences()]).toEqual([false, []]);
  });

  test("is one of the page's language, by whatever name, the machine's own choice first", () => {
    const local = (lang: string, isDefault = false) => ({ lang, localService: true, default: isDefault });
    machineWith(local("no-NO"), local("zh-HK"), local("zh_CN"), local("de-AT"), local("de-DE", true));
    expect(["nb", "zh-Hans", "de", "ja"].map((tag) => voiceFor(tag)?.lang)).toEqual([
      "no-NO",
      "zh_CN",
      "de-DE",
      undefined,
    ]);
  });
});

/** What was said since the test began, however often it was interrupted. */
const said = () => spokenEver.map(({ text, rate, volume }) => ({ text, rate, volume }));
const name = { text: "Ada Lovelace.", lang: "en" };

test("the next person cannot repeat what was said to the one before, and has the kiosk's own pace and volume", () => {
  const voice = createVoice(() => "normal");
  voice.say([name]);
  voice.changePace();
  voice.changeVolume();
  voice.forget();
  spokenEver = [];
  for (let press = 0; press < 12; press++) {
    voice.changePace();
    voice.changeVolume();
  }
  expect(said()).toEqual([]);
  voice.say([{ text: "Welcome.", lang: "en" }]);
  expect(said()).toEqual([{ text: "Welcome.", rate: 1, volume: 0.7 }]);
});
