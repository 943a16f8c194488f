import { createSignal, type JSX, Show } from "solid-js";
import { useI18n } from "../i18n/index.tsx";
import { ErrorPanel } from "../pages/ErrorPanel.tsx";
import { Button } from "../ui/Button.tsx";
import { Field } from "../ui/Field.tsx";
import { useKiosk } from "./kiosk-state.tsx";
import { Screen } from "./Screen.tsx";

/** Record locator and surname by hand. */
export function TypingScreen(): JSX.Element {
  const { t } = useI18n();
  const { visit, send } = useKiosk();
  const [recordLocator, setRecordLocator] = createSignal("");
  const [surname, setSurname] = createSignal("");
  const [asked, setAsked] = createSignal(false);
  const inputs: HTMLInputElement[] = [];
  const missing = (value: string, text: string) => (asked() && value.trim() === "" ? text : undefined);

  const submit = async (event: SubmitEvent) => {
    event.preventDefault();
    setAsked(true);
    const empty = inputs.find((input) => input.value.trim() === "");
    if (empty) return empty.focus();
    if (visit.busy()) return;
    const found = await visit.findByName(recordLocator().trim().toUpperCase(), surname().trim());
    if (found === "done") send("found");
  };

  return (
    <Screen title={t("kiosk.find.title")} lead={t("kiosk.find.lead")} narrow>
      <form class="card" noValidate onSubmit={(event) => void submit(event)}>
        <Field
          name="recordLocator"
          label={t("start.recordLocator")}
          hint={t("start.recordLocatorHint")}
          value={recordLocator()}
          onInput={setRecordLocator}
          error={missing(recordLocator(), t("start.recordLocatorMissing"))}
          maxLength={64}
          upper
          code
          autofocus
          input={(element) => (inputs[0] = element)}
        />
        <Field
          name="surname"
          label={t("start.surname")}
          hint={t("start.surnameHint")}
          value={surname()}
          onInput={setSurname}
          error={missing(surname(), t("start.surnameMissing"))}
          maxLength={128}
          upper
          input={(element) => (inputs[1] = element)}
        />
        <div role="alert" class="alert-slot">
          <Show when={visit.error()}>{(error) => <ErrorPanel error={error()} />}</Show>
        </div>
        <Button type="submit" kind="primary" wide busy={visit.busy()}>
          {visit.busy() ? t("start.finding") : t("start.find")}
        </Button>
      </form>
    </Screen>
  );
}

export function FindingScreen(): JSX.Element {
  const { t } = useI18n();
  return (
    <Screen
      title={t("kiosk.find.finding")}
      mark={<span class="kiosk-spinner" aria-hidden="true" />}
      narrow
      centred
    >
      <p class="sr-only" role="status">
        {t("kiosk.find.finding")}
      </p>
    </Screen>
  );
}

/** The boarding pass led to no journey. */
export function ProblemScreen(): JSX.Element {
  const { t } = useI18n();
  const { visit, send } = useKiosk();
  return (
    <Screen title={t("kiosk.find.notFound")} lead={t("kiosk.find.scanAgain")} narrow>
      <div role="alert" class="alert-slot">
        <Show when={visit.error()}>{(error) => <ErrorPanel error={error()} />}</Show>
      </div>
      <Button kind="primary" onClick={() => send("type")}>
        {t("kiosk.attract.type")}
      </Button>
    </Screen>
  );
}
