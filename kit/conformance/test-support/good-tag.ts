/**
 * The result of the checks for a good tag, of v2.1 without a commit yet: how many it passes, and which are skipped because
 * they are about a generation that it does not serve, or about tags that do not sign. A check that is skipped for any
 * other reason has tested nothing. C74 is not counted: it locks the tag and runs only on request.
 */
export const GOOD_TAG = {
  "2.1": {
    passed: 87,
    skipped: ["C84"],
  },
  "2.0": {
    passed: 46,
    skipped: [
      ...["C11", "C20", "C21", "C22", "C23", "C24", "C25", "C26", "C27", "C28", "C30", "C31", "C32"],
      ...["C33", "C34", "C35", "C36", "C37", "C41", "C42", "C54", "C55", "C56", "C57", "C59", "C60", "C62"],
      ...["C63", "C75", "C76", "C77", "C78", "C79", "C80", "C81", "C82", "C83", "C84"],
      ...["C85", "C86", "C88", "C90"],
    ],
  },
} as const;
export const LOCKOUT_CHECK = "C74";
/** Is about radios that take writes without response; the numbers above are of one. */
export const RESPONSES_CHECK = "C90";
