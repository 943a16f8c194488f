import { fold } from "./surname.ts";

/**
 * Given names as systems print them: titles glued on (`ADAMRS`), cut to fit, second names left out. They only choose
 * among passengers of one surname and booking; a custody proof never asks for them.
 */

const GLUED_TITLE = /(?<=..)(MSTR|MISS|PROF|MRS|MR|MS|MX|DR)$/;

/** The forms of `name` in which two are compared, with and without what may be a title. */
function forms(name: string): readonly string[] {
  return fold(name).flatMap((form) => [form, form.replace(GLUED_TITLE, "")]);
}

/** How well two given names fit: 2 the same, 1 one begins the other (or is not known), 0 not at all. */
export function givenNameFit(one: string, other: string): 0 | 1 | 2 {
  const [a, b] = [forms(one), forms(other)];
  if (a.length === 0 || b.length === 0) return 1;
  if (a.some((form) => b.includes(form))) return 2;
  const begins = a.some((form) => b.some((rival) => form.startsWith(rival) || rival.startsWith(form)));
  return begins ? 1 : 0;
}
