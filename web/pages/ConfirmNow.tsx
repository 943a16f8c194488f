import { createSignal, type JSX, Show } from "solid-js";
import { useI18n } from "../i18n/index.tsx";
import { useAppState } from "../state/app-state.tsx";
import { waiting } from "../state/create-outbox.ts";
import { Button } from "../ui/Button.tsx";

/** Tells the service at once what it must still hear, and the person whether it has heard. */
export function ConfirmNow(props: { readonly inText?: boolean }): JSX.Element {
  const { t } = useI18n();
  const { outbox } = useAppState();
  const [asked, setAsked] = createSignal<"no" | "running" | "over">("no");
  const isAsking = () => asked() === "running";
  const words = () => t(isAsking() ? "outbox.confirming" : "outbox.retry");
  const confirm = async () => {
    if (isAsking()) return;
    setAsked("running");
    await outbox.flush().catch(() => undefined);
    setAsked("over");
  };
  return (
    <>
      <Show
        when={props.inText}
        fallback={
          <Button kind="quiet" busy={isAsking()} onClick={() => void confirm()}>
            {words()}
          </Button>
        }
      >
        <button type="button" class="link" aria-disabled={isAsking()} onClick={() => void confirm()}>
          {words()}
        </button>{" "}
      </Show>
      <span class="small soft" role="status">
        <Show when={asked() === "over" && waiting(outbox.entries()).length > 0}>
          {t("outbox.stillWaiting")}
        </Show>
      </span>
    </>
  );
}
