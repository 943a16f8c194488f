import { For, type JSX, Show } from "solid-js";
import { tagName } from "../../core/gatt/tag-name.ts";
import type { OutboxEntry } from "../../sdk/index.ts";
import { useI18n } from "../i18n/index.tsx";
import type { UnresolvedCommits as Unresolved } from "../state/create-outbox.ts";
import { createRequest } from "../state/create-request.ts";
import { Button, Notice } from "../ui/Controls.tsx";

/** Notices of commits whose outcome a closed page could not learn: the person holds the tag near to settle them. */
export function UnresolvedCommits(props: { readonly unresolved: Unresolved }): JSX.Element {
  const { t } = useI18n();
  return (
    <>
      <For each={props.unresolved.entries()}>
        {(entry) => <UnresolvedCommit unresolved={props.unresolved} entry={entry} />}
      </For>
      <Show when={props.unresolved.notCommitted()}>
        <Notice
          tone="warn"
          title={t("outbox.notCommitted")}
          actions={
            <Button kind="quiet" onClick={props.unresolved.dismiss}>
              {t("outbox.dismiss")}
            </Button>
          }
        >
          <p class="small">{t("outbox.notCommittedNext")}</p>
        </Notice>
      </Show>
    </>
  );
}

interface SettleProps {
  readonly unresolved: Unresolved;
  readonly entry: OutboxEntry;
  readonly kind?: "primary" | "secondary";
}

function UnresolvedCommit(props: SettleProps): JSX.Element {
  const { t } = useI18n();
  /** The service has something newer from the tag: it was written again before this was confirmed. */
  const isReused = () => props.entry.unresolved === "stale";
  return (
    <Notice
      tone="warn"
      title={t(
        isReused() ? "passenger.reused.title" : "passenger.unresolved.asking",
        tagName(props.entry.uniqueDeviceId),
      )}
      actions={<SettleButtons {...props} />}
    >
      <p class="small">{t(isReused() ? "passenger.reused.body" : "passenger.unresolved.askingBody")}</p>
    </Notice>
  );
}

/** The two ways to settle a commit, and why the last attempt failed. */
export function SettleButtons(props: SettleProps): JSX.Element {
  const { t } = useI18n();
  const { working, error, send } = createRequest();
  return (
    <>
      <Button
        kind={props.kind ?? "secondary"}
        busy={working()}
        onClick={() => void send(() => props.unresolved.settle(props.entry))}
      >
        {t("passenger.unresolved.ask")}
      </Button>
      <Button kind="quiet" onClick={() => void props.unresolved.dismissEntry(props.entry)}>
        {t("passenger.unresolved.askNot")}
      </Button>
      <Show when={error()}>{(problem) => <p class="small">{t(`errors.${problem().code}.what`)}</p>}</Show>
    </>
  );
}
