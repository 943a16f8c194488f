import { fold, TICKET_NAME_LIMIT } from "./surname.ts";

/**
 * Names in clear, as systems of airlines print them, compared to tell the passengers of one booking apart: titles glued
 * on (`ADAMRS`), cut to fit, second names left out. A custody proof never comes this way.
 */

/** Whether two surnames are spellings of one, either perhaps cut at the ticket's limit. */
export function isSameSurname(one: string, other: string): boolean {
  const [a, b] = [fold(one), fold(other)];
  return a.some((form) => b.some((rival) => form === rival || isCut(form, rival) || isCut(rival, form)));
}

const isCut = (short: string, long: string) => short.length >= TICKET_NAME_LIMIT && long.startsWith(short);

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
