import type { Result, Taglatch } from "../../sdk/index.ts";
import type { Scanner, Settings, SetupStore } from "./setup-store.ts";

/** The form of `/kiosk/setup`, as typed. */
export interface SetupForm {
  readonly name: string;
  readonly airline: string;
  readonly airport: string;
  readonly scanner: Scanner;
  readonly sound: "on" | "off";
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

/**
 * Saves the set-up if the service accepts a staff sign-in with it. So only people who may sign in can change
 * it, and a saved set-up is known to work. After saving, the kiosk is signed in.
 */
export async function saveSetup(form: SetupForm, parts: SaveParts): Promise<Result<void>> {
  const settings = settingsOf(form);
  const b2bSecret = form.secret.trim() || (await parts.setup.secret()) || "";
  const client = await parts.createClient(settings.clientKey);
  const { username, password } = form;
  const answer = await client.session.loginB2B({ username: username.trim(), password, b2bSecret });
  if (!answer.ok) return answer;
  return { ok: true, value: await parts.setup.save(settings, b2bSecret) };
}

function settingsOf({ name, airline, airport, scanner, sound, clientKey }: SetupForm): Settings {
  const key = clientKey.trim();
  return {
    name: name.trim(),
    airline: airline.trim().toUpperCase(),
    airport: airport.trim().toUpperCase(),
    scanner,
    sound: sound === "on",
    ...(key === "" ? {} : { clientKey: key }),
  };
}
