import { createSignal, type JSX, Show } from "solid-js";
import { useI18n } from "../i18n/index.tsx";
import { useAppState } from "../state/app-state.tsx";
import { waiting } from "../state/tag-questions.ts";
import { Button } from "../ui/Button.tsx";

/** Tells the service at once what it must still hear, and the person whether it has heard. */
export function ConfirmNow(props: { readonly wide?: boolean }): JSX.Element {
  const { t } = useI18n();
  const { outbox } = useAppState();
  const [asked, setAsked] = createSignal<"no" | "running" | "over">("no");
  const confirm = async () => {
    setAsked("running");
    await outbox.flush().catch(() => undefined);
    setAsked("over");
  };
  return (
    <>
      <Button
        kind="quiet"
        wide={props.wide === true}
        busy={asked() === "running"}
        onClick={() => void confirm()}
      >
        {t(asked() === "running" ? "outbox.confirming" : "outbox.retry")}
      </Button>
      <p class="small soft" role="status">
        <Show when={asked() === "over" && waiting(outbox.entries()).length > 0}>
          {t("outbox.stillWaiting")}
        </Show>
      </p>
    </>
  );
}
