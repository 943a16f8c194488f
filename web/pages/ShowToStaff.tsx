import { createSignal, type JSX, Show } from "solid-js";
import type { Journey } from "../../sdk/index.ts";
import { useI18n } from "../i18n/index.tsx";
import type { Bag } from "../state/bags.ts";
import { Button } from "../ui/Button.tsx";
import { Dialog } from "../ui/Dialog.tsx";
import { wayOf } from "../ui/FlightLine.tsx";
import { interleaved2of5 } from "../ui/TagDrawing.tsx";

interface ShowProps {
  readonly journey: Journey;
  readonly bag: Bag;
}

/** The bag's number, large and as a barcode, for a desk whose own list does not have it. Needs no network. */
export function ShowToStaff(props: ShowProps): JSX.Element {
  const { t } = useI18n();
  const [isOpen, setOpen] = createSignal(false);
  return (
    <>
      <Button kind="quiet" onClick={() => setOpen(true)}>
        {t("passenger.card.show")}
      </Button>
      <Show when={isOpen()}>
        <Dialog
          title={`${props.journey.passenger.surname} / ${props.journey.passenger.givenName}`}
          onCancel={() => setOpen(false)}
        >
          <Plate plate={props.bag.licencePlate} />
          <p class="code">
            {wayOf([props.journey.departureAirport, props.journey.destinationAirport])} ·{" "}
            {props.journey.flights.map(({ carrier, number }) => `${carrier} ${number}`).join(" · ")}
          </p>
          <Button wide onClick={() => setOpen(false)}>
            {t("app.close")}
          </Button>
        </Dialog>
      </Show>
    </>
  );
}

/** In modules of the symbol: the quiet zone on each side, the bars, the digits below. */
const QUIET = 12;
const BARS = 56;
const DIGITS = 14;

/** Black on white in every colour scheme: scanners read nothing else. */
function Plate(props: { readonly plate: string }): JSX.Element {
  return (
    <Show when={interleaved2of5(props.plate)}>
      {(code) => (
        <svg
          viewBox={`0 0 ${code().modules + 2 * QUIET} ${BARS + DIGITS}`}
          width="100%"
          role="img"
          aria-label={props.plate}
          direction="ltr"
          style={{ "forced-color-adjust": "none" }}
        >
          <rect width="100%" height="100%" fill="#fff" />
          <path
            shape-rendering="crispEdges"
            d={code()
              .bars.map(([at, width]) => `M${at + QUIET} 4h${width}v${BARS - 4}h-${width}z`)
              .join("")}
          />
          <text x="50%" y={BARS + DIGITS - 3} font-size="11" font-weight="700" text-anchor="middle">
            {props.plate}
          </text>
        </svg>
      )}
    </Show>
  );
}
