import { createSignal, For, type JSX, onCleanup, onMount, Show } from "solid-js";
import { useI18n } from "../i18n/index.tsx";
import { LANGUAGES } from "../i18n/languages.ts";
import { useAirlineBrand } from "../ui/airline-brand.tsx";
import { Button } from "../ui/Button.tsx";
import { Icon } from "../ui/Icon.tsx";
import { useKiosk } from "./kiosk-state.tsx";
import { ScanScene } from "./ScanScene.tsx";

/** Between two passengers: what this is, how to begin, and in which language. */
export function AttractScreen(): JSX.Element {
  const { t } = useI18n();
  const { send, clear, settings } = useKiosk();
  const brand = useAirlineBrand();
  const byCamera = () => settings()?.scanner !== "scanner";
  const byScanner = () => settings()?.scanner !== "camera";
  let heading!: HTMLHeadingElement;
  onMount(() => queueMicrotask(() => heading.focus({ preventScroll: true })));
  return (
    <section class="attract">
      <div class="attract-words">
        <p class="attract-what">
          <span>{t("kiosk.attract.title")}</span>
          <Show when={brand().name}>
            {(name) => (
              <>
                {" · "}
                <span>{t("kiosk.attract.whose", name())}</span>
              </>
            )}
          </Show>
        </p>
        <h1 ref={heading} tabindex="-1" class="attract-title">
          {t("kiosk.attract.scan")}
        </h1>
        <p class="attract-how">{t(byScanner() ? "kiosk.attract.scanHow" : "kiosk.attract.scanCamera")}</p>
        <div class="attract-actions">
          <Show when={byCamera()}>
            <Button kind="primary" icon="scan" onClick={() => send("camera")}>
              {t("kiosk.attract.camera")}
            </Button>
          </Show>
          <Button kind={byCamera() ? "secondary" : "primary"} onClick={() => send("type")}>
            {t("kiosk.attract.type")}
          </Button>
          <Button onClick={() => clear()}>{t("start.clearAction")}</Button>
        </div>
        <Standing />
      </div>
      <ScanScene up={!byScanner()} />
      <Languages />
    </section>
  );
}

/** What staff see from afar: waiting tags, and a missing network. */
function Standing(): JSX.Element {
  const { t } = useI18n();
  const { outbox, send } = useKiosk();
  const [online, setOnline] = createSignal(navigator.onLine);
  const look = () => setOnline(navigator.onLine);
  onMount(() => {
    addEventListener("online", look);
    addEventListener("offline", look);
  });
  onCleanup(() => {
    removeEventListener("online", look);
    removeEventListener("offline", look);
  });
  return (
    <div class="attract-standing" role="status">
      <Show when={!online()}>
        <p class="attract-offline">
          <Icon name="alert" />
          {t("kiosk.attract.offline")}
        </p>
      </Show>
      <Show when={outbox.entries().length > 0}>
        <Button kind="quiet" icon="clock" onClick={() => send("queue")}>
          {t("kiosk.attract.waiting", outbox.entries().length)}
        </Button>
      </Show>
    </div>
  );
}

function Languages(): JSX.Element {
  const { t, locale, setLocale } = useI18n();
  return (
    <fieldset class="attract-languages">
      <legend class="sr-only">{t("app.language")}</legend>
      <For each={LANGUAGES}>
        {(language) => (
          <button
            type="button"
            class="button"
            data-kind="quiet"
            lang={language.tag}
            dir={language.dir}
            aria-pressed={language.locale === locale()}
            // If the words cannot load, the language stays as it is and can be chosen again.
            onClick={() => void setLocale(language.locale).catch(() => undefined)}
          >
            {language.name}
          </button>
        )}
      </For>
    </fieldset>
  );
}
