/** The words for one conformance check. `section` names a chapter of docs/protocol.md. */
export interface CheckText {
  readonly title: string;
  readonly expected: string;
  readonly why: string;
  readonly section: string;
}

export const check = (title: string, expected: string, section: string, why: string): CheckText => ({
  title,
  expected,
  section,
  why,
});
