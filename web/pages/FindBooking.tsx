import { type JSX, Show } from "solid-js";
import { useI18n } from "../i18n/index.tsx";
import { BookingFields, bookingWords } from "../job/BookingFields.tsx";
import { createBookingForm } from "../job/create-booking-form.ts";
import { ErrorPanel } from "../job/ErrorPanel.tsx";
import { useAppState } from "../state/app-state.tsx";
import { createRequest } from "../state/create-request.ts";
import { Button, ButtonLink } from "../ui/Button.tsx";

export interface FindBookingProps {
  /** The boarding pass as another way, with what leads back here. */
  readonly scan?: string;
  readonly onFound: (journeyId: string) => void;
}

/** The booking by hand, on a screen that needs it for something. */
export function FindBooking(props: FindBookingProps): JSX.Element {
  const { t } = useI18n();
  const { journeys, prepare } = useAppState();
  const form = createBookingForm();
  const request = createRequest();
  const submit = (event: SubmitEvent) => {
    event.preventDefault();
    const booking = form.complete();
    if (booking === undefined || request.working()) return;
    void request.send(
      () => journeys.find(booking.recordLocator, booking.surname),
      ({ journeyId }) => props.onFound(journeyId),
    );
  };
  return (
    <form class="card" noValidate onSubmit={submit} onFocusIn={prepare}>
      <BookingFields form={form} words={bookingWords(t)} />
      <div role="alert" class="alert-slot">
        <Show when={request.error()}>{(problem) => <ErrorPanel error={problem()} />}</Show>
      </div>
      <Button type="submit" kind="primary" wide busy={request.working()}>
        {request.working() ? t("start.finding") : t("start.find")}
      </Button>
      <Show when={props.scan}>
        {(href) => (
          <ButtonLink href={href()} wide icon="scan">
            {t("start.scan")}
          </ButtonLink>
        )}
      </Show>
    </form>
  );
}
