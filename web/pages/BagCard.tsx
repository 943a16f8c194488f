import { useNavigate } from "@solidjs/router";
import { createSignal, For, type JSX, lazy, Show, Suspense } from "solid-js";
import { tagName } from "../../core/gatt/tag-name.ts";
import type { Journey, RememberedTag } from "../../sdk/index.ts";
import { useI18n } from "../i18n/index.tsx";
import { destinationOf } from "../job/destination.ts";
import { previewOf } from "../job/journey-view.ts";
import { useAppState } from "../state/app-state.tsx";
import { type Bag, hasArrived, tagsOf, tagsOfOthers } from "../state/bags.ts";
import { cannotReachTags } from "../state/browser.ts";
import { createDeferredFlag } from "../state/create-deferred-flag.ts";
import { Button } from "../ui/Button.tsx";
import { Badge, Notice } from "../ui/Notice.tsx";
import { TagDrawing } from "../ui/TagDrawing.tsx";
import { LostDialog } from "./LostDialog.tsx";
import { ClearLink } from "./TagLinks.tsx";

const TraceDialog = lazy(async () => ({ default: (await import("./TraceDialog.tsx")).TraceDialog }));

export interface BagCardProps {
  readonly journey: Journey;
  readonly bag: Bag;
  readonly number: number;
  /** The first of those that are still to be done: its button is the one. */
  readonly isNext: boolean;
  readonly online: boolean;
  /** The tags that this browser remembers. */
  readonly remembered: readonly RememberedTag[];
}

/** One bag as the tag it will become, or has become, with the actions for it. */
export function BagCard(props: BagCardProps): JSX.Element {
  const { t, locale } = useI18n();
  const { journeys, writing } = useAppState();
  const navigate = useNavigate();
  // From the cached copy, draw the blank tag with its button first, and its label in a task of its own.
  const isWritten = createDeferredFlag(!journeys.isOld(props.journey.journeyId), setTimeout);
  const face = () => (isWritten() ? previewOf(props.journey, props.bag) : undefined);
  const go = (remembered: RememberedTag | undefined) =>
    navigate(`/journeys/${props.journey.journeyId}/bags/${props.bag.baggageId}`, {
      state: { start: true, ...(remembered && { remembered: { ...remembered } }) },
    });
  const isTurn = () =>
    props.isNext &&
    props.bag.attachedDevice === undefined &&
    props.journey.baggage
      .slice(0, props.number - 1)
      .some(({ attachedDevice }) => attachedDevice !== undefined) &&
    !hasArrived(props.journey, Date.now());
  return (
    <li class="card bag">
      <div class="row row-spread">
        {/* The words of the finished bag's screen: they say why this one is now above one of a lower number. */}
        <h3>{t(isTurn() ? "job.nextBag" : "bag.title", props.number)}</h3>
        <Badges bag={props.bag} isOver={hasArrived(props.journey, Date.now())} />
      </div>
      <Attempts bag={props.bag} />
      <Show when={!props.journey.delegationId && props.online && props.bag.attachedDevice}>
        {(device) => <Story bag={props.bag} device={device()} journeyId={props.journey.journeyId} />}
      </Show>
      <div style={{ "view-transition-name": `tag-${props.bag.baggageId}` }}>
        <TagDrawing
          face={face()}
          preview={props.bag.attachedDevice === undefined}
          label={t("bag.drawing", destinationOf(props.journey, locale()), props.bag.licencePlate)}
        />
      </div>
      <Show when={props.online && !writing().includes(props.bag.baggageId)}>
        <Show
          when={props.bag.attachedDevice}
          fallback={
            <Show when={!cannotReachTags()}>
              <Put {...props} onPut={go} />
            </Show>
          }
        >
          {(device) => (
            <OnTag
              device={device()}
              bag={props.bag}
              number={props.number}
              isDelegate={props.journey.delegationId !== undefined}
              // The same tag or another one: the browser's list asks, or, where tags are remembered, the next screen.
              onPut={() => go(undefined)}
            />
          )}
        </Show>
      </Show>
    </li>
  );
}

interface BadgesProps {
  readonly bag: Bag;
  /** Whether the journey is over: a bag without a tag then needs none. */
  readonly isOver: boolean;
}

/** Announced as they change: also after the screen of the tag's job was left. */
function Badges(props: BadgesProps): JSX.Element {
  const { t } = useI18n();
  const { writing } = useAppState();
  return (
    <div class="bag-badges" role="status">
      <Show
        when={!writing().includes(props.bag.baggageId)}
        fallback={<Badge tone="warn">{t("bag.writing")}</Badge>}
      >
        <TagBadges {...props} />
      </Show>
    </div>
  );
}

function TagBadges(props: BadgesProps): JSX.Element {
  const { t } = useI18n();
  return (
    <>
      <Show
        when={props.bag.attachedDevice}
        fallback={
          <Show when={!props.isOver}>
            <Badge>{t("bag.notOnTag")}</Badge>
          </Show>
        }
      >
        {(device) => (
          <Show
            when={props.bag.lost}
            fallback={<Badge tone="good">{t("bag.onTag", tagName(device()))}</Badge>}
          >
            <Badge tone="warn">{t("passenger.lost.badge", tagName(device()))}</Badge>
          </Show>
        )}
      </Show>
      <For each={props.bag.otherDevices}>
        {(device) => <Badge tone="warn">{t("passenger.run.old", tagName(device))}</Badge>}
      </For>
    </>
  );
}

/** The button that begins the job: it names the tag where only one is possible, and then needs no list. */
function Put(
  props: BagCardProps & { readonly onPut: (tag: RememberedTag | undefined) => void },
): JSX.Element {
  const { t } = useI18n();
  const only = () => {
    const others = tagsOfOthers(props.journey, props.bag).map(tagName);
    const [one, ...more] = props.remembered.filter(({ name }) => !others.includes(name));
    return more.length === 0 ? one : undefined;
  };
  const words = () => {
    const tag = only();
    if (!tag) return { text: t("bag.put"), label: t("bag.putLabel", props.number) };
    const text = t("bag.putOn", tag.name);
    return { text, label: `${text}: ${t("bag.title", props.number)}` };
  };
  return (
    <Button
      kind={hasArrived(props.journey, Date.now()) ? "quiet" : props.isNext ? "primary" : "secondary"}
      wide
      label={words().label}
      onClick={() => props.onPut(only())}
    >
      {words().text}
    </Button>
  );
}

function OnTag(props: {
  readonly device: string;
  readonly bag: Bag;
  readonly number: number;
  /** For a delegate: only the holder may report the tag lost. */
  readonly isDelegate: boolean;
  readonly onPut: () => void;
}): JSX.Element {
  const { t } = useI18n();
  const [asking, setAsking] = createSignal(false);
  const isAway = () => props.bag.foundAt !== undefined || isQuietlyAway(props.bag);
  const named = () =>
    `${t(isAway() ? "passenger.lost.found" : "passenger.lost.report")} (${tagName(props.device)})`;
  /** Where there are two tags, the words name the right one. */
  const lostWords = () =>
    props.bag.otherDevices ? named() : t(isAway() ? "passenger.lost.found" : "passenger.lost.report");
  return (
    <div class="bag-actions">
      <Show when={!cannotReachTags()}>
        <Show
          when={props.bag.otherDevices}
          fallback={<ClearLink device={props.device} text={t("bag.clear")} wide />}
        >
          <For each={tagsOf(props.bag)}>{(tag) => <ClearLink device={tag} wide />}</For>
        </Show>
        <Button kind="quiet" label={t("bag.putAgainLabel", props.number)} onClick={props.onPut}>
          {t("bag.putAgain")}
        </Button>
      </Show>
      <Show when={!props.isDelegate}>
        <Button kind="quiet" label={named()} onClick={() => setAsking(true)}>
          {lostWords()}
        </Button>
      </Show>
      <Show when={asking()}>
        <LostDialog device={props.device} lost={isAway()} onClose={() => setAsking(false)} />
      </Show>
    </div>
  );
}

/** For a bag that is lost or was found: finders' reports, and where it is. */
function Story(props: {
  readonly bag: Bag;
  readonly device: string;
  readonly journeyId: string;
}): JSX.Element {
  const { t, dateTime } = useI18n();
  const [isOpen, setOpen] = createSignal(false);
  const open = () => (
    <Button label={`${t("passenger.found.trace")} (${tagName(props.device)})`} onClick={() => setOpen(true)}>
      {t("passenger.found.trace")}
    </Button>
  );
  return (
    <>
      <Show when={props.bag.foundAt} fallback={<Show when={isQuietlyAway(props.bag)}>{open()}</Show>}>
        {(at) => (
          <Notice
            tone="good"
            title={t("passenger.found.reported", dateTime(Date.parse(at())))}
            actions={open()}
          />
        )}
      </Show>
      <Show when={isOpen()}>
        <Suspense>
          <TraceDialog device={props.device} journeyId={props.journeyId} onClose={() => setOpen(false)} />
        </Suspense>
      </Show>
    </>
  );
}

/** Whether the bag can be traced without a new report: it is lost, or its reports are muted. */
const isQuietlyAway = ({ lost, foundMuted }: Bag) => lost === true || foundMuted === true;

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
