import type { Argument, ObjectPropertyKind } from "oxc-parser";
import { openApi } from "../../core/api/openapi/document.ts";
import type { Described, Description } from "../../core/api/openapi/notes.ts";
import { readSource } from "../documents/read-source.ts";
import { projectFiles, writePublic } from "../project-files.ts";

/**
 * The comments over the contract's records and properties. They are its descriptions, so that there is one text for
 * readers of the code and of the document, and none of it is loaded by a page or the service.
 */

/** A constant of the contract: its comment, and what it is made of. */
interface Constant {
  readonly text: string | undefined;
  readonly value: Argument;
  readonly comments: Comments;
}

/** The text of the comment that ends where the code at an offset begins. */
type Comments = (offset: number) => string | undefined;

/** Every record and property that has a comment, by name. */
export function readDescriptions(): Described {
  const constants = new Map(projectFiles("core/api/*.ts").flatMap(constantsOf));
  return Object.fromEntries(
    [...constants].map(([name, constant]) => [name, description(constant.text, within(constant, constants))]),
  );
}

function constantsOf(path: string): (readonly [string, Constant])[] {
  const { body, commentBefore } = readSource(path);
  const comments: Comments = (offset) => sentences(commentBefore(offset)) || undefined;
  return body.flatMap((statement) => {
    const declaration = statement.type === "ExportNamedDeclaration" ? statement.declaration : statement;
    if (declaration?.type !== "VariableDeclaration") return [];
    return declaration.declarations.flatMap(({ id, init }) =>
      id.type === "Identifier" && init !== null
        ? [[id.name, { text: comments(statement.start), value: init, comments }] as const]
        : [],
    );
  });
}

/** A comment as one paragraph. */
function sentences(comment: string): string {
  return comment
    .replace(/^\s*\*+ ?/gm, " ")
    .replace(/\{@link (\w+)\}/g, "$1")
    .replace(/\s+/g, " ")
    .trim();
}

type Constants = ReadonlyMap<string, Constant>;

/** The properties of the record that `constant` is or wraps. */
function within({ value, comments }: Constant, constants: Constants): Described {
  const fields = objectOf(value, constants) ?? [];
  return Object.fromEntries(
    fields.flatMap((property): [string, Description][] => {
      if (property.type === "SpreadElement") return Object.entries(spread(property.argument, constants));
      if (property.key.type !== "Identifier") return [];
      const schema = property.value;
      const text = comments(property.start) ?? kindOf(schema, constants)?.text;
      return [[property.key.name, description(text, within({ value: schema, comments, text }, constants))]];
    }),
  );
}

const description = (text: string | undefined, fields: Described): Description => ({
  ...(text === undefined ? {} : { text }),
  ...(Object.keys(fields).length === 0 ? {} : { within: fields }),
});

/** `...attestation`, an object of fields, or `...Journey.entries`, another record's. */
function spread(argument: Argument, constants: Constants): Described {
  const constant = constantAt(argument.type === "MemberExpression" ? argument.object : argument, constants);
  return constant === undefined ? {} : within(constant, constants);
}

const constantAt = (node: Argument | undefined, constants: Constants) =>
  node?.type === "Identifier" ? constants.get(node.name) : undefined;

/** The fields of `v.object({…})`, as such or within `v.pipe`, `v.array` and `optional`; of a bare object, too. */
function objectOf(node: Argument, constants: Constants): readonly ObjectPropertyKind[] | undefined {
  if (node.type === "ObjectExpression") return node.properties;
  if (node.type !== "CallExpression") return undefined;
  const {
    callee,
    arguments: [first],
  } = node;
  const isObject =
    callee.type === "MemberExpression" && "name" in callee.property && callee.property.name === "object";
  // `v.object(attestation)`: fields that two records share.
  const shared = isObject ? constantAt(first, constants) : undefined;
  return first && objectOf(shared?.value ?? first, constants);
}

/** The constant that a property is of: `deviceId`, or `optional(deviceId)`. */
const kindOf = (node: Argument | undefined, constants: Constants): Constant | undefined =>
  node?.type === "CallExpression" ? kindOf(node.arguments[0], constants) : constantAt(node, constants);

/** The document as it is served. */
export const openApiText = () => `${JSON.stringify(openApi(readDescriptions()))}\n`;

/** Writes the OpenAPI document to where the page's files are. */
export const writeOpenApi = (): void => writePublic("openapi.json", openApiText());
