import { For, type JSX, Show } from "solid-js";
import type { RememberedTag } from "../../sdk/index.ts";
import { useI18n } from "../i18n/index.tsx";
import { Button } from "../ui/Button.tsx";
import { Notice } from "../ui/Notice.tsx";
import type { TagJob } from "./create-tag-job.ts";

/** More would be a list, and the browser has one. */
const AT_MOST = 2;

/** How to reach the tag: a remembered one by one tap, any other by the browser's list. */
export function Choices(props: {
  readonly job: TagJob;
  readonly kind: "transfer" | "clear";
  /** The tag's name, if it can only be one. */
  readonly name: string | undefined;
  /** Something else is to be done first. */
  readonly isSecond: boolean;
}): JSX.Element {
  const { t } = useI18n();
  const known = () => props.job.remembered().slice(0, AT_MOST);
  const kind = () => (props.isSecond ? "secondary" : "primary");
  /** The tap begins the job: the button says which. */
  const words = (tag: string) => t(props.kind === "clear" ? "clear.titleOf" : "bag.putOn", tag);
  return (
    <>
      <For each={known()}>
        {(tag) => (
          <Button kind={kind()} wide onClick={() => props.job.reach(tag)}>
            {words(tag.name)}
          </Button>
        )}
      </For>
      <Show
        when={known().length > 0}
        fallback={
          <Button kind={kind()} wide onClick={props.job.choose}>
            {props.name ? words(props.name) : t("job.choose")}
          </Button>
        }
      >
        <Button wide onClick={props.job.choose}>
          {t("passenger.remembered.other")}
        </Button>
      </Show>
    </>
  );
}

/** The remembered tag did not answer: try again, or use the list. */
export function OutOfReach(props: {
  readonly job: TagJob;
  readonly tag: RememberedTag;
  readonly paper: boolean;
}): JSX.Element {
  const { t } = useI18n();
  return (
    <Notice
      tone="bad"
      title={t("passenger.remembered.away", props.tag.name)}
      actions={
        <>
          <Button kind="primary" onClick={() => props.job.reach(props.tag)}>
            {t("app.again")}
          </Button>
          <Button onClick={props.job.choose}>{t("passenger.remembered.other")}</Button>
        </>
      }
    >
      <p>{t("passenger.remembered.awayNext")}</p>
      <Show when={props.paper}>
        <p class="error-paper">{t("error.paper")}</p>
      </Show>
    </Notice>
  );
}
