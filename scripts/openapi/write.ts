import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { openApi } from "../../core/api/openapi/document.ts";
import type { Described, Description } from "../../core/api/openapi/notes.ts";
import { type Node, readSource } from "../documents/read-source.ts";
import { projectFiles, ROOT } from "../project-files.ts";

/**
 * The comments over the contract's records and properties. They are its descriptions, so that there is one text for
 * readers of the code and of the document, and none of it is loaded by a page or the service.
 */

/** A constant of the contract: its comment, and what it is made of. */
interface Constant {
  readonly text: string | undefined;
  readonly value: Node;
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
    const declaration = (statement.declaration ?? statement) as Node;
    if (declaration.type !== "VariableDeclaration") return [];
    return (declaration.declarations as readonly Node[]).flatMap(({ id, init }) => {
      const { name } = id as { name?: string };
      return name === undefined || init === null
        ? []
        : [[name, { text: comments(statement.start), value: init as Node, comments }] as const];
    });
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
  const fields = objectOf(value, constants);
  if (fields === undefined) return {};
  return Object.fromEntries(
    fields.flatMap((property): [string, Description][] => {
      if (property.type === "SpreadElement") return Object.entries(spread(property, constants));
      const { key, value: schema } = property as unknown as { key: { name: string }; value: Node };
      const text = comments(property.start) ?? kindOf(schema, constants)?.text;
      return [[key.name, description(text, within({ value: schema, comments, text }, constants))]];
    }),
  );
}

const description = (text: string | undefined, fields: Described): Description => ({
  ...(text === undefined ? {} : { text }),
  ...(Object.keys(fields).length === 0 ? {} : { within: fields }),
});

/** `...attestation`, an object of fields, or `...Journey.entries`, another record's. */
function spread({ argument }: Node, constants: Constants): Described {
  const { object, name } = argument as {
    readonly object?: { readonly name: string };
    readonly name?: string;
  };
  const constant = constants.get(object?.name ?? name ?? "");
  return constant === undefined ? {} : within(constant, constants);
}

/** The fields of `v.object({…})`, as such or within `v.pipe`, `v.array` and `optional`; of a bare object, too. */
function objectOf(node: Node, constants: Constants): readonly Node[] | undefined {
  if (node.type === "ObjectExpression") return node.properties as readonly Node[];
  if (node.type !== "CallExpression") return undefined;
  const [first] = node.arguments as readonly Node[];
  // `v.object(attestation)`: fields that two records share.
  const shared = isObjectCall(node) && first?.type === "Identifier" && constants.get(String(first.name));
  return first === undefined ? undefined : objectOf(shared ? shared.value : first, constants);
}

const isObjectCall = ({ callee }: Node) =>
  (callee as { readonly property?: { readonly name: string } }).property?.name === "object";

/** The constant that a property is of: `deviceId`, or `optional(deviceId)`. */
function kindOf(node: Node, constants: Constants): Constant | undefined {
  if (node.type === "Identifier") return constants.get(String(node.name));
  if (node.type !== "CallExpression") return undefined;
  const [first] = node.arguments as readonly Node[];
  return first === undefined ? undefined : kindOf(first, constants);
}

/** A file of the build like any other: Vite copies what is in this folder. */
const FILE = join(ROOT, "web", "public", "openapi.json");

/** The document as it is served. */
export const openApiText = () => `${JSON.stringify(openApi(readDescriptions()))}\n`;

/** Writes the OpenAPI document to where the page's files are. */
export function writeOpenApi(): void {
  mkdirSync(dirname(FILE), { recursive: true });
  writeFileSync(FILE, openApiText());
}
