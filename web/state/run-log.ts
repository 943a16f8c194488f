/**
 * How long the last operations at tags took, phase by phase, stored on this device for `/diagnostics`: tag makers ask
 * days later. It has times, outcomes and generations; no data of people, bags, bookings or tags.
 */
import { type DBSchema, openDB } from "idb";
import type { RunRecord, Taglatch } from "../../sdk/index.ts";

export const RUNS_KEPT = 50;
const NAME = "taglatch-runs";

interface Schema extends DBSchema {
  runs: { key: number; value: RunRecord };
}

export type RunLog = ReturnType<typeof runLog>;

export function runLog(name: string = NAME) {
  const open = () =>
    openDB<Schema>(name, 1, { upgrade: (db) => void db.createObjectStore("runs", { autoIncrement: true }) });
  const using = async <Value>(work: (db: Awaited<ReturnType<typeof open>>) => Promise<Value>) => {
    const db = await open();
    try {
      return await work(db);
    } finally {
      db.close();
    }
  };
  return {
    add: (run: RunRecord) =>
      using(async (db) => {
        const transaction = db.transaction("runs", "readwrite");
        await transaction.store.add(run);
        const keys = await transaction.store.getAllKeys();
        for (const key of keys.slice(0, -RUNS_KEPT)) await transaction.store.delete(key);
        await transaction.done;
      }),
    /** The newest first. */
    all: () => using(async (db) => (await db.getAll("runs")).reverse()),
    clear: () => using((db) => db.clear("runs")),
  };
}

/** Stores every run of `client` from now on. A run that cannot be stored is dropped: a job never fails for it. */
export function keepRuns(client: Taglatch, log: RunLog = runLog()): () => void {
  return client.diagnostics.subscribe((run) => void log.add(run).catch(() => undefined));
}
