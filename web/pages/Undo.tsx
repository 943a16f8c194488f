import { createSignal, type JSX, onCleanup, Show } from "solid-js";
import type { RememberedTag } from "../../sdk/index.ts";
import { useI18n } from "../i18n/index.tsx";
import { useAppState } from "../state/app-state.tsx";
import { ButtonLink } from "../ui/Button.tsx";

/** How long a tag that was cleared by mistake is one tap away from its label (milliseconds). */
const MINUTE = 60_000;

/** Writes the label once more, on the same tag. */
export function Undo(props: { readonly tag: RememberedTag | undefined }): JSX.Element {
  const { t } = useI18n();
  const { journeys } = useAppState();
  const [isOffered, setOffered] = createSignal(true);
  const timer = setTimeout(() => setOffered(false), MINUTE);
  onCleanup(() => clearTimeout(timer));
  const address = () => {
    const cleared = journeys.lastCleared();
    const journey = journeys.latest()?.journey;
    const isOwn = journey?.baggage.some(({ baggageId }) => baggageId === cleared?.baggageId);
    return isOwn && `/journeys/${journey?.journeyId}/bags/${cleared?.baggageId}`;
  };
  const state = () => {
    const { tag } = props;
    return { start: true, ...(tag && { remembered: { deviceId: tag.deviceId, name: tag.name } }) };
  };
  return (
    <Show when={isOffered() && address()}>
      {(href) => (
        <ButtonLink href={href()} state={state()} kind="quiet" wide>
          {t("passenger.card.putBack")}
        </ButtonLink>
      )}
    </Show>
  );
}
