import type { JSX } from "solid-js";
import { useI18n } from "../i18n/index.tsx";
import { LANGUAGES } from "../i18n/languages.ts";
import { LanguageMenu } from "../ui/LanguageMenu.tsx";

/** Every language of the page, on every screen. */
export function LanguagePicker(): JSX.Element {
  const { t, language, setLocale } = useI18n();
  return (
    <LanguageMenu
      label={t("app.language")}
      languages={LANGUAGES}
      current={language()}
      // If the words cannot load, the language stays as it is and can be chosen again.
      onChoose={({ locale }) => void setLocale(locale).catch(() => undefined)}
    />
  );
}
