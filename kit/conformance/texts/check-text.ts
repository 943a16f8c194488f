/** The words for one conformance check. `section` names a chapter of docs/protocol.md. */
export interface CheckText {
  readonly title: string;
  readonly expected: string;
  readonly section: string;
  readonly why: string;
}

type Words = readonly [title: string, expected: string, why: string];

/** The words of the checks of one chapter, by their ids. */
export const under = <Id extends string>(section: string, words: Readonly<Record<Id, Words>>) =>
  Object.fromEntries(
    Object.entries<Words>(words).map(([id, [title, expected, why]]) => [
      id,
      { title, expected, section, why },
    ]),
  ) as Record<Id, CheckText>;
