/** What is on a screen, as text: taken from what is shown and from its accessible names, never from a second set of words. */
import { isField, rootOf, stopsIn } from "../keypad.ts";

export interface Shown {
  readonly text: string;
  /** The element around it: the texts of one element are one sentence. */
  readonly around: Element;
  /** Of a language by its own name. */
  readonly lang: string;
  /** In a place where names and codes are, though this may look like a word of ours. */
  readonly isOwn: boolean;
}

/** What has the focus and can be used. */
export interface Control {
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
