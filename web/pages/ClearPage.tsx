import { useLocation } from "@solidjs/router";
import {
  type Accessor,
  createMemo,
  createSignal,
  type JSX,
  lazy,
  onMount,
  Show,
  Suspense,
  untrack,
} from "solid-js";
import { tagName } from "../../core/gatt/tag-name.ts";
import type { Journey, RememberedTag } from "../../sdk/index.ts";
import { type I18n, useI18n } from "../i18n/index.tsx";
import { createClearJob, tagAt } from "../job/create-tag-job.ts";
import { createStart, type GuidedJob, guideChooser } from "../job/guide-chooser.ts";
import { JobDrawing } from "../job/JobWorking.tsx";
import type { JobTexts } from "../job/job-words.ts";
import { destinationOf, previewOf } from "../job/journey-view.ts";
import { jobAt } from "../job/tag-job.ts";
import { useAppState } from "../state/app-state.tsx";
import { type Bag, clearsAtOnce, hasArrived, isSameTag, tagsOf, tagsToClear } from "../state/bags.ts";
import type { KnownTag } from "../state/cached-journey.ts";
import type { Journeys } from "../state/create-journeys.ts";
import { Button, ButtonLink, Notice } from "../ui/Controls.tsx";
import { JobView } from "./JobView.tsx";
import { createHome } from "./Page.tsx";
import { ClearLink } from "./TagLinks.tsx";

const MyTags = lazy(async () => ({ default: (await import("./MyTags.tsx")).MyTags }));
const ClearAll = lazy(async () => ({ default: (await import("./MyTags.tsx")).ClearAll }));
const Undo = lazy(async () => ({ default: (await import("./MyTags.tsx")).Undo }));

const PATH = "/clear";

/** Empties a tag after the trip and releases its lock. `?tag=` narrows the chooser to one tag. */
export function ClearPage(): JSX.Element {
  const location = useLocation<{ readonly all?: boolean }>();
  // The next screen's address comes before this one goes.
  const tag = createMemo<string>(
    (before) => (location.pathname.startsWith(PATH) ? String(location.query.tag ?? "") : before),
    "",
  );
  const isAll = createMemo<boolean>(
    (before) => (location.pathname.startsWith(PATH) ? location.state?.all === true : before),
    false,
  );
  const { journeys } = useAppState();
  return (
    // Keyed by the tag: the next tag is a new job. It may also be any tag.
    <Show when={{ tag: tag(), all: isAll() && untrack(() => dueTags(journeys)) }} keyed>
      {({ tag, all }) =>
        all && all.length > 1 ? (
          <Suspense>
            <ClearAll devices={all} />
          </Suspense>
        ) : (
          <Clearing device={tag || undefined} />
        )
      }
    </Show>
  );
}

function Clearing(props: { readonly device: string | undefined }): JSX.Element {
  const { t } = useI18n();
  const { prepare, journeys, journeyCache } = useAppState();
  const { state } = useLocation<{ readonly start?: boolean }>();
  // It stays, whatever the address becomes.
  const { device } = props;
  const { shown, label, back } = createShown(device);
  const name = device && tagName(device);

  const isUnknown = () => !journeys.latest() && !journeyCache.isPending() && !journeyCache.cached();
  const job = createJob(device);
  const tags = createKnownTags(device === undefined);
  onMount(prepare);
  if (state?.start && isEnough(journeys, shown()?.journey, device))
    createStart(job, () => onlyOne(job.remembered()));

  const drawing = () => (
    <Show
      when={job.now().at === "ready" && tags().length > 0}
      fallback={
        <JobDrawing
          job={job}
          before={shown()?.face}
          after={undefined}
          label={t("bag.blankDrawing")}
          labelBefore={label()}
        />
      }
    >
      <Suspense>
        <MyTags tags={tags()} />
      </Suspense>
    </Show>
  );
  return (
    <JobView
      job={job}
      kind="clear"
      tagName={name}
      back={back()}
      warning={isMissed(journeys, shown()) ? t("passenger.arrival.early") : undefined}
      texts={clearTexts(t, { job, name, tags })}
      drawing={drawing()}
      first={isUnknown() ? FindFirst : firstOf(journeys, device)}
      carrying={() => <Early job={job} />}
      after={<AfterClear back={back()} tag={jobAt(job.now(), "done", "pending")?.tag} />}
    />
  );
}

interface Clears {
  readonly job: GuidedJob;
  readonly name: string | undefined;
  readonly tags: Accessor<readonly KnownTag[]>;
}

const clearTexts = (t: I18n["t"], { job, name, tags }: Clears): JobTexts => ({
  get readyTitle() {
    if (name) return t("clear.titleOf", name);
    return t(tags().length > 0 ? "passenger.tags.title" : "start.clearAction");
  },
  ready: t("clear.lead"),
  workingTitle: t("clear.workingTitle"),
  doneTitle: t("clear.doneTitle"),
  get done() {
    return t("clear.done", tagAt(job) ?? "");
  },
  pendingTitle: t("clear.pendingTitle"),
  pending: t("clear.pending"),
  carryingTitle: () => t("clear.titleOf", tagAt(job) ?? ""),
});

/** What comes before the choice of a tag: where no tag is named, one that shows a trip that is over. */
const firstOf = (journeys: Journeys, device: string | undefined) =>
  device === undefined && dueTags(journeys).length > 0 ? FirstDue : undefined;

/** Of one tag that shows a trip that is over, or of all. */
function FirstDue(): JSX.Element {
  const { t } = useI18n();
  const { journeys } = useAppState();
  return (
    <Show
      when={dueTags(journeys).length > 1}
      fallback={
        <Show when={dueTags(journeys)[0]}>{(tag) => <ClearLink device={tag()} kind="primary" wide />}</Show>
      }
    >
      <ButtonLink href={PATH} state={{ start: true, all: true }} kind="primary" wide>
        {t("passenger.tags.clearAll")}
      </ButtonLink>
    </Show>
  );
}

/** `isAsked`: the screen is about no tag in particular. */
function createKnownTags(isAsked: boolean): Accessor<readonly KnownTag[]> {
  const [tags, setTags] = createSignal<readonly KnownTag[]>([]);
  onMount(() => {
    if (!isAsked) return;
    void import("../state/cached-journey.ts")
      .then(({ knownTags }) => knownTags())
      .then(setTags, () => undefined);
  });
  return tags;
}

/** For a tag that the address names, this screen has warned already. */
function createJob(device: string | undefined): GuidedJob {
  const { load, journeys, outbox } = useAppState();
  const find = createFind();
  const needed = (tag: string) => {
    const found = device === undefined ? find(tag) : undefined;
    return isMissed(journeys, found) ? found?.bag.baggageId : undefined;
  };
  return guideChooser(
    createClearJob({ load, outbox, only: () => device, needed, onCleared: journeys.markCleared }),
  );
}

/** Without the journey, the service does not know that the tag is this person's. */
function FindFirst(): JSX.Element {
  const { t } = useI18n();
  return (
    <>
      <p class="soft">{t("passenger.arrival.findFirst")}</p>
      <ButtonLink href="/find" state={{ to: PATH }} kind="primary" wide>
        {t("start.find")}
      </ButtonLink>
    </>
  );
}

/** The chosen tag's label is still needed: the person decides whether it is cleared. */
function Early(props: { readonly job: GuidedJob }): JSX.Element {
  const { t } = useI18n();
  return (
    <Notice
      tone="warn"
      icon="tag"
      actions={
        <>
          <Button kind="primary" onClick={props.job.cancel}>
            {t("app.cancel")}
          </Button>
          <Button onClick={props.job.accept}>{t("clear.titleOf", tagAt(props.job) ?? "")}</Button>
        </>
      }
    >
      <p>{t("passenger.arrival.early")}</p>
    </Notice>
  );
}

/** Whether the tap that led here is enough; what is known from an earlier visit alone may have changed. */
const isEnough = (journeys: Journeys, journey: Journey | undefined, device: string | undefined) =>
  device !== undefined &&
  journey !== undefined &&
  !journeys.isOld(journey.journeyId) &&
  clearsAtOnce(journey, device, journeys.now());

/** The bag would be without a label, on a journey that is not over. */
const isMissed = (journeys: Journeys, shown: { readonly journey: Journey; readonly bag: Bag } | undefined) =>
  shown !== undefined && !hasArrived(shown.journey, journeys.now()) && tagsOf(shown.bag).length === 1;

const onlyOne = <Value,>(all: readonly Value[]) => (all.length === 1 ? all[0] : undefined);

/** The next tag that still shows a journey that is over, of this passenger or of the same booking; else back. */
function AfterClear(props: {
  readonly back: { readonly href: string; readonly label: string };
  readonly tag: RememberedTag | undefined;
}): JSX.Element {
  const { t } = useI18n();
  const { journeys } = useAppState();
  const next = () => dueTags(journeys)[0];
  return (
    <>
      <Show when={next()}>
        {(tag) => (
          <ClearLink device={tag()} text={t("passenger.arrival.next", tagName(tag()))} kind="primary" wide />
        )}
      </Show>
      <ButtonLink href={props.back.href} kind={next() ? "secondary" : "primary"} wide>
        {props.back.label}
      </ButtonLink>
      <Suspense>
        <Undo tag={props.tag} />
      </Suspense>
    </>
  );
}

/** Tags that still show a journey that is over, of this passenger or of the same booking. */
function dueTags(journeys: Journeys): readonly string[] {
  const own = journeys.latest()?.journey;
  if (!own) return [];
  return [own, ...journeys.companions(own.journeyId)].flatMap((each) => tagsToClear(each, journeys.now()));
}

/** The bag that a tag shows, as far as this device knows. */
function createFind() {
  const { journeys, journeyCache } = useAppState();
  return (tag: string | undefined) => {
    const journey = journeys.latest()?.journey ?? journeyCache.cached()?.journey;
    const bag = tag && journey?.baggage.find((each) => tagsOf(each).some((one) => isSameTag(one, tag)));
    return journey && bag ? { journey, bag } : undefined;
  };
}

/** The journey and the bag that the tag shows, as far as this device knows; they stay once the tag is clear. */
function createShown(tag: string | undefined) {
  const { t, locale } = useI18n();
  const home = createHome();
  const known = createFind();
  const find = () => {
    const found = known(tag);
    return found && { ...found, face: previewOf(found.journey, found.bag) };
  };
  const shown = createMemo<ReturnType<typeof find>>((before) => before ?? find());
  const label = () => {
    const known = shown();
    return known && t("bag.drawing", destinationOf(known.journey, locale()), known.bag.licencePlate);
  };
  const back = () => {
    const journey = shown()?.journey;
    return journey ? { href: `/journeys/${journey.journeyId}`, label: t("job.toJourney") } : home();
  };
  return { shown, label, back };
}
