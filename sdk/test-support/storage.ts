import "fake-indexeddb/auto";
import { IDBFactory } from "fake-indexeddb";

/** Files share a runtime: each begins with empty storage, as a browser's first visit does. */
globalThis.indexedDB = new IDBFactory();
