/**
 * Read replicas that are never behind their caller (D1 Sessions). Every answer names the bookmark of the database it
 * saw; a look-up that brings one back may be answered by any copy that has got as far, everything else by the primary.
 */

/** Where a request's reads begin: at the primary, or at any copy that has seen a bookmark. */
export type Since = "first-primary" | (string & {});

/** What D1 hands out: letters, digits and dashes. Anything else is not passed on. */
const BOOKMARK = /^[0-9A-Za-z-]{1,128}$/;

/** The bookmark a caller sent for an endpoint that copies may answer; without a usable one, the primary. */
export const since = (sent: string | null, mayBeCopy: boolean): Since =>
  mayBeCopy && sent !== null && BOOKMARK.test(sent) ? sent : "first-primary";

/** A database, and the latest bookmark its queries came back with. */
export interface Bookmarked {
  readonly database: D1Database;
  latest(): string | undefined;
}

/**
 * `binding`, every round trip a D1 session of its own that begins at `from`: a second trip of the same request asks
 * the primary again instead of a copy that is merely as far as the first.
 */
export function bookmarked(binding: D1Database, from: Since): Bookmarked {
  const sessions: D1DatabaseSession[] = [];
  const session = () => {
    const made = binding.withSession(from);
    sessions.push(made);
    return made;
  };
  const database = {
    prepare: (query: string) => session().prepare(query),
    batch: (statements: D1PreparedStatement[]) => session().batch(statements),
  } as unknown as D1Database;
  return { database, latest: () => latestOf(sessions) };
}

/** Bookmarks sort as text, oldest first (D1, Time Travel). */
const latestOf = (sessions: readonly D1DatabaseSession[]): string | undefined =>
  sessions
    .map((session) => session.getBookmark())
    .filter((bookmark) => bookmark !== null && bookmark !== undefined)
    .sort()
    .at(-1);
