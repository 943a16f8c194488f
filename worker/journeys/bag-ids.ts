import { type SQL, type SQLWrapper, sql } from "drizzle-orm";
import { bags, pastBags } from "../../db/schema.ts";
import type { RequestContext } from "../context.ts";

/**
 * Ids of new bags are drawn at random (rules §5), so that one discloses no other. The service draws more
 * than it needs, and the statement that inserts takes those that are free.
 */

/** Ids drawn beyond those needed: that all of them are in use is practically impossible. */
const SPARE = 8;

/** Free ids as a subselect of rows `n, id`, with n from 1 to at least `count`. */
export function freeBagIds({ random }: Pick<RequestContext, "random">, count: number): SQL {
  const drawn = new Set(Array.from({ length: count + SPARE }, () => int32(random(4))));
  return sql`(select row_number() over (order by key) as n, value as id
    from json_each(${JSON.stringify([...drawn])})
    where not exists (select 1 from ${bags} where ${bags.id} = value)
      and not exists (select 1 from ${pastBags} where ${pastBags.id} = value))`;
}

export const freeBagId = (ctx: Pick<RequestContext, "random">): SQL<number> =>
  sql<number>`(select free.id from ${freeBagIds(ctx, 1)} as free where free.n = 1)`;

/** Place of one more bag of a journey: after all that it has. */
export const nextPosition = (journeyId: SQLWrapper): SQL<number> =>
  sql<number>`(select coalesce(max(${bags.position}), 0) + 1 from ${bags} where ${bags.journeyId} = ${journeyId})`;

/** 1 to 2,147,483,647. */
const int32 = (bytes: Uint8Array) =>
  new DataView(bytes.buffer, bytes.byteOffset, 4).getUint32(0) & 0x7fff_ffff || 1;
