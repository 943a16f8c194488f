import { useNavigate } from "@solidjs/router";
import { createEffect, For, type JSX, onMount, Show } from "solid-js";
import { tagName } from "../../core/gatt/tag-name.ts";
import type { Journey } from "../../sdk/index.ts";
import { useI18n, Words } from "../i18n/index.tsx";
import { ErrorPanel } from "../job/ErrorPanel.tsx";
import { UnresolvedCommits } from "../job/UnresolvedCommits.tsx";
import { useAppState } from "../state/app-state.tsx";
import { isAbout } from "../state/bag-state.ts";
import { type Bag, hasArrived } from "../state/bags.ts";
import { createRequest } from "../state/create-request.ts";
import { createDelegations } from "../state/delegations.ts";
import { Button, ButtonLink, Notice } from "../ui/Controls.tsx";

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

type Ended = NonNullable<Journey["baggage"][number]["lockEnded"]>;

/** A bag's tag that no holder unlocked: when, by what kind of hand, and what to do. */
function TakenNotice(props: { readonly ended: Ended; readonly actions?: JSX.Element }): JSX.Element {
  const { t, dateTime } = useI18n();
  const reason = () => {
    const { reason: end } = props.ended;
    return end === "holder" || end === "superseded" ? "voided" : end;
  };
  return (
    <Notice
      tone="warn"
      title={t("passenger.taken.title", tagName(props.ended.uniqueDeviceId))}
      actions={props.actions}
    >
      <p class="small">{t(`passenger.taken.${reason()}`, dateTime(Date.parse(props.ended.at)))}</p>
    </Notice>
  );
}

/** Over another person's journey: what this phone is there for, and the delegation's end. */
export function DelegateNotice(props: { readonly delegationId: string }): JSX.Element {
  const { t } = useI18n();
  const { load, journeys } = useAppState();
  const navigate = useNavigate();
  const request = createRequest();
  const asked = createDelegations(load);
  onMount(() => void asked.refresh());
  createEffect(() => {
    const isThere = asked.all()?.some(({ delegationId }) => delegationId === props.delegationId) ?? true;
    if (isThere) return;
    journeys.forget();
    navigate("/with", { replace: true, state: { ended: true } });
  });
  const end = () =>
    void request
      .send(async () => (await load()).delegations.decide(props.delegationId, false))
      .then(asked.refresh);
  return (
    <Words part="passenger">
      <Notice
        title={t("passenger.delegate.forOther")}
        actions={
          <Button busy={request.working()} onClick={end}>
            {t("passenger.delegate.end")}
          </Button>
        }
      >
        <p>{t("passenger.delegate.forOtherBody")}</p>
        <Show when={request.error()}>{(problem) => <ErrorPanel error={problem()} />}</Show>
      </Notice>
    </Words>
  );
}
