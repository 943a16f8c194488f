import { useNavigate } from "@solidjs/router";
import { createSignal, type JSX, Match, onMount, Show, Switch } from "solid-js";
import { asTaglatchError, type TaglatchError } from "../../sdk/index.ts";
import { useI18n } from "../i18n/index.tsx";
import { ErrorPanel } from "../job/ErrorPanel.tsx";
import { useAppState } from "../state/app-state.tsx";
import { createScan, looksLikeBoardingPass } from "../state/create-scan.ts";
import { Button, ButtonLink } from "../ui/Button.tsx";
import { Notice } from "../ui/Notice.tsx";
import { Page } from "./Page.tsx";
import { Viewfinder } from "./Viewfinder.tsx";
import "./scan.css";

/** A journey by its boarding pass: by camera, or from a photo of it. A pass is a look-up, never a proof of custody. */
export function ScanPage(): JSX.Element {
  const { t } = useI18n();
  const { journeys, prepare } = useAppState();
  const navigate = useNavigate();
  const [finding, setFinding] = createSignal(false);
  const [error, setError] = createSignal<TaglatchError>();
  let video!: HTMLVideoElement;
  let file!: HTMLInputElement;

  const find = async (scanData: string) => {
    setFinding(true);
    setError(undefined);
    try {
      const found = await journeys.scan(scanData);
      if (found.ok) return navigate(`/journeys/${found.value.journeyId}`);
      setError(found.error);
    } catch (thrown) {
      setError(asTaglatchError(thrown));
    }
    setFinding(false);
  };

  const scan = createScan({
    kinds: ["boarding-pass"],
    accept: looksLikeBoardingPass,
    video: () => video,
    onCode: (text) => {
      navigator.vibrate?.(60);
      void find(text);
    },
  });
  const start = () => {
    setError(undefined);
    scan.open();
  };
  const choose = (input: HTMLInputElement) => {
    const [photo] = input.files ?? [];
    // The same photo may be chosen again.
    input.value = "";
    setError(undefined);
    if (photo) scan.photo(photo);
  };
  const open = () => scan.state() === "opening" || scan.state() === "looking";
  const doing = () => {
    if (finding()) return t("passenger.scan.finding");
    if (scan.state() === "opening") return t("passenger.scan.opening");
    if (scan.state() === "reading") return t("passenger.scan.readingPhoto");
    if (scan.strange()) return t("passenger.camera.not_boarding_pass.what");
    return scan.slow() ? t("passenger.scan.slow") : t("passenger.scan.searching");
  };

  onMount(() => {
    prepare();
    scan.openIfAllowed();
  });

  return (
    <Page
      title={t("passenger.scan.title")}
      lead={open() ? undefined : t("passenger.scan.lead")}
      back={{ href: "/", label: t("job.toStart") }}
      working={open()}
    >
      <div role="alert" class="alert-slot">
        <Switch>
          <Match when={error()}>{(problem) => <ErrorPanel error={problem()} />}</Match>
          <Match when={scan.problem()}>
            {(problem) => (
              <Notice tone="bad" title={t(`passenger.camera.${problem()}.what`)}>
                <p>{t(`passenger.camera.${problem()}.next`)}</p>
              </Notice>
            )}
          </Match>
        </Switch>
      </div>
      <section class="card scan" data-open={open() ? "" : undefined}>
        <Viewfinder open={open()} scan={scan} video={(element) => (video = element)} />
        <Show when={open() || finding() || scan.state() === "reading"}>
          <p class="scan-doing" role="status">
            {doing()}
          </p>
        </Show>
        <Show
          when={!open()}
          fallback={
            <Button wide onClick={scan.close}>
              {t("passenger.scan.stop")}
            </Button>
          }
        >
          <p class="soft small">{t("passenger.scan.privacy")}</p>
          <Button kind="primary" wide busy={finding() || scan.state() === "reading"} onClick={start}>
            {error() || scan.problem() ? t("passenger.scan.again") : t("passenger.scan.open")}
          </Button>
        </Show>
        <Button kind="quiet" wide busy={finding()} onClick={() => file.click()}>
          {t("passenger.scan.photo")}
        </Button>
        <input
          ref={file}
          type="file"
          accept="image/*"
          hidden
          onChange={(event) => choose(event.currentTarget)}
        />
      </section>
      <div>
        <ButtonLink href="/" kind="quiet">
          {t("passenger.scan.type")}
        </ButtonLink>
      </div>
    </Page>
  );
}
