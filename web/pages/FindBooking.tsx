import { useLocation } from "@solidjs/router";
import { createEffect, createMemo, createSignal, type JSX, Show, untrack } from "solid-js";
import { foldLocator, plainText } from "../../core/bag/record-locator.ts";
import { useI18n } from "../i18n/index.tsx";
import { BookingFields, type BookingForm, BookingHints, createBookingForm } from "../job/BookingFields.tsx";
import { ErrorPanel } from "../job/ErrorPanel.tsx";
import { NOTHING_TYPED, type Typed, useAppState } from "../state/app-state.tsx";
import { createOnline, whenIdle } from "../state/browser.ts";
import { createRequest, type Request } from "../state/create-request.ts";
import { Button, ButtonLink, Notice } from "../ui/Controls.tsx";

interface FindBookingProps {
  /** The boarding pass as another way. */
  readonly scan: string;
  /** The person is likely to look for a journey next. */
  readonly onLikely?: () => void;
  readonly onFound: (journeyId: string) => void;
}

/** The booking by hand. */
export function FindBooking(props: FindBookingProps): JSX.Element {
  const { t, warmFormats } = useI18n();
  const { journeys, prepare, openSession, keepTyped } = useAppState();
  const online = createOnline();
  const form = createCachedForm();
  const request = createRequest();
  const [sought, setSought] = createSignal<Typed>(NOTHING_TYPED);

  createLikely(form, () => {
    openSession();
    props.onLikely?.();
  });

  const search = (airline?: string) =>
    request.send(
      () => journeys.find(sought().recordLocator, sought().surname, { airline }),
      ({ journeyId }) => {
        keepTyped(NOTHING_TYPED);
        props.onFound(journeyId);
      },
    );

  const submit = (event: SubmitEvent) => {
    event.preventDefault();
    const booking = form.complete();
    if (booking === undefined || request.working()) return;
    setSought(booking);
    void search();
  };

  return (
    <form
      class="card start-form"
      noValidate
      onSubmit={submit}
      onFocusIn={() => {
        prepare();
        // Between this tap and the first key; later it would hold up the journey.
        whenIdle(warmFormats);
      }}
      onPaste={createPaste(form)}
    >
      {/* Above the fields: below them it would be under the keyboard. */}
      <div role="alert" class="alert-slot" ref={(slot) => showError(slot, request)}>
        <Show when={request.error()}>
          {(problem) => (
            <ErrorPanel error={problem()} onAirline={search}>
              <Show when={problem().code === "journey_not_found"}>
                <BookingHints {...sought()} always />
              </Show>
            </ErrorPanel>
          )}
        </Show>
      </div>
      <BookingFields form={form} />
      <Show
        when={online()}
        fallback={
          <Notice icon="clock" title={t("start.offline")}>
            <p>{t("start.offlineNext")}</p>
          </Notice>
        }
      >
        <Button type="submit" kind="primary" wide busy={request.working()}>
          {request.working() ? t("start.finding") : t("start.find")}
        </Button>
        <p class="start-or">{t("start.scanOr")}</p>
        <ButtonLink href={props.scan} wide icon="scan">
          {t("start.scan")}
        </ButtonLink>
      </Show>
    </form>
  );
}

/** Scrolls to what failed. */
function showError(slot: HTMLElement, request: Request): void {
  createEffect(() => {
    if (request.error()) slot.scrollIntoView?.({ block: "nearest" });
  });
}

/** With this many characters of a record locator, a person will probably send the form. */
const LIKELY_LOCATOR = 4;

/** Calls `onLikely` once the record locator has that many characters, typed or filled in. */
function createLikely(form: BookingForm, onLikely: () => void): void {
  const isLikely = createMemo(() => foldLocator(form.recordLocator()).length >= LIKELY_LOCATOR);
  createEffect(() => isLikely() && untrack(onLikely));
}

/**
 * What was typed stays while the person looks elsewhere. An expired session is renewed with the booking that this device
 * has cached: `/find?again`.
 */
function createCachedForm(): BookingForm {
  const { journeyCache, typed, keepTyped } = useAppState();
  const location = useLocation();
  const form = createBookingForm(typed());
  createEffect(() => {
    const cached = location.search === "?again" ? journeyCache.cached()?.journey : undefined;
    if (!cached || untrack(form.recordLocator) !== "") return;
    form.setRecordLocator(cached.recordLocator);
    form.setSurname(cached.passenger.surname);
  });
  createEffect(() => keepTyped({ recordLocator: form.recordLocator(), surname: form.surname() }));
  return form;
}

/** If locator and surname were copied together, from a booking or a chat, each goes into its own field. */
function createPaste(form: BookingForm) {
  return (event: ClipboardEvent) => {
    const [, recordLocator, surname] =
      /^([a-z0-9]{5,8})[\s,;/]+(\p{L}[\p{L}\p{Pd}\s'’]*)$/iu.exec(
        plainText(event.clipboardData?.getData("text") ?? ""),
      ) ?? [];
    if (event.target !== form.fields.recordLocator || !recordLocator || !surname) return;
    event.preventDefault();
    form.setRecordLocator(recordLocator);
    form.setSurname(surname);
    form.fields.surname?.focus();
  };
}
