import { createSignal, For, Index, type JSX, Show } from "solid-js";
import type { Journey, TaglatchError } from "../../sdk/index.ts";
import { useI18n, Words } from "../i18n/index.tsx";
import { createRemembered } from "../job/create-remembered.ts";
import { useAppState } from "../state/app-state.tsx";
import { type Bag, hasArrived, tagsToClear } from "../state/bags.ts";
import { createRequest } from "../state/create-request.ts";
import { Button, ButtonLink } from "../ui/Button.tsx";
import { Notice } from "../ui/Notice.tsx";
import { AskDialog } from "./AskDialog.tsx";
import { BagCard } from "./BagCard.tsx";
import { ClearLink } from "./TagLinks.tsx";

/** After the last flight: tags that still show it should be cleared. */
export function ArrivalNotice(props: { readonly journey: Journey }): JSX.Element {
  const { t } = useI18n();
  const tags = () => tagsToClear(props.journey, Date.now());
  return (
    <Show when={tags().length > 0}>
      <Notice
        tone="warn"
        icon="tag"
        title={t("passenger.arrival.title")}
        actions={
          <For each={tags()}>
            {(tag, index) => <ClearLink device={tag} kind={index() === 0 ? "primary" : "secondary"} />}
          </For>
        }
      >
        <p>{t("passenger.arrival.body")}</p>
      </Notice>
    </Show>
  );
}

/** The bags, those that are still to be done first, and what can be added to them. */
export function Bags(props: {
  readonly journey: Journey;
  readonly online: boolean;
  /** Otherwise the first bag alone. */
  readonly isWhole: boolean;
  readonly onReload: () => void;
}): JSX.Element {
  const { t } = useI18n();
  const { load } = useAppState();
  const { remembered } = createRemembered({ load });
  const bags = () => props.journey.baggage;
  const isOver = () => hasArrived(props.journey, Date.now());
  /**
   * Bags still to be done first; after the journey, tags to be cleared. Each bag keeps its number. Keyed by id: a reloaded
   * journey has new objects, and must not replace a button under a finger.
   */
  const isToDo = (bag: Bag) => (bag.attachedDevice === undefined) !== isOver();
  const isOnWay = () => !isOver() && !bags().every(isToDo);
  const inTurn = () =>
    [...bags().filter(isToDo), ...bags().filter((bag) => !isToDo(bag))].map(({ baggageId }) => baggageId);
  return (
    <section class="bags" aria-labelledby="bags">
      <h2 id="bags">{t(bags().filter(isToDo).length > 1 ? "journey.run" : "journey.bags", bags().length)}</h2>
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
          <For each={inTurn().slice(0, props.isWhole ? undefined : 1)}>
            {(id, index) => (
              <Show when={bags().find(({ baggageId }) => baggageId === id)}>
                {(bag) => (
                  <BagCard
                    journey={props.journey}
                    bag={bag()}
                    number={bags().indexOf(bag()) + 1}
                    isNext={index() === 0}
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
        <Show when={isOnWay()}>
          <p class="soft">{t("passenger.run.drop")}</p>
        </Show>
        <Show when={props.online && !props.journey.delegationId}>
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
  const [added, setAdded] = createSignal<number>();
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
          <Show when={added()}>{(number) => t("passenger.addBag.added", number())}</Show>
        </p>
      </div>
      <Show when={asking()}>
        <AddBagDialog journey={props.journey} onAdded={setAdded} onClose={() => setAsking(false)} />
      </Show>
    </Words>
  );
}

function AddBagDialog(props: {
  readonly journey: Journey;
  /** Called with the new number of bags. */
  readonly onAdded: (count: number) => void;
  readonly onClose: () => void;
}): JSX.Element {
  const { t } = useI18n();
  const { journeys } = useAppState();
  const request = createRequest();
  // The next bag after those seen when the question was asked: however often it is sent, only one bag is
  // added.
  const slot = props.journey.baggage.length + 1;
  const add = () =>
    request.send(
      () => journeys.addBag(props.journey.journeyId, slot),
      ({ baggage }) => {
        props.onAdded(baggage.length);
        props.onClose();
      },
    );
  // An airline without a range of its own needs a licence plate (rules §4), and only staff have one.
  const explain = ({ code }: TaglatchError) =>
    code === "required_info_not_provided" && (
      <Notice tone="bad" title={t("passenger.addBag.noRange")}>
        <p>{t("passenger.addBag.noRangeNext")}</p>
      </Notice>
    );
  return (
    <AskDialog
      title={t("passenger.addBag.title")}
      request={request}
      yes={t("passenger.addBag.action")}
      working={t("passenger.addBag.working")}
      onYes={() => void add()}
      onClose={props.onClose}
      explain={explain}
    >
      <p>{t("passenger.addBag.body")}</p>
    </AskDialog>
  );
}
