import { For, type JSX, lazy, Show, Suspense } from "solid-js";
import { tagName } from "../../core/gatt/tag-name.ts";
import type { Journey } from "../../sdk/index.ts";
import { useI18n } from "../i18n/index.tsx";
import { ErrorPanel } from "../job/ErrorPanel.tsx";
import { destinationOf, legsOf, previewOf, routeOf } from "../job/journey-view.ts";
import { type Bag, tagsOf } from "../state/bags.ts";
import { Badge, Button } from "../ui/Controls.tsx";
import { Dialog } from "../ui/Dialog.tsx";
import { Fact, FlightLine } from "../ui/FlightLine.tsx";
import { TagDrawing } from "../ui/TagDrawing.tsx";
import { useKiosk } from "./kiosk-state.tsx";
import { Screen } from "./Screen.tsx";

/** Few bags are refused, and few airports not listed. */
const acceptance = () => import("../job/Acceptance.tsx");
const NotListed = lazy(async () => ({ default: (await acceptance()).NotListed }));
const RefusedBag = lazy(async () => ({ default: (await acceptance()).RefusedBag }));
const Weight = lazy(async () => ({ default: (await acceptance()).Weight }));

/** One passenger's journey, and each bag as the tag it will become. */
export function JourneyScreen(props: { readonly journey: Journey }): JSX.Element {
  const { t, day, locale } = useI18n();
  const { visit, scans, clear } = useKiosk();
  return (
    <Screen title={t("journey.title", destinationOf(props.journey, locale()))}>
      <Show when={props.journey.acceptsTags === false}>
        <Suspense>
          <NotListed airport={props.journey.departureAirport} />
        </Suspense>
      </Show>
      <div class="kiosk-travel">
        <section class="card">
          <FlightLine legs={legsOf(props.journey, day)} label={t("journey.route", routeOf(props.journey))} />
          <dl class="facts">
            <Fact name={t("journey.passenger")}>
              {props.journey.passenger.givenName} {props.journey.passenger.surname}
            </Fact>
            <div>
              <dt>{t("start.recordLocator")}</dt>
              <dd class="code" dir="ltr">
                {props.journey.recordLocator}
              </dd>
            </div>
          </dl>
          <Companions />
        </section>
        <ul class="kiosk-bags">
          <For each={props.journey.baggage}>
            {(bag, index) => <BagCard journey={props.journey} bag={bag} number={index() + 1} />}
          </For>
        </ul>
        <div class="kiosk-tools">
          <AddedOrNot />
          <div class="kiosk-actions">
            <Button busy={visit.busy()} onClick={() => void visit.addBag()}>
              {t(visit.busy() ? "kiosk.journey.adding" : "kiosk.journey.addBag")}
            </Button>
            <Button kind="quiet" onClick={() => clear()}>
              {t("start.clearAction")}
            </Button>
          </div>
          <p class="soft">{t("kiosk.journey.plateHint")}</p>
        </div>
      </div>
      <Show when={scans.newPlate()}>{(plate) => <NewPlate plate={plate()} />}</Show>
    </Screen>
  );
}

/** Why no bag was added, or what the new one may weigh. */
function AddedOrNot(): JSX.Element {
  const { visit } = useKiosk();
  return (
    <div>
      <div role="alert" class="alert-slot">
        <Show when={visit.error()}>
          {(error) => (
            <Show when={error().code === "bag_refused"} fallback={<ErrorPanel error={error()} />}>
              <Suspense>
                <RefusedBag error={error()} />
              </Suspense>
            </Show>
          )}
        </Show>
      </div>
      <p class="soft" role="status">
        <Show when={visit.allowed()}>
          {(kilograms) => (
            <Suspense>
              <Weight kilograms={kilograms()} />
            </Suspense>
          )}
        </Show>
      </p>
    </div>
  );
}

/** Families travel on one booking: the other passengers are one touch away. */
function Companions(): JSX.Element {
  const { t } = useI18n();
  const { visit } = useKiosk();
  return (
    <Show when={visit.companions().length > 0}>
      <fieldset class="kiosk-companions">
        <legend class="small soft">{t("kiosk.journey.companions")}</legend>
        <For each={visit.companions()}>
          {(companion) => (
            <Button onClick={() => visit.show(companion)}>
              {companion.passenger.givenName} {companion.passenger.surname}
            </Button>
          )}
        </For>
      </fieldset>
    </Show>
  );
}

interface BagCardProps {
  readonly journey: Journey;
  readonly bag: Bag;
  readonly number: number;
}

function BagCard(props: BagCardProps): JSX.Element {
  const { t, locale } = useI18n();
  const { visit, send, clear } = useKiosk();
  const onTag = () => props.bag.attachedDevice !== undefined;
  const put = () => {
    visit.choose(props.bag.baggageId);
    send("put");
  };
  return (
    <li class="card bag">
      <div class="row row-spread">
        <h2 class="kiosk-bag-title">{t("bag.title", props.number)}</h2>
        {/* For a bag without a tag the button says enough. */}
        <For each={tagsOf(props.bag)}>
          {(device, index) => (
            <Badge tone={index() === 0 ? "good" : "warn"}>
              {t(index() === 0 ? "bag.onTag" : "passenger.run.old", tagName(device))}
            </Badge>
          )}
        </For>
      </div>
      <TagDrawing
        face={previewOf(props.journey, props.bag)}
        preview={!onTag()}
        label={t("bag.drawing", destinationOf(props.journey, locale()), props.bag.licencePlate)}
      />
      <div class="kiosk-choices">
        <Button
          kind={onTag() ? "secondary" : "primary"}
          wide
          label={t(onTag() ? "bag.putAgainLabel" : "bag.putLabel", props.number)}
          onClick={put}
        >
          {t(onTag() ? "bag.putAgain" : "bag.put")}
        </Button>
        <For each={tagsOf(props.bag)}>
          {(device) => (
            <Button wide onClick={() => clear(device)}>
              {t("clear.titleOf", tagName(device))}
            </Button>
          )}
        </For>
      </div>
    </li>
  );
}

/** A bag label that is not on this journey: staff decide. */
function NewPlate(props: { readonly plate: string }): JSX.Element {
  const { t } = useI18n();
  const { visit, scans } = useKiosk();
  const add = async (plate: string) => {
    scans.forgetPlate();
    await visit.addBag(plate);
  };
  return (
    <Dialog title={t("kiosk.journey.addTitle")} onCancel={scans.forgetPlate}>
      <p>{t("kiosk.journey.addBody", props.plate)}</p>
      <div class="kiosk-choices">
        <Button kind="primary" wide autofocus onClick={() => void add(props.plate)}>
          {t("kiosk.journey.addBag")}
        </Button>
        <Button wide onClick={scans.forgetPlate}>
          {t("app.cancel")}
        </Button>
      </div>
    </Dialog>
  );
}
