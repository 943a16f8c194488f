import { createSignal, type JSX, lazy, Show, Suspense } from "solid-js";
import { useI18n } from "../i18n/index.tsx";
import { useAppState } from "../state/app-state.tsx";
import { waiting } from "../state/create-outbox.ts";
import { Button } from "../ui/Button.tsx";
import { Notice } from "../ui/Notice.tsx";

/** Loaded with the first unresolved commit, not with the first screen. */
const UnresolvedCommits = lazy(async () => ({
  default: (await import("../job/UnresolvedCommits.tsx")).UnresolvedCommits,
}));

/**
 * Entries that wait for the service, commits that only their tag can resolve, and entries that were refused for good.
 * Hidden while a job runs.
 */
export function OutboxNotice(): JSX.Element {
  const { t } = useI18n();
  const { outbox, jobs } = useAppState();
  const { unresolved } = outbox;
  const count = () => (jobs() ? 0 : waiting(outbox.entries()).length);
  return (
    <div class="notices" role="status">
      <Show when={count()}>
        <Notice icon="clock" title={t("outbox.waiting", count())} actions={<ConfirmNow />}>
          <p class="small soft">{t("outbox.waitingBody")}</p>
        </Notice>
      </Show>
      <Show when={!jobs() && (unresolved.entries().length || unresolved.notCommitted())}>
        <Suspense>
          <UnresolvedCommits unresolved={unresolved} />
        </Suspense>
      </Show>
      <Show when={outbox.dropped()}>
        {(dropped) => (
          <Notice
            tone="bad"
            title={t("outbox.dropped")}
            actions={
              <Button kind="quiet" onClick={outbox.dismiss}>
                {t("outbox.dismiss")}
              </Button>
            }
          >
            <p class="small">{t(`errors.${dropped().error.code}.what`)}</p>
            <p class="small">
              {t(dropped().entry.kind === "unlock" ? "outbox.notCommittedNext" : "outbox.droppedNext")}
            </p>
          </Notice>
        )}
      </Show>
    </div>
  );
}

/** Flushes the outbox at once, and shows whether anything still waits. */
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
