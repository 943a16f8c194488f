import { createSignal, type JSX, lazy, Show, Suspense } from "solid-js";
import { useI18n } from "../i18n/index.tsx";
import { useAppState } from "../state/app-state.tsx";
import { waiting } from "../state/create-outbox.ts";
import { Button, Notice } from "../ui/Controls.tsx";

/** Loaded with the first of them, not with the first screen. */
const RareNotices = lazy(async () => ({ default: (await import("./RareNotices.tsx")).RareNotices }));

/**
 * Entries that wait for the service, commits that only their tag can resolve, entries that were refused for good, and tags
 * that were taken from bags of the trip. Hidden while a job runs.
 */
export function OutboxNotice(): JSX.Element {
  const { t } = useI18n();
  const { outbox, jobs, journeys } = useAppState();
  const count = () => (jobs() ? 0 : waiting(outbox.entries()).length);
  const isRare = () =>
    outbox.dropped() ||
    outbox.unresolved.notCommitted() ||
    outbox.unresolved.entries().length ||
    journeys.latest()?.journey.baggage.some(({ lockEnded }) => lockEnded);
  return (
    <div class="notices" role="status">
      <Show when={count()}>
        <Notice icon="clock" title={t("outbox.waiting", count())} actions={<ConfirmNow />}>
          <p class="small soft">{t("job.pending")}</p>
        </Notice>
      </Show>
      <Show when={isRare()}>
        <Suspense>
          <RareNotices />
        </Suspense>
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
