import type { I18n } from "../../i18n/index.tsx";
import type { Control, Shown } from "./read.ts";
import { type Sentence, spelt, voiceFor } from "./voice.ts";

/** How what is shown becomes what is said. */
export interface Speaker {
  readonly i18n: I18n;
  /** Everything may be said: nobody else hears it. */
  readonly isPrivate: boolean;
  readonly isFixed: (text: string) => boolean;
}

/** What may be said of these texts; where something may not, one sentence stands for it. */
export function sentencesOf(texts: readonly Shown[], speaker: Speaker): Sentence[] {
  return texts.flatMap((shown, index) => {
    if (texts[index - 1]?.around === shown.around) return [];
    const end = texts.findIndex(({ around }, at) => at > index && around !== shown.around);
    const together = texts.slice(index, end < 0 ? undefined : end).map((each) => sentenceOf(each, speaker));
    return joined(
      together.filter(({ text }, at) => text !== together[at - 1]?.text),
      " ",
    );
  });
}

function sentenceOf({ text, lang, isOwn }: Shown, { i18n: { t, language }, isPrivate, isFixed }: Speaker) {
  const own = language().tag;
  if (!isPrivate && (isOwn || !isFixed(text))) return { text: t("kiosk.speech.withheld"), lang: own };
  const spoken = lang || own;
  if (spoken !== own && !voiceFor(spoken)) return { text: t("kiosk.speech.noVoice"), lang: own };
  return { text, lang: spoken };
}

/** A control with all that a glance at it tells. `before`: the group in which the focus was. */
export function sentencesOfControl(
  control: Control,
  before: Element | null | undefined,
  speaker: Speaker,
): Sentence[] {
  const { t, language } = speaker.i18n;
  const { kind, value, place, group, groupName, about } = control;
  const name = sentencesOf(control.name, speaker);
  const says = (texts: readonly Shown[]) => sentencesOf(texts, speaker);
  const entered = group === before ? [] : says(groupName);
  if (kind === "key") return joined([...entered, ...name], ", ");
  const rest = [
    t(`kiosk.speech.${kind}`),
    control.isSelected && t("kiosk.speech.selected"),
    value && valueSaid(value, speaker),
    t("kiosk.speech.place", ...place),
  ].filter((word) => typeof word === "string" && word !== "") as string[];
  const facts = { text: rest.join(", "), lang: language().tag };
  return [...joined([...entered], " "), ...joined([...name, facts], ", "), ...says(about)];
}

/** What is in a field is somebody's, and letters that are dots on the screen are never said. */
function valueSaid({ text, isHidden, isCode }: NonNullable<Control["value"]>, speaker: Speaker): string {
  if (text === "") return "";
  if (isHidden || !speaker.isPrivate) return speaker.i18n.t("kiosk.speech.star");
  return isCode ? spelt(text) : text;
}

/** One utterance for all in a row that one voice says. */
export const utterances = (sentences: readonly Sentence[]): Sentence[] =>
  joined(
    sentences.map(({ text, lang }) => {
      // Marks that keep codes whole on the screen, and words where they may break.
      const plain = text.replaceAll(/[\u00ad\u200b\u2060\u2066-\u2069]/g, "");
      return { text: /[.!?…。！？؟،:]$/.test(plain) ? plain : `${plain}.`, lang };
    }),
    " ",
  );

function joined(sentences: readonly Sentence[], by: string): Sentence[] {
  const runs: Sentence[] = [];
  for (const { text, lang } of sentences) {
    const before = runs.at(-1);
    if (before?.lang === lang) runs.splice(-1, 1, { text: `${before.text}${by}${text}`, lang });
    else runs.push({ text, lang });
  }
  return runs;
}
