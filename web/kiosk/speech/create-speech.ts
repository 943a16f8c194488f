import { type Accessor, createEffect, createMemo, createSignal, on, onCleanup, onMount } from "solid-js";
import type { Locale } from "../../../core/api/locales.ts";
import { PARTS } from "../../i18n/dictionary.ts";
import { type I18n, useI18n } from "../../i18n/index.tsx";
import { loadWords } from "../../i18n/load.ts";
import { listen } from "../../state/browser.ts";
import { useAirlineBrand } from "../../ui/Wordmark.tsx";
import type { SpeechSettings } from "../setup.ts";
import type { News, View } from "./news.ts";
import { createVoice, spelt, type Voice, voiceFor } from "./voice.ts";

/** `public`: nothing personal is said. `private`: only the person listens, or they want it so. */
type SpeechMode = "off" | "public" | "private";

/** What a keypad sends as headphones go into its jack, and come out: browsers do not report it. */
const PLUGGED = "F15";
const UNPLUGGED = "F16";

/** Milliseconds without a key after which a boarding pass may be another person's than theirs who chose "headphones". */
const PRIVATE_TIME = 20_000;

interface SpeechOptions {
  readonly settings: Accessor<SpeechSettings>;
  /** Whether a passenger may be here. */
  readonly isOpen: Accessor<boolean>;
}

export type Speech = ReturnType<typeof createSpeech>;

/** Says what is shown, from the request for it until the visit ends. */
export function createSpeech({ settings, isOpen }: SpeechOptions) {
  const i18n = useI18n();
  const [mode, setMode] = createSignal<SpeechMode>("off");
  const [asking, setAsking] = createSignal(false);
  const isOn = createMemo(() => mode() !== "off");
  const voice = createVoice(() => settings().rate);
  const repeat = createReader(voice, createNews(i18n, isOn), () => mode() === "private");

  /** Until when the person at the keypad counts as the only listener: for as long as their plug is in. */
  let privateUntil = 0;
  const choose = (chosen: SpeechMode, time = PRIVATE_TIME) => {
    privateUntil = performance.now() + time;
    voice.stop();
    setAsking(false);
    setMode(chosen);
    if (chosen === "off") voice.forget();
  };
  /** Announces the end, for a person who does not see the screen. */
  const end = () => {
    const wasOn = isOn();
    choose("off");
    if (wasOn) voice.say([{ text: i18n.t("kiosk.speech.off"), lang: i18n.language().tag }]);
  };
  const ask = () => {
    if (!isOn()) setMode("public");
    setAsking(true);
  };
  const press = () => {
    voice.stop();
    privateUntil = Math.max(privateUntil, performance.now() + PRIVATE_TIME);
  };
  const actions = [ask, repeat, voice.changePace, voice.changeVolume];
  createKeys({ settings, isOpen, isOn, stop: voice.stop, press, choose }, actions);
  createEcho(i18n, mode, (text) => voice.say([{ text, lang: i18n.language().tag }]));
  createEffect(() => isOpen() || choose("off"));
  // Chrome begins to load its voices when it is first asked for them.
  onMount(() => voiceFor(""));
  return {
    isOn,
    asking,
    ask,
    choose,
    end,
    /** Where no loudspeaker is allowed, there is nothing between headphones and silence. */
    cancel: () => choose(settings().offered === "both" || mode() === "private" ? mode() : "off"),
    /** The person who begins may be another than the one who chose headphones: ask again. */
    expirePrivate: () => {
      if (mode() === "private" && performance.now() > privateUntil) choose("public");
    },
    hasVoice: () => voiceFor(i18n.language().tag) !== undefined,
  };
}

/** Undefined while the words of a language load: only with them can personal text be excluded. */
function createNews(i18n: I18n, isOn: Accessor<boolean>) {
  const brand = useAirlineBrand();
  const [news, setNews] = createSignal<News>();
  const load = async (locale: Locale) => {
    const [{ newsWith }, words] = await Promise.all([import("./news.ts"), loadWords(locale, PARTS)]);
    return newsWith(words, i18n, brand().name);
  };
  createEffect(() => {
    setNews(undefined);
    if (!isOn()) return;
    let isOver = false;
    onCleanup(() => {
      isOver = true;
    });
    // Where they cannot load, the kiosk stays silent; the key can be pressed again.
    void load(i18n.locale()).then(
      (loaded) => isOver || setNews(() => loaded),
      () => undefined,
    );
  });
  return news;
}

interface KeysOptions extends SpeechOptions {
  readonly isOn: Accessor<boolean>;
  readonly stop: () => void;
  /** By a person: no scanner sends it. */
  readonly press: () => void;
  readonly choose: (mode: SpeechMode, time?: number) => void;
}

/** The start key and the three after it, the jack, and that any key or touch interrupts (EN 301 549, 5.1.3.5). */
function createKeys(
  { settings, isOpen, isOn, stop, press, choose }: KeysOptions,
  actions: readonly (() => void)[],
) {
  const actionOf = (key: string): (() => void) | undefined => {
    if (key === PLUGGED) return () => choose("private", Number.POSITIVE_INFINITY);
    if (key === UNPLUGGED) return () => choose("off");
    const nth = Number(key.slice(1)) - Number(settings().key.slice(1));
    return /^F\d+$/.test(key) && (nth === 0 || isOn()) ? actions[nth] : undefined;
  };
  const onKey = (event: KeyboardEvent) => {
    if (isOn()) /^(Arrow|F\d)/.test(event.key) ? press() : stop();
    if (settings().offered === "off" || !isOpen() || event.ctrlKey || event.altKey || event.metaKey) return;
    const act = actionOf(event.key);
    if (act === undefined) return;
    event.preventDefault();
    if (!event.repeat) act();
  };
  listen(["keydown"], onKey, { capture: true });
  listen(["pointerdown"], () => isOn() && stop(), { capture: true });
}

/** Says what is typed, letter by letter: as a star in public, and always where the screen shows dots. */
function createEcho({ t }: I18n, mode: Accessor<SpeechMode>, say: (text: string) => void): void {
  const typed = (event: Event) => {
    if (mode() === "off" || !(event instanceof InputEvent) || !(event.target instanceof HTMLInputElement))
      return;
    const isSpelt = mode() === "private" && event.target.type !== "password";
    if (event.inputType.startsWith("delete")) say(t("kiosk.keyboard.remove"));
    else if (event.inputType === "insertText")
      say(isSpelt ? spelt(event.data ?? "") : t("kiosk.speech.star"));
  };
  listen(["input"], typed);
}

/** Milliseconds for a screen to settle, so that heading, sentences and control are said together. */
const SETTLES = 120;
/** Attributes that change what a control is called or means. */
const ATTRIBUTES = ["open", "aria-label", "aria-pressed", "aria-describedby"];

/**
 * Looks at the screen whenever something on it changes, and says what is new: a screen or dialog as a whole, then the control
 * with the focus, then whatever came. So it says what is shown, and a new screen needs no words of its own for it.
 */
function createReader(voice: Voice, news: Accessor<News | undefined>, isPrivate: Accessor<boolean>) {
  let seen: View | undefined;
  let timer: ReturnType<typeof setTimeout> | undefined;
  const sayNews = () => {
    timer = undefined;
    const found = news()?.(seen, isPrivate());
    if (found === undefined) return;
    seen = found.view;
    if (found.sentences.length === 0) return;
    // News wait their turn; but on a new screen, the rest of the old one is dropped.
    if (found.isElsewhere) voice.stop();
    voice.say(found.sentences);
  };
  const scheduleLook = () => {
    timer ??= setTimeout(sayNews, SETTLES);
  };
  const fromTheTop = () => {
    seen = undefined;
    scheduleLook();
  };
  createEffect(
    on([news, isPrivate], ([look]) => {
      if (look === undefined) return;
      fromTheTop();
      const observer = new MutationObserver(scheduleLook);
      const everything = { childList: true, characterData: true, subtree: true };
      observer.observe(document.body, { ...everything, attributeFilter: ATTRIBUTES });
      listen(["focusin", "change"], scheduleLook);
      onCleanup(() => {
        observer.disconnect();
        clearTimeout(timer);
        timer = undefined;
        seen = undefined;
      });
    }),
  );
  return fromTheTop;
}
