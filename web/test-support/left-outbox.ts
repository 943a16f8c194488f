import "fake-indexeddb/auto";
import { deleteDB, openDB } from "idb";

/** An outbox as an earlier visit left it, with one entry. */
export async function leaveOutbox(): Promise<void> {
  const database = await openDB("taglatch", 1, {
    upgrade: (made) => void made.createObjectStore("outbox", { keyPath: "id" }),
  });
  await database.put("outbox", { id: "1" });
  database.close();
}

export const clearOutbox = () => deleteDB("taglatch");
