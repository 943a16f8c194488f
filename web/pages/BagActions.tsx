import { useNavigate } from "@solidjs/router";
import { type JSX, Show, Suspense } from "solid-js";
import { tagName } from "../../core/gatt/tag-name.ts";
import type { Journey, RememberedTag } from "../../sdk/index.ts";
import { useI18n } from "../i18n/index.tsx";
import { useAppState } from "../state/app-state.tsx";
import type { BagState } from "../state/bag-state.ts";
import { type Bag, tagsOfOthers } from "../state/bags.ts";
import { cannotReachTags } from "../state/browser.ts";
import { Button } from "../ui/Button.tsx";
import { More } from "../ui/More.tsx";
import { optional } from "./optional.ts";

const RareActions = optional(async () => (await import("./RareBagActions.tsx")).RareActions);

interface BagProps {
  readonly journey: Journey;
  readonly bag: Bag;
  readonly state: BagState;
  readonly number: number;
  readonly isNext: boolean;
  readonly remembered: readonly RememberedTag[];
}
type OnTag = BagProps & { readonly device: string };

/** To the screen that writes the bag; a remembered tag needs no list. */
function createGo(props: Pick<BagProps, "journey" | "bag">) {
  const navigate = useNavigate();
  return (remembered?: RememberedTag) =>
    navigate(`/journeys/${props.journey.journeyId}/bags/${props.bag.baggageId}`, {
      state: { start: true, ...(remembered && { remembered: { ...remembered } }) },
    });
}

/** The button that begins the job: it names the tag where only one is possible, and then needs no list. */
export function Put(props: BagProps): JSX.Element {
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
export function Ready(props: OnTag): JSX.Element {
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
