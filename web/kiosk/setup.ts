/**
 * What makes this device a kiosk: one record in an IndexedDB of its own, which outlives passengers and
 * shifts. The B2B secret in it is sealed with a key that scripts can use but not read (docs/security.md says
 * what that protects).
 */
import { type DBSchema, type IDBPDatabase, openDB } from "idb";
import { createSignal } from "solid-js";
import { type Bytes, fromUtf8, utf8 } from "../../core/encoding/bytes.ts";
import { ConfigurationError, type Result, type StaffProof, type Taglatch } from "../../sdk/index.ts";
import { useI18n } from "../i18n/index.tsx";
import { createRequest, type Request } from "../state/create-request.ts";
import { createStaffGate } from "./staff.ts";

export const SCANNERS = ["scanner", "camera", "both"] as const;
type Scanner = (typeof SCANNERS)[number];

export const SPEECH_OFFERS = ["off", "headphones", "both"] as const;
/** Function keys: neither scanners nor typing send them. The next three repeat, change pace and change volume. */
export const SPEECH_KEYS = ["F1", "F5", "F17"] as const;
export const SPEECH_RATES = ["slow", "normal", "fast"] as const;
export type SpeechRate = (typeof SPEECH_RATES)[number];

export interface SpeechSettings {
  /** `both`: on a loudspeaker too, without personal data unless the person says so. */
  readonly offered: (typeof SPEECH_OFFERS)[number];
  /** What starts it. */
  readonly key: (typeof SPEECH_KEYS)[number];
  readonly rate: SpeechRate;
}

export interface Settings {
  /** The name that staff use for this kiosk. */
  readonly name: string;
  /** IATA codes, upper case. */
  readonly airline: string;
  readonly airport: string;
  readonly scanner: Scanner;
  /** Whether a short sound precedes the clearing of the screen. */
  readonly sound: boolean;
  /** Absent in a set-up of before there was speech. */
  readonly speech?: SpeechSettings;
  /** X-Source-App-Key; absent: the configuration's kiosk key. */
  readonly clientKey?: string;
}

/** Speech is offered by default, and silent until a person asks for it. */
export const speechOf = (settings: Settings | undefined): SpeechSettings =>
  settings?.speech ?? { offered: "both", key: "F1", rate: "normal" };

interface StoredSetup {
  readonly settings: Settings;
  readonly key: CryptoKey;
  readonly iv: Bytes;
  readonly sealedSecret: Bytes;
}

interface Schema extends DBSchema {
  setup: { key: "kiosk"; value: StoredSetup };
}

export type SetupStore = ReturnType<typeof openSetupStore>;

const SETUP_DATABASE = "taglatch-kiosk-setup";

/** Every method throws {@link ConfigurationError} `storage_unavailable` if the browser gives no storage. */
export function openSetupStore(name = SETUP_DATABASE) {
  const read = () => withDatabase(name, (db) => db.get("setup", "kiosk"));
  return {
    /** Undefined on a device that is not set up. */
    settings: async () => (await read())?.settings,
    /** The B2B secret; undefined where there is none. */
    secret: async () => {
      const stored = await read();
      if (stored === undefined) return undefined;
      const { key, iv, sealedSecret } = stored;
      return fromUtf8(
        new Uint8Array(await crypto.subtle.decrypt({ name: "AES-GCM", iv }, key, sealedSecret)),
      );
    },
    /** Replaces both. */
    save: async (settings: Settings, secret: string) => {
      const key = await crypto.subtle.generateKey({ name: "AES-GCM", length: 256 }, false, [
        "encrypt",
        "decrypt",
      ]);
      const iv = crypto.getRandomValues(new Uint8Array(12));
      const sealed = await crypto.subtle.encrypt({ name: "AES-GCM", iv }, key, utf8(secret));
      const sealedSecret = new Uint8Array(sealed);
      await withDatabase(name, (db) => db.put("setup", { settings, key, iv, sealedSecret }, "kiosk"));
    },
  };
}

async function withDatabase<T>(name: string, use: (db: IDBPDatabase<Schema>) => Promise<T>): Promise<T> {
  try {
    const db = await openDB<Schema>(name, 1, { upgrade: (fresh) => void fresh.createObjectStore("setup") });
    try {
      return await use(db);
    } finally {
      db.close();
    }
  } catch (cause) {
    throw new ConfigurationError("storage_unavailable", "the kiosk's set-up cannot be stored", { cause });
  }
}

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
  const gate = createStaffGate(async () => ({ ok: true, value: "pin" }));
  const save = async (form: SetupForm) => {
    let accepted: Accepted | undefined;
    const take = (value: Accepted) => {
      accepted = value;
    };
    const signedIn = await request.send(() => signInWith(form, parts), take);
    if (signedIn !== "done" || accepted === undefined) return;
    const found: Accepted = accepted;
    if (found.pinRequired)
      await gate.begin(
        (_pin, { name, secret }) => saveSetup(found, parts, { id: name, pin: secret }),
        onDone,
      );
    else if ((await request.send(() => saveSetup(found, parts))) === "done") onDone();
  };
  return { gate, save };
}

const formOf = (known: Settings | undefined): SetupForm => ({
  ...{ name: "", airline: "", airport: "", scanner: "scanner", clientKey: "" },
  ...known,
  sound: known?.sound === false ? "off" : "on",
  speech: speechOf(known),
  secret: "",
  username: "",
  password: "",
});

/** The form of `/kiosk/setup`, as typed. */
export interface SetupForm extends Omit<Required<Settings>, "sound"> {
  readonly sound: "on" | "off";
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
interface Accepted {
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

/** Saves it, where {@link Accepted.pinRequired} after id and PIN. The kiosk is signed in already. */
export async function saveSetup(
  { client, settings, b2bSecret }: Accepted,
  { setup }: Pick<SaveParts, "setup">,
  staff?: StaffProof,
): Promise<Result<void>> {
  const checked = staff && (await client.staff.check(staff, "set_up"));
  if (checked?.ok === false) return checked;
  return { ok: true, value: await setup.save(settings, b2bSecret) };
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
