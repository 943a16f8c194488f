import { createSignal, type JSX, onMount, Show } from "solid-js";
import { useI18n } from "../i18n/index.tsx";
import { useAppState } from "../state/app-state.tsx";
import { Button } from "../ui/Button.tsx";
import { Notice } from "../ui/Notice.tsx";

/** Tells that a new version waits; `held` while a job runs, which an update must never interrupt. */
export function UpdateNotice(props: { readonly held: boolean }): JSX.Element {
  const { t } = useI18n();
  const { watchUpdates } = useAppState();
  const [update, setUpdate] = createSignal<() => void>();

  onMount(() => watchUpdates((reload) => setUpdate(() => reload)));

  return (
    <Show when={!props.held && update()}>
      {(reload) => (
        <div class="notices" role="status">
          <Notice
            title={t("update.title")}
            actions={
              <>
                <Button kind="secondary" onClick={() => reload()()}>
                  {t("update.action")}
                </Button>
                <Button kind="quiet" onClick={() => setUpdate(undefined)}>
                  {t("update.later")}
                </Button>
              </>
            }
          />
        </div>
      )}
    </Show>
  );
}
