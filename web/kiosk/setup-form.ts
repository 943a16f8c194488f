import { createSignal } from "solid-js";
import type { Result, StaffProof, Taglatch } from "../../sdk/index.ts";
import { useI18n } from "../i18n/index.tsx";
import { createRequest, type Request } from "../state/create-request.ts";
import { createStaffGate } from "./create-staff-gate.ts";
import {
  type Scanner,
  type Settings,
  type SetupStore,
  type SpeechSettings,
  speechOf,
} from "./setup-store.ts";

/** Required fields, and the messages where they are empty. */
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

/** Saves a set-up: at once, or after staff sign in where the service demands it. */
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

/** The form of `/kiosk/setup`, as typed. */
export interface SetupForm {
  readonly name: string;
  readonly airline: string;
  readonly airport: string;
  readonly scanner: Scanner;
  readonly sound: "on" | "off";
  readonly speech: SpeechSettings;
  readonly clientKey: string;
  /** If empty, the secret on this device stays. */
  readonly secret: string;
  readonly username: string;
  readonly password: string;
}

export interface SaveParts {
  readonly setup: SetupStore;
  readonly createClient: (clientKey?: string) => Promise<Taglatch>;
}

/** A set-up that the service has accepted a sign-in with, not saved yet. */
export interface Accepted {
  readonly client: Taglatch;
  readonly settings: Settings;
  readonly b2bSecret: string;
  /** Its client demands id and PIN of staff. */
  readonly pinRequired: boolean;
}

/** Signs in with the set-up: only people who may sign in can change it, and a saved set-up is known to work. */
export async function signInWith(form: SetupForm, parts: SaveParts): Promise<Result<Accepted>> {
  const settings = settingsOf(form);
  const b2bSecret = form.secret.trim() || (await parts.setup.secret()) || "";
  const client = await parts.createClient(settings.clientKey);
  const { username, password } = form;
  const answer = await client.session.loginB2B({ username: username.trim(), password, b2bSecret });
  if (!answer.ok) return answer;
  const pinRequired = await client.staff.isPinRequired();
  if (!pinRequired.ok) return pinRequired;
  return { ok: true, value: { client, settings, b2bSecret, pinRequired: pinRequired.value } };
}

/** Saves it; the gate has checked staff where the client demands it. The kiosk is signed in already. */
export async function saveSetup(
  { settings, b2bSecret }: Accepted,
  { setup }: Pick<SaveParts, "setup">,
): Promise<Result<void>> {
  return { ok: true, value: await setup.save(settings, b2bSecret) };
}

/** The same after id and PIN, where {@link Accepted.pinRequired}. */
export async function saveSetupAs(
  staff: StaffProof,
  accepted: Accepted,
  parts: Pick<SaveParts, "setup">,
): Promise<Result<void>> {
  const checked = await accepted.client.staff.check(staff, "set_up");
  return checked.ok ? saveSetup(accepted, parts) : checked;
}

function settingsOf({ name, airline, airport, scanner, sound, speech, clientKey }: SetupForm): Settings {
  const key = clientKey.trim();
  return {
    name: name.trim(),
    airline: airline.trim().toUpperCase(),
    airport: airport.trim().toUpperCase(),
    scanner,
    sound: sound === "on",
    speech,
    ...(key === "" ? {} : { clientKey: key }),
  };
}
