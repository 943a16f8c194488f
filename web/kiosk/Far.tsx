import { type JSX, Show } from "solid-js";
import { Icon } from "../ui/Icon.tsx";

/**
 * Success, readable from five metres: a tick and where the bag goes, 22 % of the screen's shorter side, and the tag's name,
 * 12.5 %. On an upright screen of 27 inches its capitals are 30 mm high; ISO 9241-303 wants 29 mm there (20 minutes of arc). The
 * sentences beside it say the same to a screen reader.
 */
export function Far(props: {
  readonly airport?: string;
  readonly tag: string | undefined;
  /** The service has still to hear of it. */
  readonly pending: boolean;
}): JSX.Element {
  return (
    <div class="kiosk-far" data-tone={props.pending ? "plain" : "good"} aria-hidden="true">
      <p class="kiosk-far-place" dir="ltr">
        <Icon name={props.pending ? "clock" : "check"} class="kiosk-far-tick" />
        <Show when={props.airport}>{(airport) => <span>{airport()}</span>}</Show>
      </p>
      <Show when={props.tag}>
        {(tag) => (
          <p class="kiosk-far-tag" dir="ltr">
            {tag()}
          </p>
        )}
      </Show>
    </div>
  );
}
