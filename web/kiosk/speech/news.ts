/**
 * What is on a screen, as text: taken from what is shown and from its accessible names, never from a second set of words. And
 * what of it is new, as sentences. Loaded on demand, with the dictionary's words.
 */

import type { Words } from "../../i18n/dictionary.ts";
import { withNumbers } from "../../i18n/forms.ts";
import type { I18n } from "../../i18n/index.tsx";
import { LANGUAGES } from "../../i18n/languages.ts";
import { isField, rootOf, stopsIn } from "../keys.ts";
import { type Sentence, spelt, voiceFor } from "./voice.ts";

interface Shown {
  readonly text: string;
  /** The element around it: the texts of one element are one sentence. */
  readonly around: Element;
  /** Of a language by its own name. */
  readonly lang: string;
  /** In a place where names and codes are, though this may look like a word of ours. */
  readonly isOwn: boolean;
}

/** What has the focus and can be used. */
interface Control {
  readonly element: HTMLElement;
  readonly kind: "button" | "link" | "field" | "choice" | "key";
  readonly name: readonly Shown[];
  readonly isSelected: boolean;
  /** Hint and error of a field. */
  readonly about: readonly Shown[];
  /** Undefined where nothing is typed; hidden: shown as dots. */
  readonly value: { readonly text: string; readonly isHidden: boolean; readonly isCode: boolean } | undefined;
  readonly place: readonly [at: number, of: number];
  /** The group around it, if it has a name. */
  readonly group: Element | null;
  readonly groupName: readonly Shown[];
}

export interface View {
  readonly root: Element;
  readonly heading: string;
  /** Everything that is shown and cannot be chosen, in the order of reading. */
  readonly texts: readonly Shown[];
  readonly control: Control | undefined;
}

const SILENT = "[aria-hidden='true'], [hidden], script, style, title";
/** Not read with the screen: controls, which are spoken when focused, and the bar, which every screen has. */
const CHOSEN = "button, a[href], input, label, legend, summary, .field, .keyboard, video, .kiosk-bar";
const OWN = "bdi, dd, .code, [translate='no']";

/** The screen, or the dialog on top of it. */
export function look(doc: Document): View | undefined {
  const root = rootOf(doc);
  if (root === null) return undefined;
  const heading = root.querySelector(root instanceof HTMLDialogElement ? "h2" : "h1");
  const notice = doc.querySelector(".kiosk-notice");
  const texts = [...textsOf(root, CHOSEN), ...(notice && !root.contains(notice) ? textsOf(notice) : [])];
  // For a screen reader some regions repeat what the screen says already.
  const isLive = ({ around }: Shown) => around.closest("[role='status'], [role='alert']") !== null;
  const steady = new Set(texts.filter((each) => !isLive(each)).map(({ text }) => text));
  return {
    root,
    heading: heading?.textContent ?? "",
    texts: texts.filter((each) => !isLive(each) || !steady.has(each.text)),
    control: controlOf(doc.activeElement, stopsIn(root)),
  };
}

/** The texts within `root`, without what `skip` matches. */
export function textsOf(root: Element, skip?: string): Shown[] {
  const label = root.getAttribute("role") === "img" ? root.getAttribute("aria-label") : null;
  if (label !== null) return shown(root, label);
  const isClosed = root instanceof HTMLDetailsElement && !root.open;
  return [...root.childNodes].flatMap((node) => {
    if (node instanceof Text) return isClosed ? [] : shown(root, node.data);
    if (!(node instanceof Element) || node.matches(SILENT)) return [];
    if ((skip && node.matches(skip)) || (isClosed && !node.matches("summary"))) return [];
    return textsOf(node, skip);
  });
}

function shown(around: Element, data: string): Shown[] {
  const text = data.replaceAll(/[ \t\n]+/g, " ").trim();
  if (!/[\p{L}\p{N}]/u.test(text)) return [];
  const lang = around.closest<HTMLElement>("[lang]")?.lang ?? "";
  return [{ text, around, lang, isOwn: around.closest(OWN) !== null }];
}

function controlOf(focused: Element | null, stops: readonly HTMLElement[]): Control | undefined {
  const at = stops.indexOf(focused as HTMLElement);
  const element = stops[at];
  if (element === undefined) return undefined;
  const group = element.closest("fieldset");
  const ids = element.getAttribute("aria-describedby")?.split(" ") ?? [];
  return {
    element,
    kind: kindOf(element),
    name: nameOf(element),
    isSelected: element.matches("[aria-pressed='true'], :checked"),
    about: ids.flatMap((id) => inside(element.ownerDocument.getElementById(id))),
    value: isField(element)
      ? { text: element.value, isHidden: element.type === "password", isCode: "code" in element.dataset }
      : undefined,
    place: [at + 1, stops.length],
    group,
    groupName: labelOf(group) ?? inside(group?.querySelector("legend")),
  };
}

function kindOf(element: HTMLElement): Control["kind"] {
  if (isField(element)) return "field";
  if (element instanceof HTMLInputElement) return "choice";
  if (element.closest(".keyboard")) return "key";
  return element instanceof HTMLAnchorElement ? "link" : "button";
}

const nameOf = (element: HTMLElement): Shown[] =>
  labelOf(element) ?? inside(element instanceof HTMLInputElement ? element.labels?.[0] : element);

function labelOf(element: Element | null): Shown[] | undefined {
  const label = element?.getAttribute("aria-label");
  return element && label ? shown(element, label) : undefined;
}

const inside = (element: Element | null | undefined) => (element ? textsOf(element) : []);

/** Looks at the screen, and returns what is new since the view `seen`; undefined: nothing was said before. */
export function newsWith(words: Words, i18n: I18n, airline: string | undefined) {
  const isDictionaryText = fixedWords(words, [i18n.percent, i18n.seconds]);
  // The airline's name is public, too.
  const whose = airline === undefined ? undefined : i18n.t("kiosk.attract.whose", airline);
  const isFixed = (text: string) => text === whose || isDictionaryText(text);
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

/** How what is shown becomes what is said. */
export interface Speaker {
  readonly i18n: I18n;
  /** Everything may be said: only the person listens. */
  readonly isPrivate: boolean;
  readonly isFixed: (text: string) => boolean;
}

/** What may be said of these texts; one sentence replaces what may not. */
function sentencesOf(texts: readonly Shown[], speaker: Speaker): Sentence[] {
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

/** A control with all that a glance at it shows. `before`: the group in which the focus was. */
function sentencesOfControl(
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

/** What is in a field is personal, and letters that are dots on the screen are never said. */
function valueSaid({ text, isHidden, isCode }: NonNullable<Control["value"]>, speaker: Speaker): string {
  if (text === "") return "";
  if (isHidden || !speaker.isPrivate) return speaker.i18n.t("kiosk.speech.star");
  return isCode ? spelt(text) : text;
}

/** One utterance for all in a row that one voice says. */
const utterances = (sentences: readonly Sentence[]): Sentence[] =>
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

/** Greater numbers may be personal: of a bag, a flight, a booking. Counts, seconds and attempts stay below. */
const LARGEST_COUNT = 99;

type Counting = (count: number) => string;

/**
 * What may be said in public: texts of the dictionary and of `formats`, without a value or with a small count. Nothing is
 * marked as personal, because a mark can be forgotten: everything else on a screen counts as personal.
 */
export function fixedWords(words: Words, formats: readonly Counting[]): (text: string) => boolean {
  const fixed = new Set(LANGUAGES.map(({ name }) => name));
  const counting = [...formats];
  const collect = (tree: object) => {
    for (const value of Object.values(tree)) {
      if (typeof value === "string") fixed.add(withNumbers(value));
      else if (typeof value === "function") counting.push(value);
      else collect(value);
    }
  };
  collect(words);
  // As screens show them, where no line ends before a number.
  return (text) => {
    const seen = withNumbers(text);
    return (
      fixed.has(seen) ||
      countsIn(seen).some((count) => counting.some((say) => withNumbers(say(count)) === seen))
    );
  };
}

/** The numbers that a message may have been given to say this; some languages have words for the first. */
const countsIn = (text: string) =>
  [0, 1, 2, ...(text.match(/\d+/g) ?? []).map(Number)].filter((count) => count <= LARGEST_COUNT);
