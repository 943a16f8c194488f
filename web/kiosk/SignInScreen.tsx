import { createSignal, type JSX, Show } from "solid-js";
import { useI18n } from "../i18n/index.tsx";
import { ErrorSlot } from "../job/ErrorPanel.tsx";
import { Button, ButtonLink } from "../ui/Button.tsx";
import { Field } from "../ui/Field.tsx";
import { Keyboard } from "./Keyboard.tsx";
import { useKiosk } from "./kiosk-state.tsx";
import { Screen } from "./Screen.tsx";

/** User name and password, once per shift. */
export function SignInScreen(): JSX.Element {
  const { t } = useI18n();
  const { shift, outbox } = useKiosk();
  const [username, setUsername] = createSignal("");
  const [password, setPassword] = createSignal("");
  const [asked, setAsked] = createSignal(false);
  const inputs: HTMLInputElement[] = [];
  const busy = () => shift.state() === "signingIn";
  const missing = (value: string, text: string) => (asked() && value === "" ? text : undefined);

  const submit = async (event: SubmitEvent) => {
    event.preventDefault();
    setAsked(true);
    const empty = inputs.find((input) => input.value === "");
    if (empty) return empty.focus();
    await shift.signIn(username().trim(), password());
    // Right or wrong: the password does not stay on the screen.
    setPassword("");
    setAsked(false);
    inputs[1]?.focus();
  };

  return (
    <Screen title={t("kiosk.signIn.title")} lead={t("kiosk.signIn.lead")}>
      <form class="card kiosk-typing" noValidate onSubmit={(event) => void submit(event)}>
        <Field
          name="username"
          label={t("kiosk.signIn.username")}
          value={username()}
          onInput={setUsername}
          error={missing(username(), t("kiosk.signIn.usernameMissing"))}
          maxLength={128}
          autofocus
          ownKeys
          input={(element) => (inputs[0] = element)}
        />
        <Field
          name="password"
          type="password"
          label={t("kiosk.signIn.password")}
          value={password()}
          onInput={setPassword}
          error={missing(password(), t("kiosk.signIn.passwordMissing"))}
          maxLength={256}
          ownKeys
          input={(element) => (inputs[1] = element)}
        />
        <ErrorSlot error={shift.error()} />
        <Button type="submit" kind="primary" wide busy={busy()}>
          {busy() ? t("kiosk.signIn.working") : t("kiosk.signIn.submit")}
        </Button>
        <Keyboard first="abc" />
      </form>
      <Show when={outbox.entries().length > 0}>
        <p class="soft">{t("kiosk.signIn.waiting", outbox.entries().length)}</p>
      </Show>
      <ButtonLink kind="quiet" href="/kiosk/setup">
        {t("kiosk.setup.title")}
      </ButtonLink>
    </Screen>
  );
}
