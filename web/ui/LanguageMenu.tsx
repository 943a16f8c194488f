import { createUniqueId, For, type JSX } from "solid-js";
import { Icon } from "./Icon.tsx";

export interface LanguageChoice {
  readonly locale: string;
  /** In the language itself: its readers may not understand anything else here. */
  readonly name: string;
  readonly tag: string;
  readonly dir: "ltr" | "rtl";
}

export interface LanguageMenuProps<Choice extends LanguageChoice> {
  /** The button's name for a screen reader. */
  readonly label: string;
  readonly languages: readonly Choice[];
  readonly current: Choice;
  readonly onChoose: (language: Choice) => void;
}

/** A quiet button with the page's language; the platform's popover lists the others. */
export function LanguageMenu<Choice extends LanguageChoice>(props: LanguageMenuProps<Choice>): JSX.Element {
  const id = createUniqueId();
  let list!: HTMLElement;
  const choose = (event: MouseEvent, language: Choice) => {
    // A link, so that it can be saved and sent; here it changes language without leaving the screen.
    event.preventDefault();
    list.hidePopover?.();
    props.onChoose(language);
  };
  return (
    <div class="languages">
      <button type="button" class="button languages-button" data-kind="quiet" popovertarget={id}>
        <Icon name="globe" />
        <span class="sr-only">
          {props.label}: {props.current.name},
        </span>
        <span class="languages-code">{props.current.locale}</span>
      </button>
      <nav id={id} ref={list} popover class="languages-list" aria-label={props.label}>
        <ul>
          <For each={props.languages}>
            {(language) => (
              <li>
                <a
                  class="languages-choice"
                  href={`?lang=${language.locale}`}
                  hreflang={language.tag}
                  lang={language.tag}
                  aria-current={language.locale === props.current.locale ? "true" : undefined}
                  onClick={(event) => choose(event, language)}
                >
                  <span dir={language.dir}>{language.name}</span>
                </a>
              </li>
            )}
          </For>
        </ul>
      </nav>
    </div>
  );
}
