/** Sentences over records and their properties, put where a reader of the document looks for them. */

/** What is said of a record or a property, and of the properties within. */
export interface Description {
  readonly text?: string;
  readonly within?: Described;
}

/** Descriptions by name: of records, or of one record's properties. */
export type Described = Readonly<Record<string, Description>>;

type Schema = Readonly<Record<string, unknown>>;

/** `schemas` with the descriptions of `described`; what has none stays as it is. */
export function withDescriptions(schemas: Readonly<Record<string, Schema>>, described: Described) {
  return Object.fromEntries(
    Object.entries(schemas).map(([name, schema]) => [name, withText(schema, described[name])]),
  );
}

function withText(schema: Schema, { text, within = {} }: Description = {}): Schema {
  const properties = schema.properties as Readonly<Record<string, Schema>> | undefined;
  return {
    ...schema,
    ...(text === undefined ? {} : { description: text }),
    ...(properties === undefined ? {} : { properties: withDescriptions(properties, within) }),
  };
}
