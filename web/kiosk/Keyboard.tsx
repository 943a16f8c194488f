import { type Accessor, createMemo, createSignal, For, type JSX, onMount } from "solid-js";
import { useI18n } from "../i18n/index.tsx";
import { listen } from "../state/browser.ts";
import { KEY_SETS, type KeySet, keyboardRows, removeBefore, typeInto } from "./keys.ts";

/** What arrow keys do: where to, in rows and keys. */
const STEPS: Readonly<Record<string, readonly [number, number]>> = {
  ArrowUp: [-1, 0],
  ArrowDown: [1, 0],
  ArrowLeft: [0, -1],
  ArrowRight: [0, 1],
};

/** One key: what is on it, and what it does to the field. */
interface Key {
  readonly text: string;
  readonly press: (field: HTMLInputElement) => void;
  readonly wide?: boolean;
}

/**
 * For a kiosk without keys. A touch leaves the focus in the field; a keyboard user has one stop for the whole of it and
 * moves by arrows, which also lead out of it. It types into the field that had the focus last, in the form around it.
 * Bookings are typed in capitals. `first`: the keys shown first where anything may be typed.
 */
export function Keyboard(props: { readonly first?: KeySet }): JSX.Element {
  const { t } = useI18n();
  const [focused, setFocused] = createSignal<readonly [number, number]>([0, 0]);
  let board!: HTMLFieldSetElement;
  const field = createLastField(() => board.form);
  const rowsOf = () => board.querySelectorAll(".keyboard-row");
  const [set, setSet] = createSignal(props.first ?? "ABC");
  const rows = createKeys(props.first !== undefined, set, setSet);
  // Other letters may have a row less.
  const at = () => [Math.min(focused()[0], rows().length - 1), focused()[1]] as const;
  const move = (event: KeyboardEvent) => {
    const [down, right] = STEPS[event.key] ?? [Number.NaN, 0];
    const buttons = rowsOf()[at()[0] + down]?.querySelectorAll("button");
    if (event.key === "Backspace") removeBefore(field());
    // Above the first row and below the last the arrows lead out of the keyboard.
    else if (buttons) buttons[Math.min(Math.max(at()[1] + right, 0), buttons.length - 1)]?.focus();
    else return;
    event.preventDefault();
  };
  return (
    <fieldset
      ref={board}
      class="keyboard"
      dir="ltr"
      data-digits={set() === "123" ? "" : undefined}
      onMouseDown={(event) => event.preventDefault()}
      onKeyDown={move}
    >
      <legend class="sr-only">
        <span>{t("kiosk.keyboard.label")}</span> <span>{nameOf(field())}</span>
      </legend>
      <For each={rows()}>
        {(keys, row) => (
          <div class="keyboard-row">
            <For each={keys}>
              {(key, index) => (
                <button
                  type="button"
                  class="keyboard-key"
                  data-wide={key.wide ? "" : undefined}
                  tabindex={at()[0] === row() && at()[1] === index() ? 0 : -1}
                  onFocus={() => setFocused([row(), index()])}
                  onClick={() => key.press(field())}
                >
                  {key.text}
                </button>
              )}
            </For>
          </div>
        )}
      </For>
    </fieldset>
  );
}

/** The rows of keys; below the letters those that stay when the letters change, because one of them has the focus then. */
function createKeys(
  isAnything: boolean,
  set: Accessor<KeySet>,
  setSet: (next: KeySet) => void,
): Accessor<readonly (readonly Key[])[]> {
  const { t, locale } = useI18n();
  // The letters have digits above them: a pad that was left does not come back.
  const nextSet = () => KEY_SETS[KEY_SETS.indexOf(set()) + 1] ?? "abc";
  const isPad = () => set() === "123";
  const letter = (text: string): Key => ({ text, press: (target) => void typeInto(target, text) });
  const letters = createMemo(() => keyboardRows(locale(), set()).map((row) => row.map(letter)));
  const others: readonly Key[] = [
    ...(isAnything ? [wideKey(nextSet, () => setSet(nextSet()))] : []),
    wideKey(
      () => (isPad() ? "0" : t("kiosk.keyboard.space")),
      (target) => void typeInto(target, isPad() ? "0" : " "),
    ),
    wideKey(() => t("kiosk.keyboard.remove"), removeBefore),
  ];
  return () => [...letters(), others];
}

const wideKey = (text: Accessor<string>, press: Key["press"]): Key => ({
  get text() {
    return text();
  },
  press,
  wide: true,
});

/** Announces where the letters go. */
const nameOf = (field: HTMLInputElement | undefined) => field?.labels?.[0]?.textContent;

/** The field of `form` that had the focus last, else its first. */
function createLastField(form: () => HTMLFormElement | null): Accessor<HTMLInputElement> {
  const [field, setField] = createSignal<HTMLInputElement>();
  const look = () => {
    const focused = document.activeElement;
    if (focused instanceof HTMLInputElement && form()?.contains(focused)) setField(focused);
  };
  onMount(() => {
    setField(form()?.querySelector("input") ?? undefined);
    look();
  });
  listen(["focusin"], look);
  return () => field() ?? (form()?.querySelector("input") as HTMLInputElement);
}
