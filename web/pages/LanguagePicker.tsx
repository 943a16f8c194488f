import { createUniqueId, For, type JSX } from "solid-js";
import { useI18n } from "../i18n/index.tsx";
import { LANGUAGES, type Language } from "../i18n/languages.ts";
import { Icon } from "../ui/Icon.tsx";

/** A quiet button with the page's language; the platform's popover lists the others. */
export function LanguagePicker(): JSX.Element {
  const { t, language: current, setLocale } = useI18n();
  const id = createUniqueId();
  let list!: HTMLElement;
  const choose = (event: MouseEvent, language: Language) => {
    // A link, so that it can be saved and sent; here it changes language without leaving the screen.
    event.preventDefault();
    list.hidePopover?.();
    // If the words cannot load, the language stays as it is and can be chosen again.
    void setLocale(language.locale).catch(() => undefined);
  };
  return (
    <div class="languages">
      <button type="button" class="button languages-button" data-kind="quiet" popovertarget={id}>
        <Icon name="globe" />
        <span class="sr-only">
          {t("app.language")}: {current().name},
        </span>
        <span class="languages-code">{current().locale}</span>
      </button>
      <nav id={id} ref={list} popover class="languages-list" aria-label={t("app.language")}>
        <ul>
          <For each={LANGUAGES}>
            {(language) => (
              <li>
                <a
                  class="languages-choice"
                  href={`?lang=${language.locale}`}
                  hreflang={language.tag}
                  lang={language.tag}
                  aria-current={language.locale === current().locale ? "true" : undefined}
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
