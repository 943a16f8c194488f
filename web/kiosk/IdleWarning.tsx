import { type JSX, Show } from "solid-js";
import { useI18n } from "../i18n/index.tsx";
import { Button } from "../ui/Button.tsx";
import { Dialog } from "../ui/Dialog.tsx";
import { lastSaid } from "./idle.ts";
import { useKiosk } from "./kiosk-state.tsx";

/** Gives a while to show that somebody is still there, by a touch, Enter or Escape. */
export function IdleWarning(): JSX.Element {
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
          {t("kiosk.idle.body", lastSaid(idle.countdown() ?? 0))}
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
