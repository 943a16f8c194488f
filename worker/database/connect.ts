import { type DrizzleD1Database, drizzle } from "drizzle-orm/d1";

/** The database as services see it. */
export type Db = DrizzleD1Database;

/** Drizzle over a D1 binding. */
export const connect = (binding: D1Database): Db => drizzle(binding);
