import { useNavigate } from "@solidjs/router";
import { createSignal, For, Index, type JSX, lazy, Match, Show, Suspense, Switch } from "solid-js";
import { tagName } from "../../core/gatt/tag-name.ts";
import type { Journey, RememberedTag } from "../../sdk/index.ts";
import { useI18n, Words } from "../i18n/index.tsx";
import { createRemembered } from "../job/create-remembered.ts";
import { destinationOf, previewOf } from "../job/journey-view.ts";
import { useAppState } from "../state/app-state.tsx";
import { type BagState, isAbout, needsTag, stateOf } from "../state/bag-state.ts";
import { type Bag, hasArrived, isOver, olderTagsOf, tagsOfOthers, tagsToClear } from "../state/bags.ts";
import { cannotReachTags } from "../state/browser.ts";
import { Badge, Button, ButtonLink, Notice } from "../ui/Controls.tsx";
import { More } from "../ui/Dialog.tsx";
import { TagDrawing } from "../ui/TagDrawing.tsx";
import { createDeferredFlag, optional } from "./later.ts";
import { ClearLink } from "./TagLinks.tsx";

const AddBagDialog = lazy(async () => ({ default: (await import("./AddBagDialog.tsx")).AddBagDialog }));

/** After the last flight: tags that still show it should be cleared, until none does. */
export function TripEnd(props: { readonly journey: Journey }): JSX.Element {
  const { t } = useI18n();
  const { outbox, journeys } = useAppState();
  const count = () => tagsToClear(props.journey, journeys.now()).length;
  const isFinished = () =>
    isOver(props.journey, journeys.now()) &&
    !props.journey.baggage.some(
      (bag) => bag.lost || outbox.unresolved.entries().some((one) => isAbout(bag, one)),
    );
  return (
    <Show
      when={count() > 0}
      fallback={
        <Show when={isFinished()}>
          <Notice tone="good" title={t("passenger.card.finished")} />
        </Show>
      }
    >
      <Notice tone="warn" icon="tag" title={t("passenger.arrival.title")}>
        <p>{t("passenger.arrival.body")}</p>
      </Notice>
    </Show>
  );
}

/** What each bag's card is about. */
function createStates(props: { readonly journey: Journey }) {
  const { outbox, journeys, writing } = useAppState();
  return (bag: Bag) =>
    stateOf(props.journey, bag, {
      now: journeys.now(),
      unresolved: outbox.unresolved.entries(),
      writing: writing(),
      cleared: journeys.lastCleared()?.baggageId,
    });
}

/** The bags in their order, and what can be added to them. */
export function Bags(props: {
  readonly journey: Journey;
  readonly online: boolean;
  /** Otherwise the first bag alone. */
  readonly isWhole: boolean;
  readonly onReload: () => void;
}): JSX.Element {
  const { t } = useI18n();
  const { load, cards, outbox, journeys } = useAppState();
  const { remembered } = createRemembered({ load });
  const bags = () => props.journey.baggage;
  const ids = () => bags().map(({ baggageId }) => baggageId);
  const state = createStates(props);
  const toDo = () => bags().filter((bag) => needsTag(state(bag)) || state(bag) === "landed");
  /** The drawings of bags that are done, and of the next after them, would push its button out of sight. */
  const isCompact = (bag: Bag) => {
    const [next] = toDo();
    const at = next === undefined ? 0 : bags().indexOf(next);
    return state(bag) === "landed" || (at > 0 && bags().indexOf(bag) <= at);
  };
  cards.show(bags);
  return (
    <section class="bags" aria-labelledby="bags">
      <h2 id="bags">{t(toDo().length > 1 ? "journey.run" : "journey.bags", bags().length)}</h2>
      <Show
        when={bags().length > 0}
        fallback={
          <Notice
            title={t("journey.noBags")}
            actions={<Button onClick={props.onReload}>{t("journey.reload")}</Button>}
          >
            <p>{t("journey.noBagsNext")}</p>
          </Notice>
        }
      >
        <ul class="bag-grid">
          {/* By id: a reloaded journey has new objects, and must not replace a button under a finger. */}
          <For each={ids().slice(0, props.isWhole ? undefined : 1)}>
            {(id, index) => (
              <Show when={bags().find(({ baggageId }) => baggageId === id)}>
                {(bag) => (
                  <BagCard
                    journey={props.journey}
                    bag={bag()}
                    state={state(bag())}
                    number={index() + 1}
                    isNext={toDo()[0] === bag() && outbox.entries().length === 0}
                    isCompact={isCompact(bag())}
                    online={props.online}
                    remembered={remembered()}
                  />
                )}
              </Show>
            )}
          </For>
        </ul>
      </Show>
      <Show when={props.isWhole}>
        <Show
          when={props.online && !props.journey.delegationId && !hasArrived(props.journey, journeys.now())}
        >
          <AddBag journey={props.journey} />
        </Show>
        <Companions journeyId={props.journey.journeyId} />
      </Show>
    </section>
  );
}

/** Families travel on one booking: the other passengers' bags are one tap away. */
function Companions(props: { readonly journeyId: string }): JSX.Element {
  const { t } = useI18n();
  const { journeys } = useAppState();
  const others = () => journeys.companions(props.journeyId);
  return (
    <Show when={others().length > 0}>
      <nav class="row" aria-label={t("passenger.run.companions")}>
        <span class="soft small">{t("passenger.run.companions")}</span>
        <Index each={others()}>
          {(other) => (
            <ButtonLink href={`/journeys/${other().journeyId}`}>
              <bdi>{other().passenger.givenName}</bdi>, {t("journey.bags", other().baggage.length)}
            </ButtonLink>
          )}
        </Index>
      </nav>
    </Show>
  );
}

/** Adds one bag to the journey, after one question; the service knows how many there may be. */
function AddBag(props: { readonly journey: Journey }): JSX.Element {
  const { t } = useI18n();
  const [asking, setAsking] = createSignal(false);
  const [added, setAdded] = createSignal<string>();
  return (
    <Words part="passenger">
      <div class="row">
        <Button
          onClick={() => {
            setAdded(undefined);
            setAsking(true);
          }}
        >
          {t("passenger.addBag.action")}
        </Button>
        <p class="soft small" role="status">
          {added()}
        </p>
      </div>
      <Show when={asking()}>
        <Suspense>
          <AddBagDialog journey={props.journey} onAdded={setAdded} onClose={() => setAsking(false)} />
        </Suspense>
      </Show>
    </Words>
  );
}

const BagNotices = optional(async () => (await import("./RareNotices.tsx")).BagNotices);
const ShowToStaff = optional(async () => (await import("./RareBagActions.tsx")).ShowToStaff);
const loadRare = () => import("./RareBagActions.tsx");
const RareActions = optional(async () => (await loadRare()).RareActions);
const Away = lazy(async () => ({ default: (await loadRare()).Away }));
const Landed = lazy(async () => ({ default: (await loadRare()).Landed }));
const Check = lazy(async () => ({ default: (await loadRare()).Check }));

interface BagCardProps {
  readonly journey: Journey;
  readonly bag: Bag;
  readonly state: BagState;
  readonly number: number;
  /** The first of those that are still to be done: its button is the one. */
  readonly isNext: boolean;
  /** Without its drawing, so that the button that comes next is in sight. */
  readonly isCompact: boolean;
  readonly online: boolean;
  /** The tags that this browser remembers. */
  readonly remembered: readonly RememberedTag[];
}

/** One bag as the tag it will become, or has become: its state, then what comes next, then the rest. */
function BagCard(props: BagCardProps): JSX.Element {
  const { t, locale } = useI18n();
  const { journeys } = useAppState();
  // From the cached copy, draw the blank tag with its button first, and its label in a task of its own.
  const isWritten = createDeferredFlag(!journeys.isOld(props.journey.journeyId), setTimeout);
  const face = () => (isWritten() ? previewOf(props.journey, props.bag) : undefined);
  return (
    <li class="card bag">
      <div class="row row-spread">
        <h3>{t("bag.title", props.number)}</h3>
        <Badges {...props} />
      </div>
      <Show when={props.bag.lockEnded || props.bag.failedCustodyProofs || props.bag.foundAt}>
        <Suspense>
          <BagNotices journey={props.journey} bag={props.bag} />
        </Suspense>
      </Show>
      <Show when={!props.isCompact}>
        <div data-bag={props.bag.baggageId}>
          <TagDrawing
            face={face()}
            preview={props.bag.attachedDevice === undefined}
            label={t("bag.drawing", destinationOf(props.journey, locale()), props.bag.licencePlate)}
          />
        </div>
      </Show>
      <Show
        when={props.online}
        fallback={
          <Suspense>
            <ShowToStaff journey={props.journey} bag={props.bag} />
          </Suspense>
        }
      >
        <Actions {...props} />
        <OlderTags bag={props.bag} isOpen={props.state === "landed"} />
      </Show>
    </li>
  );
}

/** What comes next for the bag, by its state. */
function Actions(props: BagCardProps): JSX.Element {
  return (
    <Suspense>
      <Switch>
        <Match when={props.state === "check"}>
          <Check bag={props.bag} />
        </Match>
        <Match when={props.state === "away" && !props.journey.delegationId && props.bag.attachedDevice}>
          {(device) => <Away device={device()} journeyId={props.journey.journeyId} />}
        </Match>
        <Match when={props.state === "ready" && props.bag.attachedDevice}>
          {(device) => <Ready {...props} device={device()} />}
        </Match>
        <Match when={props.state === "landed" && props.bag.attachedDevice}>
          {(device) => <Landed {...props} device={device()} />}
        </Match>
        <Match when={needsTag(props.state) && !cannotReachTags()}>
          <Put {...props} />
        </Match>
      </Switch>
    </Suspense>
  );
}

/** Announced as they change: also after the screen of the tag's job was left. */
function Badges(props: BagCardProps): JSX.Element {
  const { t } = useI18n();
  const { outbox } = useAppState();
  const name = () => tagName(props.bag.attachedDevice ?? "");
  const checked = () => outbox.unresolved.entries().find((entry) => isAbout(props.bag, entry));
  return (
    <div class="bag-badges" role="status">
      <Switch>
        <Match when={props.state === "writing"}>
          <Badge tone="warn">{t("bag.writing")}</Badge>
        </Match>
        <Match when={props.state === "check" && checked()}>
          {(entry) => <Badge tone="warn">{t("passenger.card.check", tagName(entry().uniqueDeviceId))}</Badge>}
        </Match>
        <Match when={props.bag.lost && props.bag.attachedDevice}>
          <Badge tone="warn">{t("passenger.lost.badge", name())}</Badge>
        </Match>
        <Match when={props.bag.attachedDevice}>
          <Show when={props.state === "ready"}>
            <Badge tone="good">{t("passenger.card.ready")}</Badge>
          </Show>
          <Badge>{t("bag.onTag", name())}</Badge>
        </Match>
        <Match when={needsTag(props.state)}>
          <Badge>{t("bag.notOnTag")}</Badge>
        </Match>
      </Switch>
    </div>
  );
}

/** Tags on which the bag was before its newest, in one row that opens. */
function OlderTags(props: { readonly bag: Bag; readonly isOpen: boolean }): JSX.Element {
  const { t } = useI18n();
  return (
    <Show when={!cannotReachTags() && olderTagsOf(props.bag).length}>
      {(count) => (
        <details class="more" open={props.isOpen}>
          <summary class="button" data-kind="quiet">
            {t("passenger.card.older", count())}
          </summary>
          <For each={olderTagsOf(props.bag)}>{(tag) => <ClearLink device={tag} wide />}</For>
        </details>
      )}
    </Show>
  );
}

/** To the screen that writes the bag; a remembered tag needs no list. */
function createGo(props: Pick<BagCardProps, "journey" | "bag">) {
  const navigate = useNavigate();
  return (remembered?: RememberedTag) =>
    navigate(`/journeys/${props.journey.journeyId}/bags/${props.bag.baggageId}`, {
      state: { start: true, ...(remembered && { remembered: { ...remembered } }) },
    });
}

/** The button that begins the job: it names the tag where only one is possible, and then needs no list. */
function Put(props: BagCardProps): JSX.Element {
  const { t } = useI18n();
  const { journeys } = useAppState();
  const go = createGo(props);
  const only = () => {
    const others = tagsOfOthers(props.journey, props.bag).map(tagName);
    const [one, ...more] = props.remembered.filter(({ name }) => !others.includes(name));
    return more.length === 0 ? one : undefined;
  };
  /** The tag that was cleared too early gets its label back. */
  const tag = () => {
    const cleared = props.state === "cleared" ? journeys.lastCleared() : undefined;
    return cleared ? props.remembered.find(({ name }) => name === tagName(cleared.device)) : only();
  };
  const words = () => {
    if (props.state === "cleared") return t("passenger.card.putBack");
    const known = tag();
    if (known) return t("bag.putOn", known.name);
    return t(props.state === "taken" ? "passenger.link.again" : "bag.put");
  };
  return (
    <Button
      kind={props.isNext ? "primary" : "secondary"}
      wide
      label={
        words() === t("bag.put")
          ? t("bag.putLabel", props.number)
          : `${words()}: ${t("bag.title", props.number)}`
      }
      onClick={() => go(tag())}
    >
      {words()}
    </Button>
  );
}

/** The label is on a tag, and the flight ahead. */
function Ready(props: BagCardProps & { readonly device: string }): JSX.Element {
  const { t } = useI18n();
  const go = createGo(props);
  return (
    <div class="bag-actions">
      <Show when={!cannotReachTags()}>
        {/* The same tag or another one: the browser's list asks, or, where tags are remembered, the next screen. */}
        <Button label={t("bag.putAgainLabel", props.number)} onClick={() => go()}>
          {t("bag.putAgain")}
        </Button>
      </Show>
      <More label={t("passenger.card.more", props.number)}>
        <Suspense>
          <RareActions {...props} />
        </Suspense>
      </More>
    </div>
  );
}
