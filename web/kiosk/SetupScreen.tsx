import { createResource, createSignal, type JSX, Show } from "solid-js";
import { asTaglatchError, type TaglatchError } from "../../sdk/index.ts";
import { useI18n } from "../i18n/index.tsx";
import { ErrorPanel } from "../job/ErrorPanel.tsx";
import { Button, ButtonLink } from "../ui/Button.tsx";
import { Field } from "../ui/Field.tsx";
import { Wordmark } from "../ui/Wordmark.tsx";
import { Choices } from "./Choices.tsx";
import { createWedge } from "./create-wedge.ts";
import type { KioskParts } from "./kiosk-state.tsx";
import { Screen } from "./Screen.tsx";
import { type SetupForm, saveSetup } from "./save-setup.ts";
import { SCANNERS, type Settings } from "./setup-store.ts";

export interface SetupScreenProps {
  readonly parts: KioskParts;
  readonly onDone: () => void;
}

/** Makes this device a kiosk, once; staff sign in to change it. */
export function SetupScreen(props: SetupScreenProps): JSX.Element {
  // Unreadable storage is told when the set-up is saved.
  const [stored] = createResource(async () => ({
    settings: await props.parts.setup.settings().catch(() => undefined),
  }));
  // A code scanned here is nobody's typing.
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

/** Fields that must hold something; their complaints are `kiosk.setup.<name>Missing`, those of the sign-in its own. */
const NEEDED = ["name", "airline", "airport", "secret", "username", "password"] as const;
type Needed = (typeof NEEDED)[number];

const COMPLAINTS = {
  name: "kiosk.setup.nameMissing",
  airline: "kiosk.setup.airlineMissing",
  airport: "kiosk.setup.airportMissing",
  secret: "kiosk.setup.secretMissing",
  username: "kiosk.signIn.usernameMissing",
  password: "kiosk.signIn.passwordMissing",
} as const satisfies Record<Needed, string>;

interface SetupProps extends SetupScreenProps {
  readonly known: Settings | undefined;
}

function Setup(props: SetupProps): JSX.Element {
  const { t, ready } = useI18n();
  const [form, setForm] = createSignal<SetupForm>(formOf(props.known));
  const [asked, setAsked] = createSignal(false);
  const [busy, setBusy] = createSignal(false);
  const [error, setError] = createSignal<TaglatchError>();
  const inputs: Partial<Record<keyof SetupForm, HTMLInputElement>> = {};

  const lacks = (name: Needed) =>
    form()[name].trim() === "" && !(name === "secret" && props.known !== undefined);
  const set = (change: Partial<SetupForm>) => setForm((now) => ({ ...now, ...change }));
  const text = (name: Exclude<keyof SetupForm, "scanner" | "sound">) => ({
    name,
    value: form()[name],
    onInput: (value: string) => set({ [name]: value }),
    input: (element: HTMLInputElement) => {
      inputs[name] = element;
    },
    error: isNeeded(name) && asked() && lacks(name) ? t(COMPLAINTS[name]) : undefined,
    maxLength: 256,
  });

  const submit = async (event: SubmitEvent) => {
    event.preventDefault();
    setAsked(true);
    const missing = NEEDED.find(lacks);
    if (missing) return inputs[missing]?.focus();
    if (busy()) return;
    ready("errors");
    setBusy(true);
    setError(undefined);
    const problem = await saveSetup(form(), props.parts).catch(asTaglatchError);
    setBusy(false);
    set({ password: "" });
    setAsked(false);
    if (problem === undefined) props.onDone();
    else setError(problem);
  };

  return (
    <Screen title={t("kiosk.setup.title")} lead={t("kiosk.setup.lead")} narrow>
      <form class="stack stack-l" noValidate onSubmit={(event) => void submit(event)}>
        <fieldset class="card">
          <legend class="sr-only">{t("kiosk.setup.place")}</legend>
          <Field {...text("name")} label={t("kiosk.setup.name")} />
          <div class="kiosk-pair">
            <Field
              {...text("airline")}
              label={t("kiosk.setup.airline")}
              hint={t("kiosk.setup.airlineHint")}
              maxLength={3}
              upper
              code
            />
            <Field
              {...text("airport")}
              label={t("kiosk.setup.airport")}
              hint={t("kiosk.setup.airportHint")}
              maxLength={3}
              upper
              code
            />
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
        </fieldset>
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
        <fieldset class="card">
          <legend class="sr-only">{t("kiosk.setup.signIn")}</legend>
          <p class="soft">{t("kiosk.setup.signInHint")}</p>
          <Field {...text("username")} label={t("kiosk.signIn.username")} />
          <Field {...text("password")} type="password" label={t("kiosk.signIn.password")} />
          <div role="alert" class="alert-slot">
            <Show when={error()}>{(problem) => <ErrorPanel error={problem()} />}</Show>
          </div>
          <Button type="submit" kind="primary" wide busy={busy()}>
            {t(busy() ? "kiosk.setup.saving" : "kiosk.setup.save")}
          </Button>
          <Show when={props.known}>
            <ButtonLink kind="quiet" wide href="/kiosk">
              {t("kiosk.setup.cancel")}
            </ButtonLink>
          </Show>
        </fieldset>
      </form>
    </Screen>
  );
}

const isNeeded = (name: string): name is Needed => NEEDED.some((needed) => needed === name);

function formOf(known: Settings | undefined): SetupForm {
  return {
    name: known?.name ?? "",
    airline: known?.airline ?? "",
    airport: known?.airport ?? "",
    scanner: known?.scanner ?? "scanner",
    sound: known?.sound === false ? "off" : "on",
    clientKey: known?.clientKey ?? "",
    secret: "",
    username: "",
    password: "",
  };
}
