import { For, type JSX, Show } from "solid-js";
import { tagName } from "../../core/gatt/tag-name.ts";
import type { OutboxEntry } from "../../sdk/index.ts";
import { useI18n } from "../i18n/index.tsx";
import { UnresolvedCommits } from "../job/UnresolvedCommits.tsx";
import { waiting } from "../state/create-outbox.ts";
import { createRequest } from "../state/create-request.ts";
import { Button } from "../ui/Button.tsx";
import { Notice } from "../ui/Notice.tsx";
import { useKiosk } from "./kiosk-state.tsx";
import { Screen } from "./Screen.tsx";

/** What waits for the service: tags and bag numbers, no names. */
export function QueueScreen(): JSX.Element {
  const { t } = useI18n();
  const { outbox } = useKiosk();
  const { working, send } = createRequest();
  const retry = async () => {
    // What fails stays in the queue, which shows it.
    if (!working()) await send(async () => ({ ok: true, value: await outbox.flush() }));
  };
  return (
    <Screen
      title={t("kiosk.queue.title")}
      lead={waiting(outbox.entries()).length > 0 ? t("kiosk.queue.lead") : undefined}
      narrow
    >
      <Show when={outbox.dropped()}>
        {(dropped) => (
          <Notice
            tone="bad"
            title={t("outbox.dropped")}
            actions={<Button onClick={outbox.dismiss}>{t("outbox.dismiss")}</Button>}
          >
            <p>{t(`errors.${dropped().error.code}.what`)}</p>
          </Notice>
        )}
      </Show>
      <UnresolvedCommits unresolved={outbox.unresolved} />
      <Show
        when={waiting(outbox.entries()).length > 0}
        fallback={<Notice tone="good" title={t("kiosk.queue.empty")} />}
      >
        <ul class="queue">
          <For each={waiting(outbox.entries())}>{(entry) => <Entry entry={entry} />}</For>
        </ul>
        <Button kind="primary" wide busy={working()} onClick={() => void retry()}>
          {t(working() ? "outbox.confirming" : "outbox.retry")}
        </Button>
      </Show>
    </Screen>
  );
}

function Entry(props: { readonly entry: OutboxEntry }): JSX.Element {
  const { t, dateTime } = useI18n();
  const what = () => {
    const { kind, baggageId } = props.entry;
    return kind === "unlock" ? t("kiosk.queue.unlock") : t("kiosk.queue.attach", String(baggageId));
  };
  return (
    <li class="queue-entry">
      <span class="queue-tag code">{tagName(props.entry.uniqueDeviceId)}</span>
      <span>{what()}</span>
      <span class="soft">{t("kiosk.queue.since", dateTime(props.entry.createdAt))}</span>
      <span class="soft">{t("kiosk.queue.tries", props.entry.tries)}</span>
    </li>
  );
}
