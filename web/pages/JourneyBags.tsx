import { createSignal, For, Index, type JSX, lazy, Show, Suspense } from "solid-js";
import type { Journey } from "../../sdk/index.ts";
import { useI18n, Words } from "../i18n/index.tsx";
import { createRemembered } from "../job/create-remembered.ts";
import { useAppState } from "../state/app-state.tsx";
import { isAbout, needsTag, stateOf } from "../state/bag-state.ts";
import { type Bag, hasArrived, isOver, tagsToClear } from "../state/bags.ts";
import { Button, ButtonLink } from "../ui/Button.tsx";
import { Notice } from "../ui/Notice.tsx";
import { BagCard } from "./BagCard.tsx";

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
