import { useNavigate, useSearchParams } from "@solidjs/router";
import { type JSX, Match, onMount, Show, Switch } from "solid-js";
import { glanceAtBcbp } from "../../core/bag/bcbp.ts";
import { useI18n } from "../i18n/index.tsx";
import { ErrorPanel } from "../job/ErrorPanel.tsx";
import { useAppState } from "../state/app-state.tsx";
import { createRequest } from "../state/create-request.ts";
import { createScan, type Scan } from "../state/create-scan.ts";
import { Button, ButtonLink, Notice } from "../ui/Controls.tsx";
import { createHome, Page } from "./Page.tsx";
import "./scan.css";

/**
 * Finds a journey by its boarding pass: by camera, or from a photo. A pass is a look-up, never a proof of
 * custody.
 */
export function ScanPage(): JSX.Element {
  const { t } = useI18n();
  const { prepare } = useAppState();
  const request = createFinding();
  const home = createHome();
  let video!: HTMLVideoElement;
  const scan = createScan({
    // Only boarding passes are sent to the service.
    accept: (text) => glanceAtBcbp(text) !== undefined,
    video: () => video,
    onCode: (text) => {
      navigator.vibrate?.(60);
      request.find(text);
    },
  });
  const open = () => scan.now().state === "opening" || scan.now().state === "looking";
  onMount(() => {
    prepare();
    scan.openIfAllowed();
  });

  return (
    <Page
      title={t("passenger.scan.title")}
      lead={open() ? undefined : t("passenger.scan.lead")}
      back={home()}
      working={open()}
    >
      <Trouble scan={scan} request={request} />
      <section class="card scan" data-open={open() ? "" : undefined}>
        <Viewfinder open={open()} scan={scan} video={(element) => (video = element)} />
        <Doing scan={scan} open={open()} finding={request.working()} />
        <CameraSwitch scan={scan} open={open()} request={request} />
        <Photo scan={scan} request={request} />
      </section>
      <ButtonLink href="/find" kind="quiet" wide>
        {t("passenger.scan.type")}
      </ButtonLink>
    </Page>
  );
}

type Finding = ReturnType<typeof createFinding>;

/** Opens the journey of the scanned pass, or the tag's page for which it was scanned (`?tag=`). */
function createFinding() {
  const { journeys } = useAppState();
  const navigate = useNavigate();
  const { working, error, send, forgetError } = createRequest();
  const [{ tag }] = useSearchParams<{ tag?: string }>();
  let scanned = "";
  const find = (scanData: string, airline?: string) => {
    scanned = scanData;
    void send(
      () => journeys.scan(scanData, { airline }),
      ({ journeyId }) => {
        // Back does not start the camera once more.
        const found = tag === undefined ? `/journeys/${journeyId}` : `/t/${encodeURIComponent(tag)}`;
        navigate(found, { replace: true });
        return new Promise<void>(() => undefined);
      },
    );
  };
  return { working, error, forgetError, find, findOf: (airline: string) => find(scanned, airline) };
}

interface PartProps {
  readonly scan: Scan;
  readonly request: Finding;
}

function Trouble(props: PartProps): JSX.Element {
  const { t } = useI18n();
  return (
    <div role="alert" class="alert-slot">
      <Switch>
        <Match when={props.request.error()}>
          {(problem) => <ErrorPanel error={problem()} onAirline={props.request.findOf} />}
        </Match>
        <Match when={props.scan.now().problem}>
          {(problem) => (
            <Notice tone="bad" title={t(`passenger.camera.${problem()}.what`)}>
              <p>{t(`passenger.camera.${problem()}.next`)}</p>
            </Notice>
          )}
        </Match>
      </Switch>
    </div>
  );
}

function Doing(props: {
  readonly scan: Scan;
  readonly open: boolean;
  readonly finding: boolean;
}): JSX.Element {
  const { t } = useI18n();
  const doing = () => {
    if (props.finding) return t("passenger.scan.finding");
    if (props.scan.now().state === "opening") return t("passenger.scan.opening");
    if (props.scan.now().state === "reading") return t("passenger.scan.readingPhoto");
    if (props.scan.now().strange) return t("passenger.camera.not_boarding_pass.what");
    return props.scan.now().slow ? t("passenger.scan.slow") : t("passenger.scan.searching");
  };
  return (
    <Show when={props.open || props.finding || props.scan.now().state === "reading"}>
      <p class="scan-doing" role="status">
        {doing()}
      </p>
    </Show>
  );
}

function CameraSwitch(props: PartProps & { readonly open: boolean }): JSX.Element {
  const { t } = useI18n();
  const start = () => {
    props.request.forgetError();
    props.scan.open();
  };
  return (
    <Show
      when={!props.open}
      fallback={
        <Button wide onClick={props.scan.close}>
          {t("passenger.scan.stop")}
        </Button>
      }
    >
      <Show when={!props.scan.now().problem}>
        <p class="soft small">{t("passenger.scan.privacy")}</p>
      </Show>
      <Button
        kind="primary"
        wide
        busy={props.request.working() || props.scan.now().state === "reading"}
        onClick={start}
      >
        {t(props.request.error() ? "passenger.scan.again" : "passenger.scan.open")}
      </Button>
    </Show>
  );
}

function Photo(props: PartProps): JSX.Element {
  const { t } = useI18n();
  let file!: HTMLInputElement;
  const choose = (input: HTMLInputElement) => {
    const [photo] = input.files ?? [];
    // Lets the same photo be chosen again.
    input.value = "";
    props.request.forgetError();
    if (photo) props.scan.photo(photo);
  };
  return (
    <>
      <Button kind="quiet" wide busy={props.request.working()} onClick={() => file.click()}>
        {t("passenger.scan.photo")}
      </Button>
      <input
        ref={file}
        type="file"
        accept="image/*"
        hidden
        onChange={(event) => choose(event.currentTarget)}
      />
    </>
  );
}

/** The camera's picture, with a frame to aim by and a switch for the light if there is one. */
function Viewfinder(props: {
  readonly open: boolean;
  readonly scan: Scan;
  readonly video: (element: HTMLVideoElement) => void;
}): JSX.Element {
  const { t } = useI18n();
  return (
    <div class="viewfinder" hidden={!props.open}>
      <video
        ref={(element) => props.video(element)}
        class="viewfinder-picture"
        aria-label={t("passenger.scan.picture")}
        muted
        playsinline
        disablepictureinpicture
      />
      <div class="viewfinder-frame" aria-hidden="true" />
      <p class="viewfinder-aim">{t("passenger.scan.aim")}</p>
      <Show when={props.scan.now().light}>
        <div class="viewfinder-light">
          <Button onClick={() => props.scan.switchLight(!props.scan.now().lit)}>
            {props.scan.now().lit ? t("passenger.scan.lightOff") : t("passenger.scan.lightOn")}
          </Button>
        </div>
      </Show>
    </div>
  );
}
