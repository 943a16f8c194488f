import { type Accessor, type JSX, onMount, Show } from "solid-js";
import { useI18n } from "../i18n/index.tsx";
import { BookingFields, createBookingForm } from "../job/BookingFields.tsx";
import { ErrorSlot } from "../job/ErrorPanel.tsx";
import { createScan } from "../state/create-scan.ts";
import { Button } from "../ui/Button.tsx";
import { Notice } from "../ui/Notice.tsx";
import { Keyboard } from "./Keyboard.tsx";
import { useKiosk } from "./kiosk-state.tsx";
import { Screen } from "./Screen.tsx";
import { contentOf } from "./scans.ts";

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
      <div class="kiosk-camera" data-open={scan.state() === "looking" ? "" : undefined}>
        <video ref={video} playsinline muted aria-label={t("passenger.scan.picture")} />
      </div>
      <p class="soft" role="status">
        <Show when={!scan.problem()}>
          {t(scan.state() === "looking" ? "passenger.scan.searching" : "passenger.scan.opening")}
        </Show>
      </p>
      <Show when={scan.problem()}>
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
