import { type JSX, Show } from "solid-js";
import type { Journey } from "../../sdk/index.ts";
import { useI18n } from "../i18n/index.tsx";
import { useAppState } from "../state/app-state.tsx";
import { type Bag, hasArrived } from "../state/bags.ts";
import { Notice } from "../ui/Notice.tsx";
import { TakenNotice } from "./TakenNotice.tsx";

/** What other people did to a bag or, until it has landed, to its tag. A delegate gets no news of finders. */
export function BagNotices(props: { readonly journey: Journey; readonly bag: Bag }): JSX.Element {
  const { journeys } = useAppState();
  return (
    <>
      <Show when={!hasArrived(props.journey, journeys.now())}>
        <Show when={props.bag.lockEnded}>{(ended) => <TakenNotice ended={ended()} />}</Show>
        <Attempts bag={props.bag} />
      </Show>
      <Show when={!props.journey.delegationId && props.bag.foundAt}>{(at) => <Found at={at()} />}</Show>
    </>
  );
}

/** Another person has found the bag. */
function Found(props: { readonly at: string }): JSX.Element {
  const { t, dateTime } = useI18n();
  return <Notice tone="good" title={t("passenger.found.reported", dateTime(Date.parse(props.at)))} />;
}

/** Failed custody proofs at this bag's tag. */
function Attempts(props: { readonly bag: Bag }): JSX.Element {
  const { t, dateTime } = useI18n();
  return (
    <Show when={props.bag.failedCustodyProofs}>
      {(failed) => (
        <Notice tone="warn" title={t("passenger.attempts.title", failed().count)}>
          <p class="small">{t("passenger.attempts.body", dateTime(Date.parse(failed().lastAt)))}</p>
        </Notice>
      )}
    </Show>
  );
}
