import { createSignal } from "solid-js";
import { useI18n } from "../i18n/index.tsx";
import { createRequest, type Request } from "../state/create-request.ts";
import { createStaffGate } from "./create-staff-gate.ts";
import {
  type Accepted,
  type SaveParts,
  type SetupForm,
  saveSetup,
  saveSetupAs,
  signInWith,
} from "./save-setup.ts";
import { type Settings, speechOf } from "./setup-store.ts";

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

interface SetupOptions {
  readonly parts: SaveParts;
  readonly known: Settings | undefined;
  readonly onDone: () => void;
}

/** The form of `/kiosk/setup`; `known`: the set-up that this device already has. */
export function createSetupForm(options: SetupOptions) {
  const { t, ready } = useI18n();
  const [form, setForm] = createSignal<SetupForm>(formOf(options.known));
  const [asked, setAsked] = createSignal(false);
  const request = createRequest();
  const { gate, save } = createSaving(options, request);
  const inputs: Partial<Record<keyof SetupForm, HTMLInputElement>> = {};
  const set = (change: Partial<SetupForm>) => setForm((now) => ({ ...now, ...change }));
  const lacks = (name: Needed) =>
    form()[name].trim() === "" && !(name === "secret" && options.known !== undefined);

  /** The props of a form field. */
  const text = (name: Exclude<keyof SetupForm, "scanner" | "sound" | "speech">) => ({
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
    await save(form());
    set({ password: "" });
    setAsked(false);
  };
  return { form, set, text, submit, request, gate };
}

/** Saves a set-up: at once, or after a dialog where the service wants to know who stands there. */
function createSaving({ parts, onDone }: SetupOptions, request: Request) {
  let accepted: Accepted | undefined;
  const gate = createStaffGate({
    demanded: async () => ({ ok: true, value: "pin" }),
    pass: async (_pin, { name, secret }) => {
      if (accepted === undefined) throw new TypeError("nothing to save");
      return saveSetupAs({ id: name, pin: secret }, accepted, parts);
    },
    onDone,
  });
  const save = async (form: SetupForm) => {
    const signedIn = await request.send(
      () => signInWith(form, parts),
      (value) => {
        accepted = value;
      },
    );
    if (signedIn !== "done" || accepted === undefined) return;
    if (accepted.pinRequired) return gate.begin();
    const found = accepted;
    if ((await request.send(() => saveSetup(found, parts))) === "done") onDone();
  };
  return { gate, save };
}

function formOf(known: Settings | undefined): SetupForm {
  return {
    name: known?.name ?? "",
    airline: known?.airline ?? "",
    airport: known?.airport ?? "",
    scanner: known?.scanner ?? "scanner",
    sound: known?.sound === false ? "off" : "on",
    speech: speechOf(known),
    clientKey: known?.clientKey ?? "",
    secret: "",
    username: "",
    password: "",
  };
}
