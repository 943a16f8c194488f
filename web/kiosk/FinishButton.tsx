import { type JSX, onCleanup, onMount } from "solid-js";
import { useI18n } from "../i18n/index.tsx";
import { Button } from "../ui/Button.tsx";
import { useKiosk } from "./kiosk-state.tsx";

/** Ends the visit, in place of the bar's button. */
export function FinishButton(props: { readonly kind: "primary" | "secondary" }): JSX.Element {
  const { t } = useI18n();
  const { finish, finishing } = useKiosk();
  onMount(() => onCleanup(finishing.hold()));
  return (
    <div class="kiosk-finish">
      <Button kind={props.kind} wide onClick={finish}>
        {t("kiosk.journey.done")}
      </Button>
    </div>
  );
}
