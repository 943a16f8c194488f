import { useNavigate } from "@solidjs/router";
import { For, type JSX, onMount, Show } from "solid-js";
import type { Journey } from "../../sdk/index.ts";
import { useI18n } from "../i18n/index.tsx";
import { destinationOf } from "../job/destination.ts";
import { useAppState } from "../state/app-state.tsx";
import { type Bag, isSameTag, tagsOf } from "../state/bags.ts";
import { Button, ButtonLink } from "../ui/Button.tsx";
import { BagList, ClearLink } from "./TagLinks.tsx";

interface BagsForTagProps {
  readonly journey: Journey;
  /** The tag whose link was opened, if the link names one. */
  readonly device: string | undefined;
}

/** Which bag goes on the tag. A touch opens the browser's list with this tag alone. */
export function BagsForTag(props: BagsForTagProps): JSX.Element {
  const { t, day, locale } = useI18n();
  const { prepare } = useAppState();
  const navigate = useNavigate();
  onMount(prepare);

  const numbered = () => props.journey.baggage.map((bag, index) => ({ bag, number: index + 1 }));
  const carried = () => numbered().find(({ bag }) => tagsOf(bag).some((tag) => isSameTag(props.device, tag)));
  const open = () => numbered().filter(({ bag }) => tagsOf(bag).length === 0);
  const put = (bag: Bag) =>
    navigate(`/journeys/${props.journey.journeyId}/bags/${bag.baggageId}`, {
      state: { start: true, tag: props.device },
    });
  const words = (number: number) =>
    carried()
      ? { text: t("passenger.link.again"), label: `${t("passenger.link.again")}: ${t("bag.title", number)}` }
      : { text: t("bag.put"), label: t("bag.putLabel", number) };
  const choices = () => {
    const on = carried();
    return on ? [on] : open();
  };
  return (
    <section class="card" aria-labelledby="which">
      <div>
        <p class="soft small">
          {day(props.journey.flights[0]?.date ?? "")} · {props.journey.passenger.givenName}
        </p>
        <h2 id="which">{t("journey.title", destinationOf(props.journey, locale()))}</h2>
        <p class="soft">
          <Show
            when={carried()}
            fallback={t(open().length === 0 ? "passenger.link.allOnTags" : "passenger.link.which")}
          >
            {(on) => t("passenger.otherBag.title", on().number)}
          </Show>
        </p>
      </div>
      <Show when={choices().length === 0}>
        <BagList journey={props.journey} />
      </Show>
      <For each={choices()}>
        {({ bag, number }, index) => (
          <Button
            kind={carried() || index() > 0 ? "secondary" : "primary"}
            wide
            label={words(number).label}
            onClick={() => put(bag)}
          >
            {choices().length > 1 ? t("bag.title", number) : words(number).text}
          </Button>
        )}
      </For>
      <Show when={carried() && props.device}>{(device) => <ClearLink device={device()} wide />}</Show>
      <ButtonLink href={`/journeys/${props.journey.journeyId}`} kind="quiet" wide>
        {t("passenger.link.open")}
      </ButtonLink>
    </section>
  );
}
