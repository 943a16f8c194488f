import { For, type JSX, Show } from "solid-js";
import { tagName } from "../../core/gatt/tag-name.ts";
import type { OutboxEntry } from "../../sdk/index.ts";
import { useI18n } from "../i18n/index.tsx";
import type { TagQuestions as Questions } from "../state/create-outbox.ts";
import { createRequest } from "../state/create-request.ts";
import { Button } from "../ui/Button.tsx";
import { Notice } from "../ui/Notice.tsx";

/** What a page that was closed in the middle could not learn: the person holds the tag near, and it says so. */
export function TagQuestions(props: { readonly questions: Questions }): JSX.Element {
  const { t } = useI18n();
  return (
    <>
      <For each={props.questions.open()}>
        {(question) => <Question questions={props.questions} question={question} />}
      </For>
      <Show when={props.questions.notTaken()}>
        <Notice
          tone="warn"
          title={t("outbox.notTaken")}
          actions={
            <Button kind="quiet" onClick={props.questions.dismiss}>
              {t("outbox.dismiss")}
            </Button>
          }
        >
          <p class="small">{t("outbox.notTakenNext")}</p>
        </Notice>
      </Show>
    </>
  );
}

function Question(props: { readonly questions: Questions; readonly question: OutboxEntry }): JSX.Element {
  const { t } = useI18n();
  const { working, error, send } = createRequest();
  return (
    <Notice
      tone="warn"
      title={t("outbox.asking", tagName(props.question.uniqueDeviceId))}
      actions={
        <>
          <Button busy={working()} onClick={() => void send(() => props.questions.ask(props.question))}>
            {t("outbox.ask")}
          </Button>
          <Button kind="quiet" onClick={() => void props.questions.putAway(props.question)}>
            {t("outbox.askNot")}
          </Button>
        </>
      }
    >
      <p class="small">{t("outbox.askingBody")}</p>
      <Show when={error()}>{(problem) => <p class="small">{t(`errors.${problem().code}.what`)}</p>}</Show>
    </Notice>
  );
}
