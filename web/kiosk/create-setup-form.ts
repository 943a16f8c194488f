import { createSignal } from "solid-js";
import { useI18n } from "../i18n/index.tsx";
import { createRequest } from "../state/create-request.ts";
import { type SaveParts, type SetupForm, saveSetup } from "./save-setup.ts";
import type { Settings } from "./setup-store.ts";

/** Fields that must not be empty, and the messages if they are. */
const COMPLAINTS = {
  name: "kiosk.setup.nameMissing",
  airline: "kiosk.setup.airlineMissing",
  airport: "kiosk.setup.airportMissing",
  secret: "kiosk.setup.secretMissing",
  username: "kiosk.signIn.usernameMissing",
  password: "kiosk.signIn.passwordMissing",
} as const;
type Needed = keyof typeof COMPLAINTS;
const NEEDED = Object.keys(COMPLAINTS) as Needed[];
const isNeeded = (name: string): name is Needed => name in COMPLAINTS;

export type SetupFields = ReturnType<typeof createSetupForm>;

/** The form of `/kiosk/setup`; `known`: the set-up that this device already has. */
export function createSetupForm(options: {
  readonly parts: SaveParts;
  readonly known: Settings | undefined;
  readonly onDone: () => void;
}) {
  const { t, ready } = useI18n();
  const [form, setForm] = createSignal<SetupForm>(formOf(options.known));
  const [asked, setAsked] = createSignal(false);
  const request = createRequest();
  const inputs: Partial<Record<keyof SetupForm, HTMLInputElement>> = {};
  const set = (change: Partial<SetupForm>) => setForm((now) => ({ ...now, ...change }));
  const lacks = (name: Needed) =>
    form()[name].trim() === "" && !(name === "secret" && options.known !== undefined);

  /** The props of a form field. */
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
    if (request.working()) return;
    ready("errors");
    const answered = await request.send(() => saveSetup(form(), options.parts));
    set({ password: "" });
    setAsked(false);
    if (answered === "done") options.onDone();
  };
  return { form, set, text, submit, request };
}

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
