import { For, type JSX, Show } from "solid-js";
import { tagName } from "../../core/gatt/tag-name.ts";
import { useI18n, Words } from "../i18n/index.tsx";
import { UnresolvedCommits } from "../job/UnresolvedCommits.tsx";
import { useAppState } from "../state/app-state.tsx";
import { isAbout } from "../state/bag-state.ts";
import { hasArrived } from "../state/bags.ts";
import { Button, ButtonLink } from "../ui/Button.tsx";
import { Notice } from "../ui/Notice.tsx";
import { TakenNotice } from "./TakenNotice.tsx";

/** Notices that few visits have; without those that a bag's card on the screen says itself. */
export function RareNotices(): JSX.Element {
  const { outbox, jobs, cards } = useAppState();
  const unresolved = {
    ...outbox.unresolved,
    entries: () =>
      outbox.unresolved.entries().filter((entry) => !cards.shown().some((bag) => isAbout(bag, entry))),
  };
  return (
    <>
      <Show when={!jobs()}>
        <UnresolvedCommits unresolved={unresolved} />
        <Show when={cards.shown().length === 0}>
          <TakenTags />
        </Show>
      </Show>
      <Dropped />
    </>
  );
}

/** What the service refused for good. */
function Dropped(): JSX.Element {
  const { t } = useI18n();
  const { outbox } = useAppState();
  /** The label was written, and then another trip locked its tag. */
  const reused = () => {
    const { entry, error } = outbox.dropped() ?? {};
    return entry?.kind === "attach" && error?.code === "device_locked" ? entry : undefined;
  };
  const dismiss = () => (
    <Button kind="quiet" onClick={outbox.dismiss}>
      {t("outbox.dismiss")}
    </Button>
  );
  return (
    <Show
      when={reused()}
      fallback={
        <Show when={outbox.dropped()}>
          {(dropped) => (
            <Notice tone="bad" title={t("outbox.dropped")} actions={dismiss()}>
              <p class="small">{t(`errors.${dropped().error.code}.what`)}</p>
              <p class="small">
                {t(dropped().entry.kind === "unlock" ? "outbox.notCommittedNext" : "outbox.droppedNext")}
              </p>
            </Notice>
          )}
        </Show>
      }
    >
      {(entry) => (
        <Words part="passenger">
          <Notice
            tone="bad"
            title={t("passenger.reused.title", tagName(entry().uniqueDeviceId))}
            actions={dismiss()}
          >
            <p class="small">{t("passenger.reused.dropped")}</p>
          </Notice>
        </Words>
      )}
    </Show>
  );
}

/** Tags that were taken from bags of the trip, on screens without the bags' cards. */
function TakenTags(): JSX.Element {
  const { t } = useI18n();
  const { journeys } = useAppState();
  const journey = () => journeys.latest()?.journey;
  const taken = () => {
    const known = journey();
    if (known === undefined || hasArrived(known, journeys.now())) return [];
    return known.baggage.flatMap(({ lockEnded }) => lockEnded ?? []);
  };
  return (
    <Words part="passenger">
      <For each={taken()}>
        {(ended) => (
          <TakenNotice
            ended={ended}
            actions={<ButtonLink href={`/journeys/${journey()?.journeyId}`}>{t("job.toJourney")}</ButtonLink>}
          />
        )}
      </For>
    </Words>
  );
}
