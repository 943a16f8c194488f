/** The machine's own voice. */
import type { SpeechRate } from "../setup.ts";

export interface Sentence {
  readonly text: string;
  readonly lang: string;
}

/** How fast a voice speaks; 1 is its own pace. */
const RATES: Readonly<Record<SpeechRate, number>> = { slow: 0.8, normal: 1, fast: 1.3 };
/** A key chooses the next: slower, then faster, and round again; louder, then softer. */
const PACES = [1, 0.75, 1.25, 1.6];
const VOLUMES = [0.7, 1, 0.4];

/** Tags of voices that are ours by another name. Cantonese is another language, whatever its tag says. */
const SAME: Readonly<Record<string, string>> = { no: "nb", cmn: "zh" };
const languageOf = (tag: string) => {
  const parts = tag.toLowerCase().split(/[-_]/);
  const [language = ""] = parts;
  return parts.includes("hk") ? "yue" : (SAME[language] ?? language);
};

/**
 * A voice for `lang` that speaks on this machine. One that speaks elsewhere would receive every sentence, so it is never used:
 * then there is none.
 */
export function voiceFor(lang: string): SpeechSynthesisVoice | undefined {
  const voices = globalThis.speechSynthesis?.getVoices() ?? [];
  const own = voices.filter((each) => each.localService && languageOf(each.lang) === languageOf(lang));
  return own.find((each) => each.default) ?? own[0];
}

/** A code, letter by letter. */
export const spelt = (text: string): string => [...text].join(" ");

/** Speaks, and keeps what it said last until `forget`. */
export function createVoice(rate: () => SpeechRate) {
  let last: readonly Sentence[] = [];
  let pace = 0;
  let volume = 0;
  const stop = () => globalThis.speechSynthesis?.cancel();
  const say = (sentences: readonly Sentence[]) => {
    for (const { text, lang } of sentences) {
      const voice = voiceFor(lang);
      if (voice === undefined) continue;
      const spoken = new SpeechSynthesisUtterance(text);
      Object.assign(spoken, { voice, lang: voice.lang, volume: VOLUMES[volume] });
      spoken.rate = RATES[rate()] * (PACES[pace] ?? 1);
      globalThis.speechSynthesis.speak(spoken);
    }
  };
  const again = () => {
    stop();
    say(last);
  };
  return {
    stop,
    say: (sentences: readonly Sentence[]) => {
      last = sentences;
      say(sentences);
    },
    changePace: () => {
      pace = (pace + 1) % PACES.length;
      again();
    },
    changeVolume: () => {
      volume = (volume + 1) % VOLUMES.length;
      again();
    },
    forget: () => {
      stop();
      last = [];
      pace = 0;
      volume = 0;
    },
  };
}

export type Voice = ReturnType<typeof createVoice>;
