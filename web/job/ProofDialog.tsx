import { createEffect, For, type JSX, Match, on, type ParentProps, Show, Switch } from "solid-js";
import { tagName } from "../../core/gatt/tag-name.ts";
import type { CustodyHints } from "../../sdk/index.ts";
import { useI18n, Words } from "../i18n/index.tsx";
import { Badge, Button, Notice } from "../ui/Controls.tsx";
import { Dialog } from "../ui/Dialog.tsx";
import { Fact, wayOf } from "../ui/FlightLine.tsx";
import { BookingFields, BookingHints, createBookingForm } from "./BookingFields.tsx";
import { ErrorPanel } from "./ErrorPanel.tsx";
import type { Asked } from "./JobBody.tsx";
import type { ProofPrompt } from "./tag-job.ts";

interface ProofDialogProps {
  readonly asked: Asked;
  /** False if the device is not the passenger's own: the browser must not remember the name. */
  readonly autofill?: boolean;
  /** What is to be known of trying, in place of how a phone stays connected and what comes after the last try. */
  readonly note?: string;
  /** Goes on with another tag, in place of giving up. */
  readonly another?: (() => void) | undefined;
  /** Other ways to open the lock. */
  readonly others?: JSX.Element;
}

/** Asks for record locator and surname of the journey that holds the tag. Stays open after wrong answers. */
export function ProofDialog(props: ProofDialogProps): JSX.Element {
  const { t } = useI18n();
  const form = createBookingForm(props.asked.prompt.prefill);
  const isRefused = () => props.asked.prompt.isOther || props.asked.prompt.lastSubmissionError !== undefined;

  // After a wrong answer there is a new prompt: the surname stays, and the reference is entered again.
  createEffect(
    on(
      () => props.asked.prompt,
      () => {
        if (isRefused()) form.clearRecordLocator();
        form.fields.recordLocator?.focus();
        form.fields.recordLocator?.scrollIntoView?.({ block: "nearest" });
      },
      { defer: true },
    ),
  );

  const missing = () => ({
    recordLocator: t("passenger.proof.recordLocatorMissing"),
    surname: t("passenger.proof.surnameMissing"),
  });
  const note = () =>
    isRefused()
      ? t("passenger.proof.afterLast")
      : `${t("passenger.proof.keepsLink")} ${t("passenger.proof.afterLast")}`;
  const giveUp = () => props.asked.onAnswer(null);
  const submit = (event: SubmitEvent) => {
    event.preventDefault();
    const typed = form.complete();
    if (typed === undefined || props.asked.checking) return;
    props.asked.onAnswer({ ...typed, surname: typed.surname.toUpperCase() });
  };

  return (
    <Words part="passenger">
      <Dialog
        title={t("passenger.proof.title", tagName(props.asked.prompt.uniqueDeviceId))}
        onCancel={giveUp}
      >
        {/* It makes room for what was wrong. */}
        <Show when={!isRefused()}>
          <p>{t("passenger.proof.body")}</p>
        </Show>
        <LockHints hints={props.asked.prompt.hints} />
        <form class="stack" noValidate onSubmit={submit}>
          <div role="alert" class="alert-slot">
            <Show when={!props.asked.checking}>
              <Refused prompt={props.asked.prompt} />
            </Show>
          </div>
          <BookingFields form={form} missing={missing()} autofocus autofill={props.autofill !== false} />
          <p class="small soft">
            {props.note ?? note()}{" "}
            <Badge tone={props.asked.prompt.attemptsLeft === 1 ? "warn" : "plain"}>
              {t("passenger.proof.attemptsLeft", props.asked.prompt.attemptsLeft)}
            </Badge>
          </p>
          <div class="proof-buttons">
            <Button wide onClick={() => (props.another ?? giveUp)()}>
              {props.another ? t("passenger.otherBag.another") : t("app.cancel")}
            </Button>
            <Button type="submit" kind="primary" wide busy={props.asked.checking}>
              {props.asked.checking ? t("app.loading") : t("passenger.proof.submit")}
            </Button>
          </div>
          {props.others}
          <Show when={!props.others}>
            <details class="details">
              <summary>{t("passenger.proof.unknown")}</summary>
              <p class="small">{t("passenger.proof.unknownBody")}</p>
            </details>
          </Show>
        </form>
      </Dialog>
    </Words>
  );
}

/** Why the last answer did not open the lock. */
function Refused(props: { readonly prompt: ProofPrompt }): JSX.Element {
  const { t } = useI18n();
  const answered = () => ({ recordLocator: "", surname: "", ...props.prompt.prefill });
  return (
    <Switch>
      <Match when={props.prompt.isOther}>
        <Notice tone="bad" title={t("errors.custody_proof_invalid.what")}>
          <p>{t("passenger.hint.other", props.prompt.hints.maskedRecordLocator?.[0] ?? "")}</p>
        </Notice>
      </Match>
      <Match when={props.prompt.lastSubmissionError}>
        {(error) => (
          <ErrorPanel error={error()} compact>
            <BookingHints {...answered()} />
          </ErrorPanel>
        )}
      </Match>
    </Switch>
  );
}

/** Hints at the journey that holds the tag: the public ones, then those for entitled callers alone. */
export function LockHints(props: ParentProps<{ readonly hints: CustodyHints }>): JSX.Element {
  const { t } = useI18n();
  const airports = () =>
    [props.hints.departureAirport, props.hints.destinationAirport].filter((code) => code !== undefined);
  const rows = () =>
    [
      [t("passenger.proof.route"), wayOf(airports())],
      [t("start.recordLocator"), asWritten(props.hints.maskedRecordLocator)],
      [t("start.surname"), asWritten(props.hints.maskedSurname)],
    ] as const;
  return (
    <section class="hints" aria-label={t("passenger.proof.hints")}>
      <dl class="facts">
        <For each={rows()}>
          {([name, value]) => (
            <Show when={value}>
              <Fact name={name}>
                <span class="code">{value}</span>
              </Fact>
            </Show>
          )}
        </For>
      </dl>
      {props.children}
    </section>
  );
}

/** In its own direction (U+2066, U+2069). */
const asWritten = (text: string | undefined) => text && `\u2066${text}\u2069`;
