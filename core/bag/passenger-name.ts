import { fold, TICKET_NAME_LIMIT } from "./surname.ts";

/**
 * Names in clear, as airline systems print them: titles attached (`ADAMRS`), cut to fit, second names left
 * out. They are compared to tell the passengers of one booking apart. A custody proof never uses this.
 */

/** Whether two surnames are spellings of the same one; either may be cut at the ticket's limit. */
export function isSameSurname(one: string, other: string): boolean {
  const [a, b] = [fold(one), fold(other)];
  return a.some((form) => b.some((rival) => form === rival || isCut(form, rival) || isCut(rival, form)));
}

const isCut = (short: string, long: string) => short.length >= TICKET_NAME_LIMIT && long.startsWith(short);

const GLUED_TITLE = /(?<=..)(MSTR|MISS|PROF|MRS|MR|MS|MX|DR)$/;

/** The forms in which `name` is compared: with and without what may be a title. */
function forms(name: string): readonly string[] {
  return fold(name).flatMap((form) => [form, form.replace(GLUED_TITLE, "")]);
}

/**
 * How well two given names fit: 2 the same, 1 one is the beginning of the other (or unknown), 0 not at all.
 */
export function givenNameFit(one: string, other: string): 0 | 1 | 2 {
  const [a, b] = [forms(one), forms(other)];
  if (a.length === 0 || b.length === 0) return 1;
  if (a.some((form) => b.includes(form))) return 2;
  const begins = a.some((form) => b.some((rival) => form.startsWith(rival) || rival.startsWith(form)));
  return begins ? 1 : 0;
}
