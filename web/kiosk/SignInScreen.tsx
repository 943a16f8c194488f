import { type JSX, Show } from "solid-js";
import { useI18n } from "../i18n/index.tsx";
import { ErrorSlot } from "../job/ErrorPanel.tsx";
import { Button, ButtonLink } from "../ui/Button.tsx";
import { Keyboard } from "./Keyboard.tsx";
import { useKiosk } from "./kiosk-state.tsx";
import { Screen } from "./Screen.tsx";
import { AccountFields, createStaffForm } from "./StaffDialog.tsx";

/** User name and password, once per shift. */
export function SignInScreen(): JSX.Element {
  const { t } = useI18n();
  const { shift, outbox } = useKiosk();
  const busy = () => shift.state() === "signingIn";
  const form = createStaffForm({
    working: busy,
    answer: ({ name, secret }) => shift.signIn(name, secret),
  });
  return (
    <Screen title={t("kiosk.signIn.title")} lead={t("kiosk.signIn.lead")}>
      <form class="card kiosk-typing" noValidate onSubmit={(event) => void form.submit(event)}>
        <AccountFields form={form} />
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
