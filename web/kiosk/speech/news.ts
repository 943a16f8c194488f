/** What is new on the screen, as sentences. Loaded, with the words that nobody owns, when somebody asks for speech. */
import type { Words } from "../../i18n/dictionary.ts";
import type { I18n } from "../../i18n/index.tsx";
import { fixedWords } from "./fixed-words.ts";
import { type Control, look, type View } from "./read.ts";
import { type Speaker, sentencesOf, sentencesOfControl, utterances } from "./words-of.ts";

export type { View };

/** Looks at the screen, and tells what is new since the view that was `seen`; undefined: nothing was said before. */
export function newsWith(words: Words, i18n: I18n, airline: string | undefined) {
  const isAnybodys = fixedWords(words);
  // Whose kiosk it is was known before anybody came, too.
  const whose = airline === undefined ? undefined : i18n.t("kiosk.attract.whose", airline);
  const isFixed = (text: string) => text === whose || isAnybodys(text);
  return (seen: View | undefined, isPrivate: boolean) => {
    const view = look(document);
    if (view === undefined) return undefined;
    const { sentences, isElsewhere } = newsOf(view, seen, { i18n, isPrivate, isFixed });
    return { view, isElsewhere, sentences: utterances(sentences) };
  };
}

export type News = ReturnType<typeof newsWith>;

/** What is to be said of `view` after `seen`; undefined: nothing was said before. */
export function newsOf(view: View, seen: View | undefined, by: Speaker) {
  const isNewScreen = view.root !== seen?.root || view.heading !== seen.heading;
  const before = isNewScreen ? undefined : seen;
  const isMoved = view.control?.element !== seen?.control?.element;
  const old = new Set(before?.texts.map(({ text }) => text));
  const fresh = sentencesOf(
    view.texts.filter(({ text }) => !old.has(text)),
    by,
  );
  // That a screen has more than is said is said once, and of what comes later not at all.
  const withheld = by.i18n.t("kiosk.speech.withheld");
  const first = before ? -1 : fresh.findIndex(({ text }) => text === withheld);
  const texts = fresh.filter(({ text }, at) => text !== withheld || at === first);
  const isDue = isNewScreen || isMoved || hasChanged(view.control, seen?.control);
  const control = view.control && isDue ? sentencesOfControl(view.control, before?.control?.group, by) : [];
  return { sentences: [...texts, ...control], isElsewhere: isNewScreen || isMoved };
}

/** Whether a control is another thing now, or something came to be wrong with it; what is typed is said letter by letter. */
function hasChanged(control: Control | undefined, before: Control | undefined): boolean {
  const face = (of: Control | undefined) => of?.name.map(({ text }) => text).join() + String(of?.isSelected);
  const known = new Set(before?.about.map(({ text }) => text));
  return face(control) !== face(before) || (control?.about.some(({ text }) => !known.has(text)) ?? false);
}
