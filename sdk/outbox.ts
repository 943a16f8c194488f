/**
 * What the service must still be told after the tag changed: attachments and unlocks. Entries hold ids, no
 * personal data and no token. Each is carried out exactly once, because its id is the Idempotency-Key. Even
 * the first try goes through the outbox, so that a page that closes in the middle loses nothing.
 */
import { neverCancelled, orCancelled } from "./abort.ts";
import type { Database, StoredEntry } from "./database.ts";
import { asTaglatchError, ServiceError, type TaglatchError } from "./errors.ts";
import { Listeners } from "./listeners.ts";
import type { Api } from "./service/session.ts";
import { foldDeviceId } from "./tag/tag.ts";
import type { FlushReport, OutboxEntry, OutboxEvent } from "./types.ts";

export type NewEntry = Omit<StoredEntry, "id" | "createdAt" | "tries">;

/** Refusals that may not last; any other 4xx is final. */
const NOT_FINAL = [401, 408, 429];

export class Outbox {
  readonly #database: Database;
  readonly #api: Api;
  readonly #now: () => number;
  readonly #refused: "drop" | "keep";
  readonly #listeners = new Listeners<OutboxEvent>();
  #last: Promise<unknown> = Promise.resolve();
  #flush: Promise<FlushReport> | undefined;

  /**
   * `refused`: what to do with an entry that the service refuses for good: end it, or leave it for somebody
   * who can tell a person.
   */
  constructor(database: Database, api: Api, now: () => number, refused: "drop" | "keep" = "drop") {
    this.#database = database;
    this.#api = api;
    this.#now = now;
    this.#refused = refused;
  }

  async entries(): Promise<OutboxEntry[]> {
    return (await this.#database.entries()).map(visible);
  }

  subscribe(listener: (event: OutboxEvent) => void): () => void {
    return this.#listeners.add(listener);
  }

  /**
   * Stores the entry, then tries it once. It supersedes older entries of the same tag, which shows something
   * else now. Resolves with undefined if the service has it, else with the reason why not; the entry then
   * waits for {@link flush}.
   */
  async submit(fresh: NewEntry, signal: AbortSignal): Promise<TaglatchError | undefined> {
    const entry = { ...fresh, id: crypto.randomUUID(), createdAt: this.#now(), tries: 0 };
    return this.#inTurn(async () => {
      const device = foldDeviceId(entry.uniqueDeviceId);
      const older = (await this.#database.entries()).filter(
        (each) => foldDeviceId(each.uniqueDeviceId) === device,
      );
      await this.#database.putEntry(
        entry,
        older.map(({ id }) => id),
      );
      this.#listeners.tell({ type: "added", entry: visible(entry) });
      return this.#carryOut(entry, signal);
    });
  }

  /**
   * Tries everything that waits, oldest first; stops at the first entry that cannot be tried now. One flush
   * at a time.
   */
  flush(signal: AbortSignal): Promise<FlushReport> {
    // One caller's cancellation must not end another caller's flush.
    this.#flush ??= this.#inTurn(() => this.#flushAll(neverCancelled())).finally(() => {
      this.#flush = undefined;
    });
    return orCancelled(signal, this.#flush);
  }

  async #flushAll(signal: AbortSignal): Promise<FlushReport> {
    const waiting = await this.#database.entries();
    let sent = 0;
    let dropped = 0;
    for (const entry of waiting) {
      const error = await this.#carryOut(entry, signal);
      if (error === undefined) sent++;
      else if (isFinal(error)) dropped++;
      else break;
    }
    return { sent, dropped, left: waiting.length - sent - dropped };
  }

  async #carryOut(entry: StoredEntry, signal: AbortSignal): Promise<TaglatchError | undefined> {
    try {
      await this.#call(entry, signal);
      await this.#database.removeEntry(entry.id);
      this.#listeners.tell({ type: "sent", entry: visible(entry) });
      return undefined;
    } catch (cause) {
      const error = asTaglatchError(cause);
      if (isFinal(error)) {
        if (this.#refused === "keep") return error;
        await this.#database.removeEntry(entry.id);
        this.#listeners.tell({ type: "dropped", entry: visible(entry), error });
      } else {
        const kept = { ...entry, tries: entry.tries + 1 };
        await this.#database.putEntry(kept);
        this.#listeners.tell({ type: "kept", entry: visible(kept), error });
      }
      return error;
    }
  }

  async #call(entry: StoredEntry, signal: AbortSignal): Promise<void> {
    const { uniqueDeviceId, baggageId, batteryPercentage, firmwareVersion, tagCertificate } = entry;
    const options = { signal, idempotencyKey: entry.id };
    if (entry.kind === "unlock") {
      await this.#api.call("ebtUnlock", { uniqueDeviceId }, options);
      return;
    }
    const device = {
      uniqueID: uniqueDeviceId,
      ...(batteryPercentage !== undefined && { batteryPercentage }),
      ...(firmwareVersion !== undefined && { firmwareVersion }),
    };
    const certificate = tagCertificate === undefined ? {} : { tagCertificate };
    await this.#api.call("deviceAttachment", { device, baggageId: baggageId ?? 0, ...certificate }, options);
  }

  #inTurn<T>(work: () => Promise<T>): Promise<T> {
    const turn = this.#last.then(work);
    this.#last = turn.catch(() => undefined);
    return turn;
  }
}

function isFinal(error: TaglatchError): error is ServiceError {
  if (!(error instanceof ServiceError) || error.code === "idempotency_in_flight") return false;
  const { statusCode = 0 } = error;
  return statusCode >= 400 && statusCode < 500 && !NOT_FINAL.includes(statusCode);
}

function visible({ id, kind, uniqueDeviceId, baggageId, createdAt, tries }: StoredEntry): OutboxEntry {
  return { id, kind, uniqueDeviceId, createdAt, tries, ...(baggageId !== undefined && { baggageId }) };
}
