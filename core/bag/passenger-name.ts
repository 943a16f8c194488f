import { fold, TICKET_NAME_LIMIT } from "./surname.ts";

/**
 * Names in clear, as airline systems print them: titles attached (`ADAMRS`), cut to fit, second names left
 * out. They are compared to distinguish the passengers of one booking. A custody proof never uses this.
 */

/** A name, or the forms of it: they cost far more to find than to compare, so a caller that compares many keeps them. */
type Name = string | Forms;
type Forms = readonly string[];

/** The forms in which surnames are compared. */
export const surnameForms = (name: Name): Forms => (typeof name === "string" ? fold(name) : name);

/** Whether two surnames are spellings of the same one; either may be cut at the ticket's limit. */
export function isSameSurname(one: Name, other: Name): boolean {
  const [a, b] = [surnameForms(one), surnameForms(other)];
  return a.some((form) => b.some((rival) => form === rival || isCut(form, rival) || isCut(rival, form)));
}

const isCut = (short: string, long: string) => short.length >= TICKET_NAME_LIMIT && long.startsWith(short);

const GLUED_TITLE = /(?<=..)(MSTR|MISS|PROF|MRS|MR|MS|MX|DR)$/;

/** The forms in which given names are compared: with and without what may be a title. */
export const givenNameForms = (name: Name): Forms =>
  typeof name === "string" ? fold(name).flatMap((form) => [form, form.replace(GLUED_TITLE, "")]) : name;

/**
 * How well two given names fit: 2 the same, 1 one is the beginning of the other (or unknown), 0 not at all.
 */
export function givenNameFit(one: Name, other: Name): 0 | 1 | 2 {
  const [a, b] = [givenNameForms(one), givenNameForms(other)];
  if (a.length === 0 || b.length === 0) return 1;
  if (a.some((form) => b.includes(form))) return 2;
  const begins = a.some((form) => b.some((rival) => form.startsWith(rival) || rival.startsWith(form)));
  return begins ? 1 : 0;
}

interface Passenger {
  readonly givenName: string;
  readonly surname: string;
}

/**
 * The passenger of a label that a delegate writes: the first given name, and the surname's first letter. A given name that
 * is the surname or part of it, or has the surname in it, is left out.
 */
export function forDelegates({ givenName, surname }: Passenger): Passenger {
  const [first = ""] = givenName.trim().split(/\s+/);
  const parts = [surname, ...surname.split(/[\s'’-]+/)];
  const [initial = ""] = surname.normalize("NFC").trim().toUpperCase();
  const isTold = parts.some((part) => isSameSurname(part, first)) || isWithin(surname, first);
  return { givenName: isTold ? "" : first, surname: `${initial}.` };
}

/** Whether `name` has the surname in it (`MARIASILVAMRS`); two letters are in many names by chance. */
function isWithin(surname: string, name: string): boolean {
  const own = surnameForms(surname).filter((form) => form.length > 2);
  return surnameForms(name).some((form) => own.some((one) => form.includes(one)));
}
