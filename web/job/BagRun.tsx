import { For, type JSX, Show } from "solid-js";
import { tagName } from "../../core/gatt/tag-name.ts";
import type { Journey } from "../../sdk/index.ts";
import { type I18n, useI18n } from "../i18n/index.tsx";
import { type Bag, olderTagsOf } from "../state/bags.ts";
import { Button, Icon, Notice } from "../ui/Controls.tsx";
import { type TagJob, tagAt } from "./create-tag-job.ts";
import { jobAt } from "./tag-job.ts";
import "./bag-run.css";

interface BagRunProps {
  /** The passenger's own journey, then those of the same booking. */
  readonly journeys: readonly Journey[];
  /** The bag whose turn it is. */
  readonly bag: Bag;
  readonly job: TagJob;
}

/** Every bag in turn and the tag it is on: bag 1 → EBT-0001 ✓, now bag 2. */
export function BagRun(props: BagRunProps): JSX.Element {
  const { t } = useI18n();
  const bags = () =>
    props.journeys.flatMap(({ baggage, passenger }) =>
      baggage.map((bag, index) => ({ bag, number: index + 1, name: passenger.givenName })),
    );
  const isNow = (bag: Bag) => bag.baggageId === props.bag.baggageId;
  const isDone = (bag: Bag) =>
    isNow(bag) ? jobAt(props.job.now(), "done", "pending") !== undefined : bag.attachedDevice !== undefined;
  const isPending = (bag: Bag) => isNow(bag) && props.job.now().at === "pending";
  /** The current bag's new tag, not the one that it may leave. */
  const tagOf = (bag: Bag) => {
    if (!isNow(bag)) return bag.attachedDevice && tagName(bag.attachedDevice);
    return jobAt(props.job.now(), "ready", "failed") ? undefined : tagAt(props.job);
  };
  return (
    <ol class="run" aria-label={bags().length > 1 ? t("journey.run", bags().length) : t("journey.bags", 1)}>
      <For each={bags()}>
        {({ bag, number, name }) => (
          <li
            aria-current={isNow(bag) ? "step" : undefined}
            data-done={isDone(bag) && !isPending(bag) ? "" : undefined}
          >
            <span class="run-bag">
              <Show when={props.journeys.length > 1}>
                <bdi>{name}</bdi>{" "}
              </Show>
              {t("bag.title", number)}
            </span>
            <Show when={tagOf(bag)}>
              {(tag) => (
                <span class="run-tag">
                  <Icon name="arrow" class="run-arrow" />
                  <bdi>{tag()}</bdi>
                </span>
              )}
            </Show>
            <Show when={isDone(bag)}>
              <Icon name={isPending(bag) ? "clock" : "check"} />
              <span class="sr-only">{t(isPending(bag) ? "outbox.confirming" : "stepState.done")}</span>
            </Show>
          </li>
        )}
      </For>
    </ol>
  );
}

/** The first bag of these journeys without a tag. */
export function nextOf(journeys: readonly Journey[]) {
  for (const journey of journeys) {
    const index = journey.baggage.findIndex(({ attachedDevice }) => attachedDevice === undefined);
    const bag = journey.baggage[index];
    if (bag) return { journey, bag, number: index + 1 };
  }
  return undefined;
}

export type Turn = NonNullable<ReturnType<typeof nextOf>>;

/** On to the next bag without a tag: of this passenger, then of the same booking. Nothing if there is none. */
export function NextBag(props: {
  readonly booking: readonly Journey[];
  readonly onNext: (turn: Turn) => void;
}): JSX.Element {
  const { t } = useI18n();
  const words = ({ journey, number }: Turn) =>
    journey.journeyId === props.booking[0]?.journeyId
      ? t("job.nextBag", number)
      : t("job.nextBagOf", journey.passenger.givenName, number);
  return (
    <Show when={nextOf(props.booking)}>
      {(turn) => (
        <Button kind="primary" wide onClick={() => props.onNext(turn())}>
          {words(turn())}
        </Button>
      )}
    </Show>
  );
}

/** Tags on which the bag was before its newest: each is to be cleared. */
export function OlderTags(props: {
  readonly bag: Bag;
  readonly clear: (tag: string) => JSX.Element;
}): JSX.Element {
  const { t } = useI18n();
  return (
    <For each={olderTagsOf(props.bag)}>
      {(tag) => (
        <Notice tone="warn" title={t("passenger.run.alsoOn", tagName(tag))} actions={props.clear(tag)} />
      )}
    </For>
  );
}

interface OtherBagProps {
  readonly job: TagJob;
  /** The passenger's own journey, then those of the same booking: the tag may carry a bag of theirs. */
  readonly booking: readonly Journey[];
  /** The bag that is to be put on the tag. */
  readonly bag: Bag;
  /** The bag that is on it, which may be of another journey; undefined: another person's label. */
  readonly baggageId: number | undefined;
}

const numberIn = (journey: Journey | undefined, id: number | undefined) =>
  (journey?.baggage.findIndex(({ baggageId }) => baggageId === id) ?? -1) + 1;

/** What the tag shows: the heading above {@link OtherBag}. */
export function otherBagTitle(
  t: I18n["t"],
  booking: readonly Journey[],
  baggageId: number | undefined,
): string {
  if (baggageId === undefined) return t("passenger.otherBag.labelTitle");
  const owner = booking.find((journey) => numberIn(journey, baggageId) > 0);
  if (owner === undefined) return t("passenger.otherBag.titleOther");
  const number = numberIn(owner, baggageId);
  return owner === booking[0]
    ? t("passenger.otherBag.title", number)
    : t("passenger.otherBag.titleOf", owner.passenger.givenName, number);
}

/** A tag shows one label: the person decides whether it is replaced. */
export function OtherBag(props: OtherBagProps): JSX.Element {
  const { t } = useI18n();
  const isLabel = () => props.baggageId === undefined;
  const body = () => {
    if (isLabel()) return t("passenger.otherBag.labelBody");
    const own = numberIn(props.booking[0], props.baggageId);
    return own > 0 ? t("passenger.otherBag.body", own) : t("passenger.otherBag.bodyOther");
  };
  return (
    <Notice
      tone="warn"
      icon="tag"
      actions={
        <>
          <Button kind="primary" onClick={props.job.choose}>
            {t("passenger.otherBag.another")}
          </Button>
          <Button onClick={props.job.accept}>
            {isLabel()
              ? t("passenger.otherBag.replace")
              : t("passenger.otherBag.move", numberIn(props.booking[0], props.bag.baggageId))}
          </Button>
          <Show when={!isLabel()}>
            <Button kind="quiet" onClick={props.job.cancel}>
              {t("app.cancel")}
            </Button>
          </Show>
        </>
      }
    >
      <p>{body()}</p>
    </Notice>
  );
}
