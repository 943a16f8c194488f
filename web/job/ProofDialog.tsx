import { createEffect, createSignal, type JSX, on, Show } from "solid-js";
import type { CustodyHints, CustodyProofInput, CustodyProofPrompt } from "../../sdk/index.ts";
import { useI18n } from "../i18n/index.tsx";
import { Button } from "../ui/Button.tsx";
import { Dialog } from "../ui/Dialog.tsx";
import { Badge } from "../ui/Notice.tsx";
import { wayOf } from "../ui/way-of.ts";
import { BookingFields, type BookingWords } from "./BookingFields.tsx";
import { BookingHints } from "./BookingHints.tsx";
import { createBookingForm } from "./create-booking-form.ts";
import { ErrorPanel } from "./ErrorPanel.tsx";

export interface ProofDialogProps {
  readonly prompt: CustodyProofPrompt;
  /** Sent, and not answered by the service yet. */
  readonly checking: boolean;
  readonly onAnswer: (input: CustodyProofInput | null) => void;
  /** False if the device is not the passenger's own: the browser must not remember the name. */
  readonly autofill?: boolean;
  /** What comes after the last try; absent: another tag. */
  readonly afterLast?: string;
  /** Other ways to open the lock. */
  readonly others?: JSX.Element;
}

/** Asks for record locator and surname of the journey that holds the tag. Stays open after wrong answers. */
export function ProofDialog(props: ProofDialogProps): JSX.Element {
  const { t } = useI18n();
  const form = createBookingForm(props.prompt.prefill);
  const [sent, setSent] = createSignal({ recordLocator: "", surname: "" });

  // After a wrong answer there is a new prompt: the correction begins in the first field.
  createEffect(
    on(
      () => props.prompt,
      () => {
        form.fields.recordLocator?.select();
        form.fields.recordLocator?.scrollIntoView?.({ block: "nearest" });
      },
      { defer: true },
    ),
  );

  const words = (): BookingWords => ({
    recordLocator: t("start.recordLocator"),
    recordLocatorMissing: t("proof.recordLocatorMissing"),
    surname: t("start.surname"),
    surnameMissing: t("proof.surnameMissing"),
  });
  const submit = (event: SubmitEvent) => {
    event.preventDefault();
    const typed = form.complete();
    if (typed === undefined || props.checking) return;
    setSent(typed);
    props.onAnswer({ ...typed, surname: typed.surname.toUpperCase() });
  };

  return (
    <Dialog title={t("proof.title")} onCancel={() => props.onAnswer(null)}>
      {/* It makes room for what was wrong. */}
      <Show when={!props.prompt.lastSubmissionError}>
        <p>{t("proof.body")}</p>
      </Show>
      <Hints hints={props.prompt.hints} />
      <form class="stack" noValidate onSubmit={submit}>
        <div role="alert" class="alert-slot">
          <Show when={!props.checking && props.prompt.lastSubmissionError}>
            {(error) => (
              <ErrorPanel error={error()} compact>
                <BookingHints {...sent()} />
              </ErrorPanel>
            )}
          </Show>
        </div>
        <BookingFields form={form} words={words()} autofocus autofill={props.autofill !== false} />
        <div class="row row-spread proof-note">
          <span>
            {!props.prompt.lastSubmissionError && `${t("proof.keepsLink")} `}
            {props.afterLast ?? t("proof.afterLast")}
          </span>
          <Badge tone={props.prompt.attemptsLeft === 1 ? "warn" : "plain"}>
            {t("proof.attemptsLeft", props.prompt.attemptsLeft)}
          </Badge>
        </div>
        <div class="proof-buttons">
          <Button wide onClick={() => props.onAnswer(null)}>
            {t("app.cancel")}
          </Button>
          <Button type="submit" kind="primary" wide busy={props.checking}>
            {props.checking ? t("app.loading") : t("proof.submit")}
          </Button>
        </div>
        {props.others}
      </form>
    </Dialog>
  );
}

function Hints(props: { readonly hints: CustodyHints }): JSX.Element {
  const { t } = useI18n();
  const airports = () =>
    [props.hints.departureAirport, props.hints.destinationAirport].filter((code) => code !== undefined);
  const rows = () =>
    [
      [t("proof.route"), wayOf(airports())],
      [t("start.recordLocator"), asWritten(props.hints.maskedRecordLocator)],
      [t("start.surname"), asWritten(props.hints.maskedSurname)],
    ] as const;
  return (
    <section class="hints" aria-label={t("proof.hints")}>
      <dl class="facts">
        {rows().map(([name, value]) => (
          <Show when={value}>
            <div>
              <dt>{name}</dt>
              <dd>
                <span class="code">{value}</span>
              </dd>
            </div>
          </Show>
        ))}
      </dl>
    </section>
  );
}

/** In its own direction (U+2066, U+2069). */
const asWritten = (text: string | undefined) => text && `\u2066${text}\u2069`;
