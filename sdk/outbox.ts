/**
 * What the service must still be told after the tag changed: attachments and unlocks. Entries hold ids, no
 * personal data and no token. Each is carried out exactly once, because its id is the Idempotency-Key. Even
 * the first try goes through the outbox, so that a page that closes in the middle loses nothing.
 *
 * An entry is written before the tag hears `commit`. If the page ends there, the entry is a question that only the tag
 * can answer: {@link Outbox.settle}.
 */
import { fromBase64Url, toBase64Url } from "../core/encoding/bytes.ts";
import { neverCancelled, orCancelled } from "./abort.ts";
import type { Database, StoredEntry } from "./database.ts";
import { asTaglatchError, ServiceError, type TaglatchError } from "./errors.ts";
import { Listeners } from "./listeners.ts";
import type { FlushReport, OutboxEntry, OutboxEvent } from "./outbox-records.ts";
import type { Api } from "./service/session.ts";
import { type LastCommit, outcomeOf, type TagWord } from "./tag/secured-tag.ts";
import { sameDevice } from "./tag/tag.ts";
import type { SettleOutcome } from "./types.ts";

export type NewEntry = Omit<StoredEntry, "id" | "createdAt" | "tries" | "question">;

/** A question that nobody has answered for so long (milliseconds) is put away: no lock would live longer. */
const QUESTION_LIFE = 7 * 86_400_000;

/** Refusals that may not last; any other 4xx is final. */
const NOT_FINAL = [401, 408, 429];

export class Outbox {
  readonly #database: Database;
  readonly #api: Api;
  readonly #now: () => number;
  readonly #refused: "drop" | "keep";
  readonly #listeners = new Listeners<OutboxEvent>();
  /** Entries of jobs that run on this page: questions to nobody yet. */
  readonly #inHand = new Set<string>();
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
    const entries = await this.#database.entries();
    return entries.filter(({ id }) => !this.#inHand.has(id)).map(visible);
  }

  subscribe(listener: (event: OutboxEvent) => void): () => void {
    return this.#listeners.add(listener);
  }

  /**
   * Stores what the service must hear if the tag takes the commit that follows, and returns its id. Then comes one of
   * {@link submit} (the tag took it), {@link forget} (it did not) and {@link leaveOpen} (nobody knows).
   */
  async writeAhead(fresh: NewEntry): Promise<string> {
    const entry: StoredEntry = { ...this.#entry(fresh), question: "written" };
    this.#inHand.add(entry.id);
    await this.#database.putEntry(entry);
    return entry.id;
  }

  /** The tag has not taken it. */
  async forget(id: string): Promise<void> {
    this.#inHand.delete(id);
    // What cannot be removed is asked about later, and the tag will say no.
    await this.#database.removeEntry(id).catch(() => undefined);
  }

  /** Nobody knows whether the tag has taken it. */
  leaveOpen(id: string): void {
    this.#inHand.delete(id);
    void this.#tellOf(id);
  }

  async #tellOf(id: string): Promise<void> {
    const entry = (await this.#database.entries().catch(() => [])).find((each) => each.id === id);
    if (entry !== undefined) this.#listeners.tell({ type: "added", entry: visible(entry) });
  }

  /**
   * Answers the questions of one tag by its last commit; `ask` gets its word on it. Undefined where there is no
   * question.
   */
  settle(
    uniqueDeviceId: string,
    last: LastCommit,
    ask: () => Promise<TagWord | undefined>,
  ): Promise<SettleOutcome | undefined> {
    return this.#inTurn(async () => {
      const open = (await this.#ofDevice(uniqueDeviceId)).filter(
        ({ id, question }) => question !== undefined && !this.#inHand.has(id),
      );
      if (open.length === 0) return undefined;
      const taken = open.find((entry) => isTaken(entry, last));
      for (const entry of open) if (entry !== taken) await this.#discard(entry);
      if (taken === undefined) return "not_written";
      await this.#promote(taken, await ask());
      return "written";
    });
  }

  /** The tag took it: from now on it is the service that must hear of it. */
  async #promote(entry: StoredEntry, word: TagWord | undefined): Promise<void> {
    // The service asks for a newer word than the one it has; without it nothing has changed.
    if (entry.question === "stale" && word === undefined) return;
    const { question, ...rest } = entry;
    const real: StoredEntry = {
      ...rest,
      // A changed body wants a new Idempotency-Key.
      id: crypto.randomUUID(),
      ...(word && { tagStatement: toBase64Url(word.bytes) }),
      ...(question === "stale" && { asked: true }),
    };
    await this.#replace(real);
    this.#listeners.tell({ type: "settled", entry: visible(real), written: true });
  }

  /** The tag shows something else: the service need not hear of it. */
  async #discard(entry: StoredEntry): Promise<void> {
    await this.#database.removeEntry(entry.id);
    this.#listeners.tell({ type: "settled", entry: visible(entry), written: false });
  }

  /** Puts a question away that nobody can answer. */
  async dismiss(id: string): Promise<void> {
    const entry = (await this.#database.entries()).find((each) => each.id === id);
    if (entry?.question === undefined || this.#inHand.has(id)) return;
    await this.#database.removeEntry(id);
    this.#listeners.tell({ type: "ended", entry: visible(entry) });
  }

  /**
   * Stores the entry, then tries it once. It supersedes older entries of the same tag, which shows something
   * else now. Resolves with undefined if the service has it, else with the reason why not; the entry then
   * waits for {@link flush}.
   */
  async submit(fresh: NewEntry, signal: AbortSignal): Promise<TaglatchError | undefined> {
    const entry = this.#entry(fresh);
    return this.#inTurn(async () => {
      await this.#replace(entry);
      this.#listeners.tell({ type: "added", entry: visible(entry) });
      return this.#carryOut(entry, signal);
    });
  }

  #entry(fresh: NewEntry): StoredEntry {
    return { ...fresh, id: crypto.randomUUID(), createdAt: this.#now(), tries: 0 };
  }

  async #ofDevice(uniqueDeviceId: string): Promise<StoredEntry[]> {
    return (await this.#database.entries()).filter((each) => sameDevice(each.uniqueDeviceId, uniqueDeviceId));
  }

  /** In place of everything else about this tag, which shows something else now. */
  async #replace(entry: StoredEntry): Promise<void> {
    const older = (await this.#ofDevice(entry.uniqueDeviceId)).map(({ id }) => id);
    await this.#database.putEntry(entry, older);
    for (const id of older) this.#inHand.delete(id);
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
    const entries = (await this.#database.entries()).filter(({ id }) => !this.#inHand.has(id));
    const waiting = entries.filter(({ question }) => question === undefined);
    const open = await this.#questionsLeft(entries);
    let sent = 0;
    let dropped = 0;
    let stale = 0;
    for (const entry of waiting) {
      const error = await this.#carryOut(entry, signal);
      if (error === undefined) sent++;
      else if (wantsTag(entry, error)) stale++;
      else if (isFinal(error)) dropped++;
      else break;
    }
    return { sent, dropped, left: waiting.length - sent - dropped - stale, asking: open + stale };
  }

  /** How many questions are open; those too old are put away, silently. */
  async #questionsLeft(entries: readonly StoredEntry[]): Promise<number> {
    const open = entries.filter(({ question }) => question !== undefined);
    const old = open.filter(({ createdAt }) => this.#now() - createdAt > QUESTION_LIFE);
    for (const { id } of old) await this.#database.removeEntry(id);
    return open.length - old.length;
  }

  async #carryOut(entry: StoredEntry, signal: AbortSignal): Promise<TaglatchError | undefined> {
    try {
      await this.#call(entry, signal);
      await this.#database.removeEntry(entry.id);
      this.#listeners.tell({ type: "sent", entry: visible(entry) });
      return undefined;
    } catch (cause) {
      const error = asTaglatchError(cause);
      if (isFinal(error) && !wantsTag(entry, error)) {
        if (this.#refused === "keep") return error;
        await this.#database.removeEntry(entry.id);
        this.#listeners.tell({ type: "dropped", entry: visible(entry), error });
      } else {
        const asks = wantsTag(entry, error) ? ({ question: "stale" } as const) : {};
        const kept: StoredEntry = { ...entry, ...asks, tries: entry.tries + 1 };
        await this.#database.putEntry(kept);
        this.#listeners.tell({ type: "kept", entry: visible(kept), error });
      }
      return error;
    }
  }

  async #call(entry: StoredEntry, signal: AbortSignal): Promise<void> {
    const { uniqueDeviceId, baggageId, tagCertificate, tagStatement, cti } = entry;
    const options = { signal, idempotencyKey: entry.id };
    const proof = {
      ...(tagCertificate !== undefined && { tagCertificate }),
      ...(tagStatement !== undefined && { tagStatement }),
      ...(cti !== undefined && { cti }),
    };
    if (entry.kind === "unlock") {
      const bag = baggageId === undefined ? {} : { forBaggageId: baggageId };
      await this.#api.call("ebtUnlock", { uniqueDeviceId, ...bag, ...proof }, options);
      return;
    }
    const body = { device: deviceOf(entry), baggageId: baggageId ?? 0, ...proof };
    await this.#api.call("deviceAttachment", body, options);
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

/** The service has heard something newer: it is worth asking the tag again, once. */
function wantsTag({ tagStatement, asked }: StoredEntry, error: TaglatchError): boolean {
  return error.code === "stale_statement" && tagStatement !== undefined && asked !== true;
}

/** Whether the tag's last commit is the entry's. */
function isTaken({ mark, commitsBefore }: StoredEntry, last: LastCommit): boolean {
  if (mark === undefined) return false;
  return outcomeOf(last, fromBase64Url(mark), { commits: commitsBefore }) === "committed";
}

function deviceOf({ uniqueDeviceId, batteryPercentage, firmwareVersion }: StoredEntry) {
  return {
    uniqueID: uniqueDeviceId,
    ...(batteryPercentage !== undefined && { batteryPercentage }),
    ...(firmwareVersion !== undefined && { firmwareVersion }),
  };
}

function visible(entry: StoredEntry): OutboxEntry {
  const { id, kind, uniqueDeviceId, baggageId, createdAt, tries, question } = entry;
  const bag = baggageId === undefined ? {} : { baggageId };
  return { id, kind, uniqueDeviceId, createdAt, tries, ...bag, ...(question && { question }) };
}
