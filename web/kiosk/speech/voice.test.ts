import { afterEach, expect, test, vi } from "vitest";
import { createVoice } from "./voice.ts";

afterEach(() => vi.unstubAllGlobals());

/** A machine with one voice of its own, and what it was asked to say, how fast and how loud. */
function machine() {
  const said: { text: string; rate: number; volume: number }[] = [];
  vi.stubGlobal("speechSynthesis", {
    getVoices: () => [{ lang: "en-GB", localService: true, default: true }],
    cancel: () => undefined,
    speak: ({ text, rate, volume }: SpeechSynthesisUtterance) => said.push({ text, rate, volume }),
  });
  vi.stubGlobal("SpeechSynthesisUtterance", Utterance);
  return said;
}

class Utterance {
  readonly text: string;
  constructor(text: string) {
    this.text = text;
  }
}

const name = { text: "Ada Lovelace.", lang: "en" };

test("another pace or volume repeats the last sentences in it", () => {
  const said = machine();
  const voice = createVoice(() => "normal");
  voice.say([name]);
  voice.changePace();
  voice.changeVolume();
  expect(said).toEqual([
    { text: name.text, rate: 1, volume: 0.7 },
    { text: name.text, rate: 0.75, volume: 0.7 },
    { text: name.text, rate: 0.75, volume: 1 },
  ]);
});

test("the next person cannot repeat what was said to the one before, and has the kiosk's own pace and volume", () => {
  const said = machine();
  const voice = createVoice(() => "normal");
  voice.say([name]);
  voice.changePace();
  voice.changeVolume();
  voice.forget();
  said.length = 0;
  for (let press = 0; press < 12; press++) {
    voice.changePace();
    voice.changeVolume();
  }
  expect(said).toEqual([]);
  voice.say([{ text: "Welcome.", lang: "en" }]);
  expect(said).toEqual([{ text: "Welcome.", rate: 1, volume: 0.7 }]);
});
