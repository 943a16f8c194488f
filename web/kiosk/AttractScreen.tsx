import { For, type JSX, onMount, Show } from "solid-js";
import { useI18n } from "../i18n/index.tsx";
import { LANGUAGES } from "../i18n/languages.ts";
import { createOnline } from "../state/browser.ts";
import { Button } from "../ui/Button.tsx";
import { Icon } from "../ui/Icon.tsx";
import { useAirlineBrand } from "../ui/Wordmark.tsx";
import { useKiosk } from "./kiosk-state.tsx";

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
        <StatusLine />
      </div>
      <ScanScene up={!byScanner()} />
      <Languages />
    </section>
  );
}

/** For staff at a distance: waiting tags, and a missing network. */
function StatusLine(): JSX.Element {
  const { t } = useI18n();
  const { outbox, send } = useKiosk();
  const online = createOnline();
  return (
    <div class="attract-status" role="status">
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

/**
 * A boarding pass that moves towards the scanner: below the screen, or, where only a camera reads, above it. Under reduced
 * motion it is half way there.
 */
function ScanScene(props: { readonly up: boolean }): JSX.Element {
  return (
    <svg class="scene" data-up={props.up ? "" : undefined} viewBox="0 0 240 200" aria-hidden="true">
      <path class="scene-way" d="M102 128l18 14 18-14M102 146l18 14 18-14" />
      <g class="scene-pass">
        <rect class="scene-paper" x="66" y="6" width="108" height="104" rx="10" />
        <path class="scene-print" d="M80 22h52M80 34h34M146 22h14" />
        <path
          class="scene-code"
          d="M82 56v42M89 56v42M100 56v42M107 56v42M118 56v42M129 56v42M136 56v42M147 56v42M158 56v42"
        />
      </g>
      <rect class="scene-scanner" x="30" y="176" width="180" height="16" rx="8" />
    </svg>
  );
}
