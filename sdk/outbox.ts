/**
 * What is still to be reported to the service after the tag changed: attachments and unlocks. Entries hold ids, no
 * personal data and no token. Each is carried out exactly once, because its id is the Idempotency-Key. Even
 * the first try goes through the outbox, so that a page that closes in the middle loses nothing.
 *
 * An entry is written before `commit` is sent to the tag. If the page ends there, the entry is unresolved, and only the tag
 * can answer: {@link Outbox.settle}.
 */
import { toBase64Url } from "../core/encoding/bytes.ts";
import { foldDeviceId } from "../core/pki/tag-roots.ts";
import { neverCancelled, orCancelled } from "./abort.ts";
import { asTaglatchError, ServiceError, type TaglatchError } from "./errors.ts";
import { Listeners } from "./listeners.ts";
import {
  deviceOf,
  ENTRY_LIFE,
  endsEntry,
  isDue,
  isTaken,
  pauseAfter,
  UNRESOLVED_LIFE,
  visible,
  wantsTag,
} from "./outbox-rules.ts";
import type { Api } from "./service/session.ts";
import type { StoredEntry, TaglatchStorage } from "./storage.ts";
import type { LastCommit, SignedStatement } from "./tag/secured-tag.ts";
import { sameDevice } from "./tag/tag.ts";
import type { FlushReport, OutboxEntry, OutboxEvent, SettleOutcome } from "./types.ts";

export type NewEntry = Omit<StoredEntry, "id" | "createdAt" | "tries" | "nextTryAt" | "unresolved">;

/** What became of one try; `gone`: another page, or a newer entry, has ended it since. */
interface Outcome {
  readonly as: "sent" | "dropped" | "left" | "asking" | "gone";
  readonly error?: TaglatchError;
  /** As it is to be tried again. */
  readonly kept?: StoredEntry;
}

/** One flush on its way. */
interface FlushRun {
  readonly due: boolean;
  /** Undefined until they are listed. */
  waiting?: StoredEntry[];
  readonly report: Record<Exclude<Outcome["as"], "gone">, number> & { readonly sentIds: string[] };
  /** Tags whose older entry still waits. */
  readonly blocked: Set<string>;
}

export class Outbox {
  readonly #database: TaglatchStorage;
  readonly #api: Api;
  readonly #now: () => number;
  readonly #onRefusal: "drop" | "keep";
  readonly #listeners = new Listeners<OutboxEvent>();
  /** Entries of jobs that run on this page: not unresolved yet. */
  readonly #inHand = new Map<string, StoredEntry>();
  /** Questions of this page, for when storage cannot be read. */
  readonly #open = new Map<string, StoredEntry>();
  /** What was sent for an unresolved entry while storage failed, by its id: a retry needs its key and its body. */
  readonly #sent = new Map<string, StoredEntry>();
  /** What is over although storage would not let it go. */
  readonly #over = new Set<string>();
  #last: Promise<unknown> = Promise.resolve();
  /** By whether they try only what is due. */
  readonly #flushes = new Map<boolean, Promise<FlushReport>>();

  /**
   * `refused`: what to do with an entry that the service refuses for good: end it, or leave it for a page
   * which a person reads.
   */
  constructor(database: TaglatchStorage, api: Api, now: () => number, refused: "drop" | "keep" = "drop") {
    this.#database = database;
    this.#api = api;
    this.#now = now;
    this.#onRefusal = refused;
  }

  async entries(): Promise<OutboxEntry[]> {
    return (await this.#stored()).map(visible);
  }

  /** All but those of jobs that run here, oldest first. */
  async #stored(): Promise<StoredEntry[]> {
    const open = [...this.#open.values()];
    const entries = await this.#database.entries().catch((error: unknown) => {
      if (open.length === 0) throw error;
      return open;
    });
    return entries.filter(({ id }) => !this.#inHand.has(id) && !this.#over.has(id));
  }

  subscribe(listener: (event: OutboxEvent) => void): () => void {
    return this.#listeners.add(listener);
  }

  /**
   * Stores what is reported to the service if the tag takes the commit that follows, and returns its id. Then comes one of
   * {@link submit} (the tag took it), {@link forget} (it did not) and {@link leaveOpen} (unknown).
   */
  async enqueueBeforeCommit(newEntry: NewEntry): Promise<string> {
    const entry: StoredEntry = { ...this.#entry(newEntry), unresolved: "written" };
    this.#inHand.set(entry.id, entry);
    try {
      await this.#database.putEntry(entry);
    } catch (error) {
      this.#inHand.delete(entry.id);
      throw error;
    }
    return entry.id;
  }

  /** The tag has not taken it. */
  async forget(id: string): Promise<void> {
    this.#inHand.delete(id);
    // An entry that cannot be removed stays unresolved, and the tag's last commit settles it later.
    await this.#database.removeEntry(id).catch(() => undefined);
  }

  /** Whether the tag has taken it is unknown. */
  leaveOpen(id: string): void {
    const entry = this.#inHand.get(id);
    this.#inHand.delete(id);
    if (entry === undefined) return;
    this.#open.set(id, entry);
    this.#listeners.notify({ type: "added", entry: visible(entry) });
  }

  /**
   * Settles the unresolved entries of one tag by its last commit; `ask` gets its statement of it. Undefined where
   * there are none.
   */
  settle(
    uniqueDeviceId: string,
    last: LastCommit,
    ask: () => Promise<SignedStatement | undefined>,
  ): Promise<SettleOutcome | undefined> {
    return this.#inTurn(async () => {
      const open = (await this.#ofDevice(uniqueDeviceId)).filter(
        ({ id, unresolved }) => unresolved !== undefined && !this.#inHand.has(id) && !this.#over.has(id),
      );
      if (open.length === 0) return undefined;
      const taken = open.find((entry) => isTaken(entry, last));
      for (const entry of open) if (entry !== taken) await this.#discard(entry);
      if (taken === undefined) return "not_written";
      await this.#promote(taken, await ask());
      return "written";
    });
  }

  /** The tag took it: from now on it waits for the service. */
  async #promote(open: StoredEntry, signed: SignedStatement | undefined): Promise<void> {
    const entry = this.#sent.get(open.id) ?? open;
    // The service asks for a newer statement than the one it has; without it nothing has changed.
    if (entry.unresolved === "stale" && signed === undefined) return;
    const real = entry.unresolved === undefined ? entry : confirmed(entry, signed);
    await this.#replace(real);
    this.#listeners.notify({ type: "settled", entry: visible(real), written: true });
  }

  /** The tag shows something else: nothing is reported. */
  async #discard(entry: StoredEntry): Promise<void> {
    await this.#database.removeEntry(entry.id);
    this.#release(entry.id);
    this.#listeners.notify({ type: "settled", entry: visible(entry), written: false });
  }

  /** Discards an unresolved entry whose tag cannot be held near. */
  async dismiss(id: string): Promise<void> {
    const entry = (await this.#stored()).find((each) => each.id === id);
    if (entry?.unresolved === undefined) return;
    await this.#end(id);
    this.#listeners.notify({ type: "ended", entry: visible(entry) });
  }

  /**
   * Stores the entry, then tries it once. It supersedes older entries of the same tag, which shows something
   * else now. Resolves with undefined if the service has it, else with the reason why not; the entry then
   * waits for {@link flush}, unless the reason ends it. Where storage fails, the service is called all the same.
   */
  async submit(newEntry: NewEntry, signal: AbortSignal): Promise<TaglatchError | undefined> {
    const entry = this.#entry(newEntry);
    return this.#inTurn(async () => {
      try {
        await this.#replace(entry);
      } catch {
        return (await this.#withoutStorage(entry, signal)).error;
      }
      this.#listeners.notify({ type: "added", entry: visible(entry) });
      return (await this.#carryOut(entry, signal)).error;
    });
  }

  /** What the service does not take now stays what was stored before the commit: unresolved, shown at once. */
  async #withoutStorage(entry: StoredEntry, signal: AbortSignal): Promise<Outcome> {
    const ahead = [...this.#inHand.values()].filter(({ uniqueDeviceId }) =>
      sameDevice(uniqueDeviceId, entry.uniqueDeviceId),
    );
    const outcome = await this.#carryOut(entry, signal, false);
    if (outcome.as === "sent" || outcome.as === "dropped") {
      const older = await this.#ofDevice(entry.uniqueDeviceId).catch(() => []);
      for (const { id } of [...ahead, ...older]) await this.#end(id);
    } else {
      for (const { id } of ahead) {
        this.leaveOpen(id);
        if (outcome.kept) this.#sent.set(id, outcome.kept);
      }
    }
    return outcome;
  }

  #entry(newEntry: NewEntry): StoredEntry {
    return { ...newEntry, id: crypto.randomUUID(), createdAt: this.#now(), tries: 0 };
  }

  async #ofDevice(uniqueDeviceId: string): Promise<StoredEntry[]> {
    return (await this.#database.entries()).filter((each) => sameDevice(each.uniqueDeviceId, uniqueDeviceId));
  }

  /** In place of everything else about this tag, which shows something else now. */
  async #replace(entry: StoredEntry): Promise<void> {
    const older = (await this.#ofDevice(entry.uniqueDeviceId)).map(({ id }) => id);
    await this.#database.putEntry(entry, older);
    for (const id of older) this.#release(id);
  }

  #release(id: string): void {
    for (const entries of [this.#inHand, this.#open, this.#sent]) entries.delete(id);
  }

  /** Removes an entry that is over; false if it was gone already. */
  async #end(id: string): Promise<boolean> {
    this.#release(id);
    try {
      return await this.#database.removeEntry(id);
    } catch {
      // Sent again, it is the same Idempotency-Key.
      this.#over.add(id);
      return true;
    }
  }

  /**
   * Tries everything that waits, oldest first; what cannot be sent now holds up its own tag alone. With `due`, only entries
   * whose pause is over ({@link OutboxEntry.nextTryAt}). One flush of a kind at a time.
   */
  flush(signal: AbortSignal, due = false): Promise<FlushReport> {
    // One caller's cancellation must not end another caller's flush.
    const flush = this.#flushes.get(due) ?? this.#flushAll(due).finally(() => this.#flushes.delete(due));
    this.#flushes.set(due, flush);
    return orCancelled(signal, flush);
  }

  async #flushAll(due: boolean): Promise<FlushReport> {
    const report = { sent: 0, sentIds: [], dropped: 0, left: 0, asking: 0 };
    const run: FlushRun = { due, report, blocked: new Set() };
    // A turn for each: a tag that is written during the flush waits for one call at most.
    while (await this.#inTurn(() => this.#flushNext(run)));
    return report;
  }

  /** Tries the next entry. False when there is none. */
  async #flushNext(run: FlushRun): Promise<boolean> {
    const { report, blocked, due } = run;
    run.waiting ??= await this.#listed(run);
    const next = run.waiting.shift();
    if (next === undefined) return false;
    const device = foldDeviceId(next.uniqueDeviceId);
    const outcome = blocked.has(device) ? { as: "left" as const } : await this.#again(next.id, due);
    if (outcome.as === "left") blocked.add(device);
    if (outcome.as !== "gone") report[outcome.as]++;
    if (outcome.as === "sent") report.sentIds.push(next.id);
    return run.waiting.length > 0;
  }

  /** What waits for the service, oldest first. Counts unresolved entries, and discards those that are too old, silently. */
  async #listed({ report }: FlushRun): Promise<StoredEntry[]> {
    const entries = await this.#stored();
    for (const id of this.#over)
      if (await this.#database.removeEntry(id).catch(() => false)) this.#over.delete(id);
    const open = entries.filter(({ unresolved }) => unresolved !== undefined);
    const old = open.filter(({ createdAt }) => this.#now() - createdAt > UNRESOLVED_LIFE);
    for (const { id } of old) await this.#end(id);
    report.asking = open.length - old.length;
    return entries.filter(({ unresolved }) => unresolved === undefined);
  }

  /** One more try of an entry as it is stored by now. */
  async #again(id: string, due: boolean): Promise<Outcome> {
    const entry = await this.#database.entry(id);
    if (entry === undefined || entry.unresolved !== undefined) return { as: "gone" };
    if (due && !isDue(entry, this.#now())) return { as: "left" };
    return this.#carryOut(entry, neverCancelled());
  }

  /** `stored`: false where storage has failed, and there is nothing to put back. */
  async #carryOut(entry: StoredEntry, signal: AbortSignal, stored = true): Promise<Outcome> {
    try {
      await this.#call(entry, signal);
    } catch (cause) {
      return this.#refused(entry, asTaglatchError(cause), stored);
    }
    if (stored) await this.#end(entry.id);
    this.#listeners.notify({ type: "sent", entry: visible(entry) });
    return { as: "sent" };
  }

  async #refused(entry: StoredEntry, error: TaglatchError, stored: boolean): Promise<Outcome> {
    if (endsEntry(entry, error)) return this.#drop(entry, error, stored);
    const asks = wantsTag(entry, error);
    if (!asks && this.#now() - entry.createdAt > ENTRY_LIFE) {
      const what = "the service took no report in time";
      return this.#drop(entry, new ServiceError("never_confirmed", what, { cause: error }), stored);
    }
    const tries = entry.tries + 1;
    const nextTryAt = this.#now() + pauseAfter(tries, error);
    const kept: StoredEntry = { ...entry, ...(asks && { unresolved: "stale" }), tries, nextTryAt };
    // What storage cannot note is there as it was.
    if (stored && (await this.#database.updateEntry(kept).catch(() => true)))
      this.#listeners.notify({ type: "kept", entry: visible(kept), error });
    return { as: asks ? "asking" : "left", error, kept };
  }

  async #drop(entry: StoredEntry, error: ServiceError, stored: boolean): Promise<Outcome> {
    const ends = this.#onRefusal === "drop" && (!stored || (await this.#end(entry.id)));
    if (ends) this.#listeners.notify({ type: "dropped", entry: visible(entry), error });
    return { as: "dropped", error };
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

/** An entry that the tag has settled, as it is reported to the service: its changed body wants a new Idempotency-Key. */
function confirmed({ unresolved, ...entry }: StoredEntry, signed: SignedStatement | undefined): StoredEntry {
  return {
    ...entry,
    id: crypto.randomUUID(),
    ...(signed && { tagStatement: toBase64Url(signed.bytes) }),
    ...(unresolved === "stale" && { asked: true }),
  };
}
