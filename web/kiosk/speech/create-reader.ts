import { type Accessor, createEffect, on, onCleanup } from "solid-js";
import type { News, View } from "./news.ts";
import type { Voice } from "./voice.ts";

/** Milliseconds for a screen to settle, so that heading, sentences and control are said together. */
const SETTLES = 120;
/** Attributes that change what a control is called or means. */
const ATTRIBUTES = ["open", "aria-label", "aria-pressed", "aria-describedby"];

/**
 * Looks at the screen whenever something on it changes, and says what is new: a screen or dialog as a whole, then the control
 * with the focus, then whatever came. So it says what is shown, and a new screen needs no words of its own for it.
 */
export function createReader(voice: Voice, news: Accessor<News | undefined>, isPrivate: Accessor<boolean>) {
  let seen: View | undefined;
  let timer: ReturnType<typeof setTimeout> | undefined;
  const tell = () => {
    timer = undefined;
    const found = news()?.(seen, isPrivate());
    if (found === undefined) return;
    seen = found.view;
    if (found.sentences.length === 0) return;
    // What has come waits its turn; but where somebody has gone on, nobody waits for the rest of what was before.
    if (found.isElsewhere) voice.stop();
    voice.say(found.sentences);
  };
  const lookSoon = () => {
    timer ??= setTimeout(tell, SETTLES);
  };
  const fromTheTop = () => {
    seen = undefined;
    lookSoon();
  };
  createEffect(
    on([news, isPrivate], ([look]) => {
      if (look === undefined) return;
      fromTheTop();
      const observer = new MutationObserver(lookSoon);
      const everything = { childList: true, characterData: true, subtree: true };
      observer.observe(document.body, { ...everything, attributeFilter: ATTRIBUTES });
      for (const type of ["focusin", "change"]) addEventListener(type, lookSoon);
      onCleanup(() => {
        observer.disconnect();
        for (const type of ["focusin", "change"]) removeEventListener(type, lookSoon);
        clearTimeout(timer);
        timer = undefined;
        seen = undefined;
      });
    }),
  );
  return fromTheTop;
}
