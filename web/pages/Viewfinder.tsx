import { type JSX, Show } from "solid-js";
import { useI18n } from "../i18n/index.tsx";
import type { Scan } from "../state/create-scan.ts";
import { Button } from "../ui/Button.tsx";

/** The camera's picture, with a frame to aim by and a switch for the light if there is one. */
export function Viewfinder(props: {
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
      <Show when={props.scan.torch()}>
        {(torch) => (
          <div class="viewfinder-light">
            <Button onClick={() => torch()(!props.scan.lit())}>
              {props.scan.lit() ? t("passenger.scan.lightOff") : t("passenger.scan.lightOn")}
            </Button>
          </div>
        )}
      </Show>
    </div>
  );
}
