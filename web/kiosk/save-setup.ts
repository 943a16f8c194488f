import type { Result, StaffProof, Taglatch } from "../../sdk/index.ts";
import type { Scanner, Settings, SetupStore, SpeechSettings } from "./setup-store.ts";

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
  /** Its client wants to know who stands there. */
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

/** Saves it; whoever had to say who they are was checked before. The kiosk is signed in already. */
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
