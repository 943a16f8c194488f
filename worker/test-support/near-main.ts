import { DurableObject } from "cloudflare:workers";

/** The Worker as tests run it: its own entry, and beside it a SQLite of their own. */

export { default } from "../index.ts";

/** Holds nothing but its storage: the SQLite that D1 is made of, without the wire before it (near-database.ts). */
export class NearStorage extends DurableObject {}
