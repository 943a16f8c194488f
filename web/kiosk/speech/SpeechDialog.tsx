import { type JSX, Show } from "solid-js";
import { useI18n } from "../../i18n/index.tsx";
import { Button } from "../../ui/Button.tsx";
import { Dialog } from "../../ui/Dialog.tsx";
import { Notice } from "../../ui/Notice.tsx";
import { useKiosk } from "../kiosk-state.tsx";
import { speechOf } from "../setup-store.ts";

/** Whether others can listen: the person who starts speech is asked, because browsers do not report headphones. */
export function SpeechDialog(): JSX.Element {
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
export function SpeechStatus(): JSX.Element {
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
