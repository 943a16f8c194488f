import { type Schema, Validator } from "@cfworker/json-schema";
import { openApi } from "../../core/api/openapi/document.ts";

/**
 * Compares every answer in the tests with the OpenAPI document: status, errorCode and body must be as it says for that path
 * and method, and a record may have no field that it does not list.
 */

type Tree = { readonly [name: string]: Tree };

/** Lists of values are closed here: later versions may add to them, this one answers what it lists. */
const document: Tree = JSON.parse(JSON.stringify(openApi({})), (_, part) =>
  part?.anyOf?.[0]?.enum === undefined ? part : part.anyOf[0],
);
const components = closed(document.components) as Tree;
const templates = Object.entries(document.paths ?? {}).map(([path, methods]) => {
  const pattern = new RegExp(`^${path.replaceAll(".", "\\.").replace(/\{\w+\}/g, "[^/]+")}$`);
  return { path, pattern, methods };
});
const validators = new Map<string, Validator>();

/** What was asked and what came back. */
export interface Exchange {
  readonly method: string;
  readonly path: string;
  readonly status: number;
  readonly body: unknown;
}

/** Throws where the answer is not what the document promises. Paths it does not list are the page's. */
export function requireContract({ method, path, status, body }: Exchange): void {
  const template = templates.find(({ pattern }) => pattern.test(path));
  if (template === undefined && !/^\/v2(\/|$)/.test(path)) return;
  const operation = template?.methods[method === "HEAD" ? "get" : method.toLowerCase()];
  const key = `${method} ${template?.path ?? "elsewhere"} ${status}`;
  const schema = operation === undefined ? ANY_ERROR : schemaOf(operation, status);
  if (schema === undefined) throw new Error(`${key}: the OpenAPI document has no such status`);
  if (method === "HEAD") return;
  if (body === undefined) throw new Error(`${key}: not what the OpenAPI document says: no JSON`);
  const { valid, errors } = validatorOf(key, schema).validate(body);
  if (valid) return;
  const faults = errors.map(({ instanceLocation, error }) => `${instanceLocation} ${error}`).join("; ");
  throw new Error(`${key}: not what the OpenAPI document says: ${faults}\n${JSON.stringify(body)}`);
}

/** No operation there: a failure, and one of these. */
const ANY_ERROR = {
  allOf: [{ $ref: "#/components/schemas/ErrorResponse" }],
  properties: { errorCode: { enum: ["not_found", "method_not_allowed"] } },
} satisfies Schema;

function schemaOf(operation: Tree, status: number): Schema | undefined {
  const { responses = {} } = operation;
  const response = responses[status] ?? (status < 400 ? undefined : responses.default);
  return response?.content?.["application/json"]?.schema as Schema | undefined;
}

function validatorOf(key: string, schema: Schema): Validator {
  const known = validators.get(key) ?? new Validator({ ...schema, components }, "2020-12");
  validators.set(key, known);
  return known;
}

/** `tree` with every record in it complete: a service may not answer with more than it says. */
function closed(tree: unknown): unknown {
  if (Array.isArray(tree)) return tree.map(closed);
  if (typeof tree !== "object" || tree === null) return tree;
  const entries = Object.entries(tree).map(([name, branch]) => [name, closed(branch)] as const);
  const isRecord = "properties" in tree && !("additionalProperties" in tree);
  return Object.fromEntries([...entries, ...(isRecord ? [["additionalProperties", false] as const] : [])]);
}
