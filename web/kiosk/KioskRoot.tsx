import {
  type Component,
  createEffect,
  createSignal,
  type JSX,
  lazy,
  Match,
  onMount,
  Show,
  Suspense,
  Switch,
} from "solid-js";
import { createVirtualTagSwitch, VirtualTags } from "../desk/virtual-tags/VirtualTags.tsx";
import { useI18n, Words } from "../i18n/index.tsx";
import { keepFiles } from "../service-worker/extra-files.ts";
import type { WatchUpdates } from "../service-worker/watch-updates.ts";
import { Button, ButtonLink, Notice } from "../ui/Controls.tsx";
import { Dialog } from "../ui/Dialog.tsx";
import { Wordmark } from "../ui/Wordmark.tsx";
import { AttractScreen, CameraScreen, FindingScreen, ProblemScreen, TypingScreen } from "./FindScreens.tsx";
import { isVisit, type Screen as ScreenName } from "./flow.ts";
import { createChime, lastAnnounced } from "./idle.ts";
import { JourneyScreen } from "./JourneyScreen.tsx";
import { createKeypad } from "./keys.ts";
import { type KioskParts, KioskProvider, useKiosk } from "./kiosk-state.tsx";
import { ReleaseScreen } from "./ReleaseScreen.tsx";
import { Screen } from "./Screen.tsx";
import { SetupScreen } from "./SetupScreen.tsx";
import { QueueScreen, SignInScreen, StaffMenu } from "./StaffScreens.tsx";
import { openSetupStore, speechOf } from "./setup.ts";
import { ClearScreen, WriteScreen } from "./TagScreens.tsx";
import { preventCopies } from "./visit.ts";
import "./tokens.css";
import "./kiosk.css";
import "./attract.css";
import "./kiosk-parts.css";

/** Own key, session and queue: a kiosk and a passenger on one origin share nothing. */
const DATABASE = "taglatch-kiosk";

const createClient = async (clientKey?: string) => {
  const { createTaglatch } = await import("../state/sdk-client.ts");
  const key = clientKey === undefined ? {} : { clientKey };
  return createTaglatch({ baseUrl: "", audience: "kiosk", databaseName: DATABASE, ...key });
};

interface KioskRootProps {
  readonly watchUpdates: WatchUpdates;
  readonly isDevelopment: () => Promise<boolean>;
}

/** The kiosk with its real parts; the one entrance of its chunk. */
export function KioskRoot(props: KioskRootProps): JSX.Element {
  const parts = {
    setup: openSetupStore(),
    createClient,
    watchUpdates: (found: Parameters<WatchUpdates>[0]) => props.watchUpdates(found),
    chime: createChime(),
    isDevelopment: () => props.isDevelopment(),
  };
  // The next person may choose any language.
  onMount(() => keepFiles(["kiosk", "words"]));
  return <KioskApp parts={parts} />;
}

/** The kiosk: a tree of its own beside the passenger's pages, with one address and no history. */
export function KioskApp(props: { readonly parts: KioskParts }): JSX.Element {
  const isSetup = /\/setup\/?$/i.test(location.pathname);
  return (
    <Words part="kiosk">
      <Show
        when={isSetup}
        fallback={
          <KioskProvider parts={props.parts}>
            <KioskFrame isDevelopment={props.parts.isDevelopment} />
          </KioskProvider>
        }
      >
        <SetupScreen parts={props.parts} onDone={() => location.replace(kioskAddress())} />
      </Show>
    </Words>
  );
}

/** A kiosk that is set up with `?sim` has virtual tags. */
const kioskAddress = () => (new URLSearchParams(location.search).has("sim") ? "/kiosk?sim" : "/kiosk");

const TracingScreen = lazy(async () => ({ default: (await import("./TracingScreen.tsx")).TracingScreen }));

/**
 * What surrounds every screen: a bar, the message about a scan, the warning. Nothing can be copied or dragged
 * out of it.
 */
function KioskFrame(props: { readonly isDevelopment: () => Promise<boolean> }): JSX.Element {
  const virtualTags = createVirtualTagSwitch(props.isDevelopment);
  preventCopies();
  createKeypad(createBack());
  return (
    <div class="kiosk-shell" data-panel={virtualTags.open() ? "" : undefined}>
      <div class="kiosk">
        <Bar />
        <main class="kiosk-main">
          <CurrentScreen />
        </main>
        <NoticeLine />
        <IdleWarning />
        <SpeechDialog />
      </div>
      <VirtualTags tags={virtualTags} />
    </div>
  );
}

/** To the journey; where there is none, to the button that ends the visit, which asks for one more key. */
function createBack(): () => void {
  const { screen, visit, isWriting, send } = useKiosk();
  return () => {
    if (!isVisit(screen()) || isWriting()) return;
    if (visit.journey() && screen() !== "journey") send("journey");
    else
      [...document.querySelectorAll<HTMLElement>(".kiosk-bar-end button, .kiosk-finish button")]
        .at(-1)
        ?.focus();
  };
}

function Bar(): JSX.Element {
  const { t } = useI18n();
  const { screen, settings, shift, visit, isWriting, finishing, finish } = useKiosk();
  const [staff, setStaff] = createSignal(false);
  const isStaffed = () => screen() === "attract" && shift.state() !== "out";
  // Not there when the next shift begins.
  createEffect(() => {
    if (!isStaffed()) setStaff(false);
  });
  return (
    <header class="kiosk-bar">
      <Wordmark />
      <Show when={settings()}>{(known) => <span class="kiosk-place">{known().name}</span>}</Show>
      {/* Not where "Finish" was: a second touch must not open the staff menu. */}
      <Show when={isStaffed()}>
        <div class="kiosk-staff">
          <Button kind="quiet" onClick={() => setStaff(true)}>
            {t("kiosk.attract.staff")}
          </Button>
        </div>
      </Show>
      <div class="kiosk-bar-end">
        <SpeechStatus />
        <Show when={isVisit(screen()) && !isWriting() && !finishing.isHeld()}>
          <Button onClick={finish}>{t(visit.journey() ? "kiosk.journey.done" : "job.toStart")}</Button>
        </Show>
      </div>
      <Show when={isStaffed() && staff()}>
        <StaffMenu onClose={() => setStaff(false)} />
      </Show>
    </header>
  );
}

/** The screens that need nothing but their turn. */
const SCREENS: Partial<Record<ScreenName, Component>> = {
  signIn: SignInScreen,
  attract: AttractScreen,
  typing: TypingScreen,
  camera: CameraScreen,
  finding: FindingScreen,
  problem: ProblemScreen,
  clearing: ClearScreen,
  releasing: ReleaseScreen,
  queue: QueueScreen,
};

function CurrentScreen(): JSX.Element {
  const { t } = useI18n();
  const { screen, visit } = useKiosk();
  return (
    <Switch fallback={<p class="page-lead">{t("app.loading")}</p>}>
      <Match when={SCREENS[screen()]} keyed>
        {(Current) => <Current />}
      </Match>
      <Match when={screen() === "unset"}>
        <Screen title={t("kiosk.unset.title")} lead={t("kiosk.unset.lead")} narrow>
          <ButtonLink kind="primary" href="/kiosk/setup">
            {t("kiosk.setup.title")}
          </ButtonLink>
        </Screen>
      </Match>
      <Match when={screen() === "journey" && visit.journey()}>
        {(journey) => <JourneyScreen journey={journey()} />}
      </Match>
      <Match when={screen() === "writing" && visit.bag()?.baggageId}>
        {/* Keyed by the bag: the next bag is a new job. */}
        <Show when={visit.bag()?.baggageId} keyed>
          {(_bag) => <WriteScreen />}
        </Show>
      </Match>
      <Match when={screen() === "tracing"}>
        <Suspense>
          <TracingScreen />
        </Suspense>
      </Match>
    </Switch>
  );
}

/** Briefly shows why a scanned code has no effect, or a farewell. */
function NoticeLine(): JSX.Element {
  const { t } = useI18n();
  const { scans, farewell } = useKiosk();
  return (
    <div class="kiosk-notice" role="status">
      <Show when={farewell()}>
        {(words) => (
          <p lang={words().lang} dir="auto">
            {words().text}
          </p>
        )}
      </Show>
      <Show when={scans.notice()}>{(notice) => <p>{t(`kiosk.notice.${notice()}`)}</p>}</Show>
    </div>
  );
}

/** Asks whether the person is still there: a touch, Enter or Escape answers. */
function IdleWarning(): JSX.Element {
  const { t } = useI18n();
  const { idle, finish } = useKiosk();
  return (
    <Show when={idle.countdown() !== undefined}>
      <Dialog title={t("kiosk.idle.title")} onCancel={idle.more}>
        <p class="kiosk-countdown" aria-hidden="true">
          {idle.countdown()}
        </p>
        <p aria-hidden="true">{t("kiosk.idle.body", idle.countdown() ?? 0)}</p>
        {/* Announced now and then, not every second: the countdown is for the eye. */}
        <p role="alert" class="sr-only">
          {t("kiosk.idle.body", lastAnnounced(idle.countdown() ?? 0))}
        </p>
        <div class="kiosk-choices">
          <Show when={idle.canExtend()} fallback={<p>{t("kiosk.idle.last")}</p>}>
            <Button kind="primary" wide autofocus onClick={idle.more}>
              {t("kiosk.idle.more")}
            </Button>
          </Show>
          <Button wide onClick={finish}>
            {t("kiosk.idle.finish")}
          </Button>
        </div>
      </Dialog>
    </Show>
  );
}

/** Whether others can listen: the person who starts speech is asked, because browsers do not report headphones. */
function SpeechDialog(): JSX.Element {
  const { t } = useI18n();
  const { speech, settings } = useKiosk();
  const isAloud = () => speechOf(settings()).offered === "both";
  return (
    <Show when={speech.asking()}>
      <Dialog title={t("kiosk.speech.title")} onCancel={speech.cancel}>
        <p>{t("kiosk.speech.lead")}</p>
        <p class="soft">{t("kiosk.speech.keys")}</p>
        <Show when={!speech.hasVoice()}>
          <Notice tone="warn" title={t("kiosk.speech.noVoice")} />
        </Show>
        <div class="kiosk-choices">
          {/* The first is the choice of a person who chooses before they have listened. */}
          <Show when={isAloud()}>
            <Button kind="primary" wide autofocus onClick={() => speech.choose("public")}>
              {t("kiosk.speech.loudspeaker")}
            </Button>
          </Show>
          <Button
            kind={isAloud() ? "secondary" : "primary"}
            wide
            autofocus={!isAloud()}
            onClick={() => speech.choose("private")}
          >
            {t("kiosk.speech.headphones")}
          </Button>
          <Button wide onClick={speech.end}>
            {t("kiosk.speech.off")}
          </Button>
        </div>
      </Dialog>
    </Show>
  );
}

/** Shows in the bar that the kiosk speaks. */
function SpeechStatus(): JSX.Element {
  const { t } = useI18n();
  const { speech } = useKiosk();
  return (
    <Show when={speech.isOn()}>
      <span class="kiosk-speech">
        <Button kind="quiet" onClick={speech.ask}>
          {t("kiosk.speech.title")}
        </Button>
      </span>
    </Show>
  );
}
