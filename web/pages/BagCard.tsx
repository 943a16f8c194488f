import { useNavigate } from "@solidjs/router";
import { For, type JSX, lazy, Match, Show, Suspense, Switch } from "solid-js";
import { tagName } from "../../core/gatt/tag-name.ts";
import type { Journey, RememberedTag } from "../../sdk/index.ts";
import { useI18n } from "../i18n/index.tsx";
import { destinationOf, previewOf } from "../job/journey-view.ts";
import { useAppState } from "../state/app-state.tsx";
import { type BagState, isAbout, needsTag } from "../state/bag-state.ts";
import { type Bag, olderTagsOf, tagsOfOthers } from "../state/bags.ts";
import { cannotReachTags } from "../state/browser.ts";
import { Button } from "../ui/Button.tsx";
import { More } from "../ui/More.tsx";
import { Badge } from "../ui/Notice.tsx";
import { TagDrawing } from "../ui/TagDrawing.tsx";
import { createDeferredFlag, optional } from "./later.ts";
import { ClearLink } from "./TagLinks.tsx";

const BagNotices = optional(async () => (await import("./BagNotices.tsx")).BagNotices);
const ShowToStaff = optional(async () => (await import("./ShowToStaff.tsx")).ShowToStaff);
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
export function BagCard(props: BagCardProps): JSX.Element {
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
        <div style={{ "view-transition-name": `tag-${props.bag.baggageId}` }}>
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
    <Switch>
      <Match when={props.state === "check"}>
        <Suspense>
          <Check bag={props.bag} />
        </Suspense>
      </Match>
      <Match when={props.state === "away" && !props.journey.delegationId && props.bag.attachedDevice}>
        {(device) => (
          <Suspense>
            <Away device={device()} journeyId={props.journey.journeyId} />
          </Suspense>
        )}
      </Match>
      <Match when={props.state === "ready" && props.bag.attachedDevice}>
        {(device) => <Ready {...props} device={device()} />}
      </Match>
      <Match when={props.state === "landed" && props.bag.attachedDevice}>
        {(device) => (
          <Suspense>
            <Landed {...props} device={device()} />
          </Suspense>
        )}
      </Match>
      <Match when={needsTag(props.state) && !cannotReachTags()}>
        <Put {...props} />
      </Match>
    </Switch>
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
