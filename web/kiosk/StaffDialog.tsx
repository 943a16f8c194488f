import { createSignal, type JSX, Show } from "solid-js";
import type { TaglatchError } from "../../sdk/index.ts";
import { useI18n } from "../i18n/index.tsx";
import { ErrorPanel } from "../job/ErrorPanel.tsx";
import { Button, Field, Notice } from "../ui/Controls.tsx";
import { Dialog } from "../ui/Dialog.tsx";
import { Keyboard } from "./Keyboard.tsx";
import type { Demanded, StaffGate, Typed } from "./staff.ts";

interface StaffDialogProps {
  readonly gate: StaffGate;
  readonly asking: Demanded;
  /** What they are about to do. */
  readonly title: string;
}

/** Authenticates staff. A dialog of its own: staff never type their secrets beside a passenger's fields. */
export function StaffDialog(props: StaffDialogProps): JSX.Element {
  const { t } = useI18n();
  const form = createStaffForm(props.gate);
  const isPin = () => props.asking === "pin";
  return (
    <Dialog title={props.title} onCancel={props.gate.cancel}>
      <p>{t(isPin() ? "kiosk.staffProof.pinLead" : "kiosk.staffProof.passwordLead")}</p>
      <form class="stack" noValidate onSubmit={(event) => void form.submit(event)}>
        <div role="alert" class="alert-slot">
          <Show when={!props.gate.working() && props.gate.error()}>
            {(error) => <Refused error={error()} asking={props.asking} />}
          </Show>
        </div>
        <Show when={isPin()} fallback={<AccountFields form={form} />}>
          <PinFields form={form} />
        </Show>
        <div class="proof-buttons">
          <Button wide onClick={props.gate.cancel}>
            {t("app.cancel")}
          </Button>
          <Button type="submit" kind="primary" wide busy={props.gate.working()}>
            {t(props.gate.working() ? "kiosk.staffProof.working" : "kiosk.staffProof.submit")}
          </Button>
        </div>
        <Keyboard first={isPin() ? "123" : "abc"} />
      </form>
    </Dialog>
  );
}

type StaffForm = ReturnType<typeof createStaffForm>;

/** A name and a secret, as staff type them. The secret does not stay on the screen. */
export function createStaffForm(gate: Pick<StaffGate, "working" | "answer">) {
  const [typed, setTyped] = createSignal<Typed>({ name: "", secret: "" });
  const [asked, setAsked] = createSignal(false);
  const inputs: Partial<Record<keyof Typed, HTMLInputElement>> = {};
  const lacks = (name: keyof Typed) => typed()[name].trim() === "";

  const submit = async (event: SubmitEvent) => {
    event.preventDefault();
    setAsked(true);
    const missing = (["name", "secret"] as const).find(lacks);
    if (missing) return inputs[missing]?.focus();
    if (gate.working()) return;
    const { name, secret } = typed();
    // Right or wrong: it does not stay on the screen.
    setTyped({ name, secret: "" });
    setAsked(false);
    await gate.answer({ name: name.trim(), secret });
    inputs.secret?.focus();
  };
  /** The props of a field; `complaint` is what it says when it is left empty. */
  const field = (name: keyof Typed, complaint: string) => ({
    name: `staff-${name}`,
    value: typed()[name],
    onInput: (value: string) => void setTyped((now) => ({ ...now, [name]: value })),
    input: (element: HTMLInputElement) => {
      inputs[name] = element;
    },
    error: asked() && lacks(name) ? complaint : undefined,
    ownKeys: true,
  });
  return { submit, field };
}

function PinFields({ form: { field } }: { readonly form: StaffForm }): JSX.Element {
  const { t } = useI18n();
  const id = () => field("name", t("kiosk.staffProof.staffIdMissing"));
  const pin = () => field("secret", t("kiosk.staffProof.pinMissing"));
  return (
    <>
      <Field {...id()} label={t("kiosk.staffProof.staffId")} maxLength={32} code autofocus />
      <Field {...pin()} type="password" label={t("kiosk.staffProof.pin")} maxLength={64} />
    </>
  );
}

/** User name and password. */
export function AccountFields({ form: { field } }: { readonly form: StaffForm }): JSX.Element {
  const { t } = useI18n();
  const name = () => field("name", t("kiosk.signIn.usernameMissing"));
  const password = () => field("secret", t("kiosk.signIn.passwordMissing"));
  return (
    <>
      <Field {...name()} label={t("kiosk.signIn.username")} maxLength={128} autofocus />
      <Field {...password()} type="password" label={t("kiosk.signIn.password")} maxLength={256} />
    </>
  );
}

/** The service has one error for both; its text names user name and password, wrong beside a PIN. */
function Refused(props: { readonly error: TaglatchError; readonly asking: Demanded }): JSX.Element {
  const { t } = useI18n();
  return (
    <Show
      when={props.asking === "pin" && props.error.code === "invalid_credentials"}
      fallback={<ErrorPanel error={props.error} compact />}
    >
      <Notice tone="bad" title={t("kiosk.staffProof.refused")}>
        <p>{t("kiosk.staffProof.refusedNext")}</p>
      </Notice>
    </Show>
  );
}
