import * as v from "valibot";

/** Reading records from JSON, with errors as data: what a caller sends, and what the service answers. */

type RecordSchema = v.GenericSchema<unknown, unknown>;

/** Outcome of {@link parseBody}; `errors` has one sentence per entry of `fields` and never repeats a value. */
export type Parsed<T> =
  | { readonly ok: true; readonly value: T }
  | {
      readonly ok: false;
      readonly code: "required_info_not_provided" | "invalid_request";
      readonly fields: readonly string[];
      readonly errors: readonly string[];
    };

/**
 * Reads `value` as the record that `schema` describes (rules §1). If mandatory fields are absent, null or
 * blank, the result is `required_info_not_provided` and names each of them; anything else wrong gives
 * `invalid_request`. Null counts as absent wherever a field is optional; unknown fields are dropped.
 */
export function parseBody<const S extends v.GenericSchema<unknown, unknown>>(
  schema: S,
  value: unknown,
): Parsed<v.InferOutput<S>> {
  const present = withoutNulls(value);
  if (!isPlainObject(present)) return invalid([{ field: "body", expected: "a JSON object" }]);
  const { missing, notRecords } = inspect(schema, present, "", { missing: [], notRecords: [] });
  if (notRecords.length > 0)
    return invalid(notRecords.map((field) => ({ field, expected: "a JSON object" })));
  if (missing.length > 0) {
    return {
      ok: false,
      code: "required_info_not_provided",
      fields: missing,
      errors: missing.map((field) => `${field} is required`),
    };
  }
  const result = v.safeParse(schema, present, { abortPipeEarly: true });
  if (result.success) return { ok: true, value: result.output };
  return invalid(
    result.issues.map((issue) => ({
      field: v.getDotPath(issue) ?? "body",
      expected: spoken(issue),
    })),
  );
}

/** What a field must be, for a reader without the schema at hand; a list's records may lack one. */
function spoken({ type, input, requirement, expected }: v.BaseIssue<unknown>): string {
  const length = Array.isArray(input) ? `a list of ${requirement}` : `text of ${requirement} characters`;
  const words: Readonly<Record<string, string>> = {
    string: "text",
    number: "a number",
    integer: "a whole number",
    boolean: "true or false",
    array: "a list",
    object: "a JSON object",
    ...{ min_length: `${length} or more`, max_length: `${length} or fewer` },
    ...{ min_value: `${requirement} or more`, max_value: `${requirement} or less` },
    iso_timestamp: "an instant such as 2027-03-13T12:00:00Z",
    iso_date: "a day such as 2027-03-13",
    regex: `of the form ${String(requirement).replace(/^\/\^|\$\/\w*$/g, "")}`,
  };
  if (input === undefined) return "there";
  return words[type] ?? expected ?? "another value";
}

/** Outcome of {@link parseAnswer}; `fields` are dotted names, or `body`. */
export type Answer<T> =
  | { readonly ok: true; readonly value: T }
  | { readonly ok: false; readonly fields: readonly string[] };

/**
 * Reads `value` as a record of the service's own. No person corrects an answer by a sentence about its fields, so their
 * names are enough. Null counts as absent wherever a field is optional; unknown fields are dropped.
 */
export function parseAnswer<const S extends v.GenericSchema<unknown, unknown>>(
  schema: S,
  value: unknown,
): Answer<v.InferOutput<S>> {
  const present = withoutNulls(value);
  if (!isPlainObject(present)) return { ok: false, fields: ["body"] };
  const result = v.safeParse(schema, present, { abortPipeEarly: true });
  if (result.success) return { ok: true, value: result.output };
  return { ok: false, fields: result.issues.map((issue) => v.getDotPath(issue) ?? "body") };
}

/** A list of a hundred thousand wrong items gets an answer about the first of them only. */
const MOST_ERRORS = 20;

function invalid(issues: readonly { field: string; expected: string }[]): Parsed<never> {
  const listed = issues.slice(0, MOST_ERRORS);
  return {
    ok: false,
    code: "invalid_request",
    fields: listed.map(({ field }) => field),
    errors: listed.map(({ field, expected }) => `${field} must be ${expected}`),
  };
}

function isPlainObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Deeper than any record goes: a body of nothing but brackets must not exhaust the stack. */
const MAX_DEPTH = 16;

function withoutNulls(value: unknown, depth = 0): unknown {
  if (depth > MAX_DEPTH) return value;
  if (Array.isArray(value)) return value.map((item) => withoutNulls(item, depth + 1));
  if (!isPlainObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value)
      .filter(([, field]) => field !== null && field !== undefined)
      .map(([name, field]) => [name, withoutNulls(field, depth + 1)]),
  );
}

/** A member's name is whatever its sender chose. */
const LONGEST_NAME = 64;

/**
 * Dotted names of the members of `value` that `schema` does not know and {@link parseBody} therefore drops: the first
 * 20, each cut at 64 characters. Null counts as absent.
 */
export function unknownMembers(schema: v.GenericSchema<unknown, unknown>, value: unknown): readonly string[] {
  const found: string[] = [];
  collectUnknown(schema, withoutNulls(value), [], found);
  return found;
}

function collectUnknown(
  schema: RecordSchema,
  value: unknown,
  path: readonly string[],
  found: string[],
): void {
  if (found.length >= MOST_ERRORS) return;
  const item = itemOf(schema);
  if (item !== undefined && Array.isArray(value)) {
    for (const [i, one] of value.entries()) collectUnknown(item, one, [...path, String(i)], found);
  }
  if (!isRecord(schema) || !isPlainObject(value)) return;
  const entries = entriesOf(schema);
  for (const [name, content] of Object.entries(value)) {
    const member = [...path, name.slice(0, LONGEST_NAME)];
    const field = Object.hasOwn(entries, name) ? entries[name] : undefined;
    if (field !== undefined) collectUnknown(field, content, member, found);
    else if (found.length < MOST_ERRORS) found.push(member.join("."));
  }
}

const itemOf = (schema: RecordSchema): RecordSchema | undefined => {
  const list = unwrap(schema);
  return "item" in list ? (list.item as RecordSchema) : undefined;
};

const isMissing = (value: unknown) =>
  value === undefined || (typeof value === "string" && value.trim() === "");

/**
 * Dotted names of the fields that are wrong, as found on a walk along the schema; a "one of" group counts as
 * one field.
 */
interface Findings {
  readonly missing: string[];
  readonly notRecords: string[];
}

function inspect(
  schema: RecordSchema,
  value: Record<string, unknown>,
  prefix: string,
  into: Findings,
): Findings {
  for (const [name, field] of Object.entries(entriesOf(schema))) {
    const isOptional = field.type === "optional" || field.type === "exact_optional";
    const content = value[name];
    if (isMissing(content)) {
      if (!isOptional) into.missing.push(prefix + name);
    } else if (isPlainObject(content)) {
      inspect(field, content, `${prefix}${name}.`, into);
    } else if (Array.isArray(content) && isRecord(field)) {
      // valibot's object() accepts an array as an object that lacks its fields.
      into.notRecords.push(prefix + name);
    }
  }
  const group = requireOneOf(schema);
  if (group.length > 0 && group.every((name) => isMissing(value[name]))) {
    into.missing.push(group.map((name) => prefix + name).join(" or "));
  }
  return into;
}

const unwrap = (schema: RecordSchema): RecordSchema =>
  "wrapped" in schema ? unwrap(schema.wrapped as RecordSchema) : schema;

const isRecord = (schema: RecordSchema) => "entries" in unwrap(schema);

function entriesOf(schema: RecordSchema): Record<string, RecordSchema> {
  const record = unwrap(schema);
  return "entries" in record ? (record.entries as Record<string, RecordSchema>) : {};
}

function requireOneOf(schema: RecordSchema): readonly string[] {
  const names = v.getMetadata(unwrap(schema)).requireOneOf;
  return Array.isArray(names) ? names : [];
}
