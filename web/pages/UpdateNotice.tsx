import { createEffect, createSignal, type JSX, onMount, Show } from "solid-js";
import { useI18n } from "../i18n/index.tsx";
import { type InstallUpdate, useAppState } from "../state/app-state.tsx";
import { Button } from "../ui/Button.tsx";
import { Notice } from "../ui/Notice.tsx";

/**
 * Says that a new version waits; hidden while a job runs, which an update must never interrupt. If a job runs
 * in another window, the update waits for it, and the notice says so.
 */
export function UpdateNotice(props: { readonly isJobRunning: boolean }): JSX.Element {
  const { t } = useI18n();
  const { watchUpdates } = useAppState();
  const [update, setUpdate] = createSignal<InstallUpdate>();
  /** Aborts the wait. */
  const [waiting, setWaiting] = createSignal<AbortController>();

  onMount(() => watchUpdates((install) => setUpdate(() => install)));

  const install = () => {
    const turn = new AbortController();
    void update()?.({ onWait: () => setWaiting(turn), signal: turn.signal });
  };
  const stop = () => {
    waiting()?.abort();
    setWaiting(undefined);
  };
  const later = () => {
    stop();
    setUpdate(undefined);
  };
  // If a job begins here, the question comes again after it.
  createEffect(() => {
    if (props.isJobRunning) stop();
  });

  return (
    <Show when={!props.isJobRunning && update()}>
      <div class="notices" role="status">
        <Notice
          title={t("update.title")}
          actions={
            <>
              <Button kind="secondary" busy={waiting() !== undefined} onClick={install}>
                {t("update.action")}
              </Button>
              <Button kind="quiet" onClick={later}>
                {t("update.later")}
              </Button>
            </>
          }
        >
          <Show when={waiting()}>
            <p class="small">{t("update.waiting")}</p>
          </Show>
        </Notice>
      </div>
    </Show>
  );
}
