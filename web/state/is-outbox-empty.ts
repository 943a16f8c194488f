/**
 * Whether the SDK's outbox in `databaseName` is empty, without loading the SDK. Asked of the database itself: a browser
 * that is killed may lose what was last put beside it.
 */
export async function isOutboxEmpty(databaseName: string): Promise<boolean> {
  try {
    // Opening a database that is not there would make one.
    const all = await indexedDB.databases();
    if (!all.some(({ name }) => name === databaseName)) return true;
    const database = await answerOf(indexedDB.open(databaseName));
    try {
      return (await answerOf(database.transaction("outbox").objectStore("outbox").count())) === 0;
    } finally {
      database.close();
    }
  } catch {
    // A browser without storage has no outbox either.
    return true;
  }
}

const answerOf = <Value>(request: IDBRequest<Value>) =>
  new Promise<Value>((resolve, reject) => {
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(request.error);
  });
