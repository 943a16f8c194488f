import { createResource, For, type JSX, Show } from "solid-js";
import { useI18n } from "../i18n/index.tsx";
import { ErrorSlot } from "../job/ErrorPanel.tsx";
import { Button, ButtonLink, Field } from "../ui/Controls.tsx";
import { Wordmark } from "../ui/Wordmark.tsx";
import { createInactivityTimer, QUIET } from "./idle.ts";
import type { KioskParts } from "./kiosk-state.tsx";
import { Choices, Screen } from "./Screen.tsx";
import { StaffDialog } from "./StaffDialog.tsx";
import {
  createSetupForm,
  SCANNERS,
  type Settings,
  type SetupFields,
  SPEECH_KEYS,
  SPEECH_OFFERS,
  SPEECH_RATES,
  type SpeechSettings,
} from "./setup.ts";
import { createWedge } from "./wedge.ts";

interface SetupScreenProps {
  readonly parts: KioskParts;
  readonly onDone: () => void;
}

/** Makes this device a kiosk, once; to change the set-up, staff sign in. */
export function SetupScreen(props: SetupScreenProps): JSX.Element {
  // If storage cannot be read, saving the set-up reports it.
  const [stored] = createResource(async () => ({
    settings: await props.parts.setup.settings().catch(() => undefined),
  }));
  // A scanned code must not be typed into a field here.
  createWedge(() => undefined);
  return (
    <div class="kiosk">
      <header class="kiosk-bar">
        <Wordmark />
      </header>
      <main class="kiosk-main">
        <Show when={stored()}>
          {(loaded) => <Setup parts={props.parts} known={loaded().settings} onDone={props.onDone} />}
        </Show>
      </main>
    </div>
  );
}

function Setup(props: SetupScreenProps & { readonly known: Settings | undefined }): JSX.Element {
  const { t } = useI18n();
  const fields = createSetupForm(props);
  // Passengers can open this form too: it must not stay open.
  if (props.known) createInactivityTimer(QUIET, props.onDone);
  return (
    <Screen title={t("kiosk.setup.title")} lead={t("kiosk.setup.lead")} narrow>
      <form class="stack stack-l" noValidate onSubmit={(event) => void fields.submit(event)}>
        <Place fields={fields} />
        <Service fields={fields} known={props.known !== undefined} />
        <StaffSignIn fields={fields} known={props.known !== undefined} />
      </form>
      <Show when={fields.gate.asking()}>
        {(asking) => <StaffDialog gate={fields.gate} asking={asking()} title={t("kiosk.setup.title")} />}
      </Show>
    </Screen>
  );
}

function Place(props: { readonly fields: SetupFields }): JSX.Element {
  const { t } = useI18n();
  const { form, set, text } = props.fields;
  return (
    <fieldset class="card">
      <legend class="sr-only">{t("kiosk.setup.place")}</legend>
      <Field {...text("name")} label={t("kiosk.setup.name")} />
      <div class="kiosk-pair">
        <For each={["airline", "airport"] as const}>
          {(name) => (
            <Field
              {...text(name)}
              label={t(`kiosk.setup.${name}`)}
              hint={t(`kiosk.setup.${name}Hint`)}
              maxLength={3}
              upper
              code
            />
          )}
        </For>
      </div>
      <Choices
        legend={t("kiosk.setup.reading")}
        values={SCANNERS}
        labelOf={(value) => t(`kiosk.setup.${value}`)}
        value={form().scanner}
        onChange={(scanner) => set({ scanner })}
        row
      />
      <Choices
        legend={t("kiosk.setup.sound")}
        values={["on", "off"]}
        labelOf={(value) => t(value === "on" ? "kiosk.setup.soundOn" : "kiosk.setup.soundOff")}
        value={form().sound}
        onChange={(sound) => set({ sound })}
        row
      />
      <SpeechOffer fields={props.fields} />
    </fieldset>
  );
}

function SpeechOffer(props: { readonly fields: SetupFields }): JSX.Element {
  const { t } = useI18n();
  const { form, set } = props.fields;
  const change = (change: Partial<SpeechSettings>) => set({ speech: { ...form().speech, ...change } });
  return (
    <>
      <Choices
        legend={t("kiosk.setup.speech")}
        values={SPEECH_OFFERS}
        labelOf={(value) => t(`kiosk.setup.speechOffers.${value}`)}
        value={form().speech.offered}
        onChange={(offered) => change({ offered })}
        row
      />
      <Show when={form().speech.offered !== "off"}>
        <Choices
          legend={t("kiosk.setup.speechKey")}
          values={SPEECH_KEYS}
          labelOf={(value) => value}
          value={form().speech.key}
          onChange={(key) => change({ key })}
          row
        />
        <Choices
          legend={t("kiosk.setup.speechRate")}
          values={SPEECH_RATES}
          labelOf={(value) => t(`kiosk.setup.speechRates.${value}`)}
          value={form().speech.rate}
          onChange={(rate) => change({ rate })}
          row
        />
      </Show>
    </>
  );
}

interface PartProps {
  readonly fields: SetupFields;
  /** Whether this device has a set-up already. */
  readonly known: boolean;
}

function Service(props: PartProps): JSX.Element {
  const { t } = useI18n();
  const { text } = props.fields;
  return (
    <fieldset class="card">
      <legend class="sr-only">{t("kiosk.setup.service")}</legend>
      <Field
        {...text("clientKey")}
        label={t("kiosk.setup.clientKey")}
        hint={t("kiosk.setup.clientKeyHint")}
        code
      />
      <Field
        {...text("secret")}
        type="password"
        label={t("kiosk.setup.secret")}
        hint={t(props.known ? "kiosk.setup.secretKept" : "kiosk.setup.secretHint")}
      />
    </fieldset>
  );
}

function StaffSignIn(props: PartProps): JSX.Element {
  const { t } = useI18n();
  const { text, request } = props.fields;
  return (
    <fieldset class="card">
      <legend class="sr-only">{t("kiosk.setup.signIn")}</legend>
      <p class="soft">{t("kiosk.setup.signInHint")}</p>
      <Field {...text("username")} label={t("kiosk.signIn.username")} />
      <Field {...text("password")} type="password" label={t("kiosk.signIn.password")} />
      <ErrorSlot error={request.error()} />
      <Button type="submit" kind="primary" wide busy={request.working()}>
        {t(request.working() ? "kiosk.setup.saving" : "kiosk.setup.save")}
      </Button>
      <Show when={props.known}>
        <ButtonLink kind="quiet" wide href="/kiosk">
          {t("kiosk.setup.cancel")}
        </ButtonLink>
      </Show>
    </fieldset>
  );
}
