import { type Accessor, For, type JSX, onMount, Show } from "solid-js";
import { useI18n } from "../i18n/index.tsx";
import { LANGUAGES } from "../i18n/languages.ts";
import { BookingFields, createBookingForm } from "../job/BookingFields.tsx";
import { ErrorSlot } from "../job/ErrorPanel.tsx";
import { createOnline } from "../state/browser.ts";
import { createScan } from "../state/create-scan.ts";
import { Button, Icon, Notice } from "../ui/Controls.tsx";
import { useAirlineBrand } from "../ui/Wordmark.tsx";
import { Keyboard } from "./Keyboard.tsx";
import { useKiosk } from "./kiosk-state.tsx";
import { Screen } from "./Screen.tsx";
import { contentOf } from "./scans.ts";

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

interface TroubleProps {
  readonly compact?: boolean;
  readonly next?: Accessor<string | undefined>;
}

/** Why there is no journey, or whose it may be. */
function Trouble({ compact, next }: TroubleProps): JSX.Element {
  const { visit, send } = useKiosk();
  const choose = async (airline: string) => {
    if ((await visit.findOf(airline)) === "done") send("found");
  };
  return <ErrorSlot error={visit.error()} compact={compact} next={next?.()} onAirline={choose} />;
}

/** Record locator and surname by hand. */
export function TypingScreen(): JSX.Element {
  const { t } = useI18n();
  const { visit, send } = useKiosk();
  const form = createBookingForm();

  const submit = async (event: SubmitEvent) => {
    event.preventDefault();
    const booking = form.complete();
    if (booking === undefined || visit.busy()) return;
    const found = await visit.findByName(booking.recordLocator, booking.surname);
    if (found === "done") send("found");
  };

  return (
    <Screen title={t("kiosk.find.title")} lead={`${t("kiosk.find.lead")} ${t("kiosk.find.accents")}`}>
      <form class="card kiosk-typing" noValidate onSubmit={(event) => void submit(event)}>
        <BookingFields form={form} autofocus autofill={false} />
        <Trouble compact />
        <Button type="submit" kind="primary" wide busy={visit.busy()}>
          {visit.busy() ? t("start.finding") : t("start.find")}
        </Button>
        <Keyboard />
      </form>
    </Screen>
  );
}

export function FindingScreen(): JSX.Element {
  const { t } = useI18n();
  return (
    <Screen
      title={t("kiosk.find.finding")}
      mark={<span class="kiosk-spinner" aria-hidden="true" />}
      narrow
      centred
    >
      <p class="sr-only" role="status">
        {t("kiosk.find.finding")}
      </p>
    </Screen>
  );
}

/** The boarding pass led to no journey. */
export function ProblemScreen(): JSX.Element {
  const { t } = useI18n();
  const { visit, send } = useKiosk();
  // Nothing was typed here that could be corrected.
  const next = () => (visit.error()?.code === "journey_not_found" ? t("kiosk.find.scanAgain") : undefined);
  return (
    <Screen title={t(next() ? "kiosk.find.notFound" : "kiosk.find.title")} narrow>
      <Trouble next={next} />
      <Button kind="primary" onClick={() => send("type")}>
        {t("kiosk.attract.type")}
      </Button>
    </Screen>
  );
}

/**
 * The camera instead of a scanner; the picture never leaves this device and is gone when the screen closes.
 */
export function CameraScreen(): JSX.Element {
  const { t, ready } = useI18n();
  const { scans, send } = useKiosk();
  let video!: HTMLVideoElement;
  const scan = createScan({
    accept: (text) => contentOf(text).kind === "boardingPass",
    video: () => video,
    onCode: scans.handle,
  });
  onMount(() => {
    ready("passenger");
    scan.open();
  });
  return (
    <Screen title={t("kiosk.attract.scan")} lead={t("kiosk.attract.scanCamera")} narrow>
      <div class="kiosk-camera" data-open={scan.now().state === "looking" ? "" : undefined}>
        <video ref={video} playsinline muted aria-label={t("passenger.scan.picture")} />
      </div>
      <p class="soft" role="status">
        <Show when={!scan.now().problem}>
          {t(scan.now().state === "looking" ? "passenger.scan.searching" : "passenger.scan.opening")}
        </Show>
      </p>
      <Show when={scan.now().problem}>
        {(problem) => (
          <Notice
            tone="bad"
            title={t(`passenger.camera.${problem()}.what`)}
            actions={
              <Button kind="primary" onClick={scan.open}>
                {t("app.again")}
              </Button>
            }
          >
            {/* A passenger has no photo to choose here, and no settings to change. */}
            <p>{t("errors.invalid_bcbp_format.next")}</p>
          </Notice>
        )}
      </Show>
      <Button onClick={() => send("type")}>{t("kiosk.attract.type")}</Button>
    </Screen>
  );
}
