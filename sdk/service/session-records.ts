/** The session as it is kept on this device, and who is told when it changes. */
import type { LoginResponse } from "../../core/api/index.ts";
import type { Database, SessionRecord } from "../database.ts";
import { Listeners } from "../listeners.ts";
import type { LoginMethod, SessionState } from "../types.ts";
import { type AppKey, loadAppKey } from "./app-key.ts";

export class SessionRecords {
  readonly #database: Database;
  readonly #now: () => number;
  readonly #listeners = new Listeners<SessionState>();

  /** `now`: milliseconds since 1970. */
  constructor(database: Database, now: () => number) {
    this.#database = database;
    this.#now = now;
  }

  read(): Promise<SessionRecord | undefined> {
    return this.#database.read("session");
  }

  /** The app's key, made at the first need. */
  key(): Promise<AppKey> {
    return loadAppKey(this.#database);
  }

  async state(): Promise<SessionState> {
    return stateOf(await this.read());
  }

  subscribe(listener: (state: SessionState) => void): () => void {
    return this.#listeners.add(listener);
  }

  /** What a login or refresh answered. A certificate got by another method goes. */
  async store(method: LoginMethod, answer: LoginResponse): Promise<SessionRecord> {
    const { accessToken, expiresIn, refreshToken, refreshExpiresIn } = answer;
    const now = this.#now();
    const record: SessionRecord = {
      method,
      accessToken,
      accessExpiresAt: now + expiresIn * 1_000,
      ...(refreshToken !== undefined && { refreshToken }),
      ...(refreshExpiresIn !== undefined && { refreshExpiresAt: now + refreshExpiresIn * 1_000 }),
    };
    const previous = await this.read();
    if (previous !== undefined && previous.method !== method) await this.#database.forget("certificate");
    await this.#database.write("session", record);
    this.#listeners.tell(stateOf(record));
    return record;
  }

  /** The session is over, but not forgotten: who was signed in must sign in again. */
  async end({ method }: SessionRecord): Promise<void> {
    await this.#database.write("session", { method, accessExpiresAt: 0 });
    this.#listeners.tell(stateOf(undefined));
  }

  /** Session, key and certificate leave this device, and which passkey it was; the passkey itself stays. */
  async forget(): Promise<void> {
    await this.#database.forget("session", "key", "certificate", "passkey", "tagNames");
    this.#listeners.tell(stateOf(undefined));
  }
}

function stateOf(record: SessionRecord | undefined): SessionState {
  if (record?.accessToken === undefined) return { method: "none" };
  return { method: record.method, expiresAt: record.refreshExpiresAt ?? record.accessExpiresAt };
}
