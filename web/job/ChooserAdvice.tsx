import { For, type JSX, Show } from "solid-js";
import { useI18n, Words } from "../i18n/index.tsx";
import { Button } from "../ui/Controls.tsx";
import { Dialog } from "../ui/Dialog.tsx";
import type { GuidedJob } from "./guide-chooser.ts";

/** What a tag is called on a drawing. */
const SAMPLE = "EBT-0001";

interface SheetProps {
  readonly job: GuidedJob;
  /** The tag's name, if it can only be one. */
  readonly name?: string | undefined;
  readonly paper: boolean;
}

/** How a tag is found in the browser's list; after a list without it, what to try, the likeliest first. */
export function ChooserAdvice(props: SheetProps): JSX.Element {
  return (
    <Show when={props.job.advice()}>
      {(advice) => (
        <Words part="passenger">
          <Show when={advice() === "first"} fallback={<NotInList {...props} />}>
            <First {...props} />
          </Show>
        </Words>
      )}
    </Show>
  );
}

function First(props: SheetProps): JSX.Element {
  const { t } = useI18n();
  const name = () => props.name ?? SAMPLE;
  return (
    <Dialog title={t("passenger.list.title")} onCancel={props.job.close}>
      <TagWithName name={name()} />
      <Numbered
        items={[t("passenger.list.wake"), t("passenger.list.look", name()), t("passenger.list.pair")]}
      />
      <Buttons job={props.job} go={t("passenger.list.show")} />
    </Dialog>
  );
}

function NotInList(props: SheetProps): JSX.Element {
  const { t } = useI18n();
  return (
    <Dialog title={t("passenger.list.closed")} onCancel={props.job.close}>
      <Numbered
        items={[
          t("passenger.list.wakeAgain"),
          t("passenger.list.near"),
          t("passenger.list.allow"),
          t("passenger.list.elsewhere"),
        ]}
      />
      <Show when={props.paper}>
        <p class="soft small">{t("error.paper")}</p>
      </Show>
      <Buttons job={props.job} go={t("passenger.list.again")} />
    </Dialog>
  );
}

function Numbered(props: { readonly items: readonly string[] }): JSX.Element {
  return (
    <ol class="numbered">
      <For each={props.items}>{(item) => <li>{item}</li>}</For>
    </ol>
  );
}

function Buttons(props: { readonly job: GuidedJob; readonly go: string }): JSX.Element {
  const { t } = useI18n();
  return (
    <div class="proof-buttons">
      <Button wide onClick={props.job.close}>
        {t("passenger.list.later")}
      </Button>
      <Button kind="primary" wide autofocus onClick={props.job.show}>
        {props.go}
      </Button>
    </div>
  );
}

/** A tag from the front: its button, pressed, and the name printed below its display. */
function TagWithName(props: { readonly name: string }): JSX.Element {
  return (
    <svg class="tag-named" viewBox="0 0 240 104" aria-hidden="true" direction="ltr">
      <rect class="tag-body" x="1" y="1" width="238" height="102" rx="18" stroke-width="2" />
      <rect class="tag-paper" x="16" y="14" width="150" height="52" rx="4" />
      <text class="tag-named-name" x="91" y="90" text-anchor="middle">
        {props.name}
      </text>
      <circle class="tag-named-ring" cx="202" cy="52" r="24" />
      <circle class="tag-named-button" cx="202" cy="52" r="14" />
    </svg>
  );
}
