import { type JSX, onMount, Show } from "solid-js";
import { useI18n } from "../i18n/index.tsx";
import { createScan } from "../state/create-scan.ts";
import { Button } from "../ui/Button.tsx";
import { Notice } from "../ui/Notice.tsx";
import { useKiosk } from "./kiosk-state.tsx";
import { Screen } from "./Screen.tsx";
import { contentOf } from "./scan-content.ts";

/**
 * The camera instead of a scanner; the picture never leaves this device and is gone when the screen closes.
 */
export function CameraScreen(): JSX.Element {
  const { t, ready } = useI18n();
  const { scans, send } = useKiosk();
  let video!: HTMLVideoElement;
  const scan = createScan({
    kinds: ["boarding-pass"],
    accept: (text) => contentOf(text).kind === "boardingPass",
    video: () => video,
    onCode: scans.hear,
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
