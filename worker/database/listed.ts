import { type SQL, sql } from "drizzle-orm";

/** `values` as one bound value, for `in`: D1 takes a hundred per statement, and a message may name thousands. */
export const listed = (values: readonly (string | number)[]): SQL =>
  sql`(select value from json_each(${JSON.stringify(values)}))`;
