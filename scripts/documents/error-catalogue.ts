import { readFileSync } from "node:fs";
import { join } from "node:path";
import { type EndpointName, ERRORS, type ErrorCode, endpoints, errorStatus } from "../../core/api/index.ts";
import { refusalsOf } from "../../core/api/refusals.ts";
import { ROOT } from "../project-files.ts";

/**
 * docs/errors.md: the error table of the contract, and the SDK's codes with the comments over them. Each code is a heading,
 * so that it has an anchor, here as on the site at /docs: error answers link to it (worker/http/error-answer.ts).
 */

/** The page, whole. */
export function errorCatalogue(): string {
  return `<!-- Made by npm run documents from core/api/errors.ts and sdk/errors.ts. -->

# Errors

For developers of clients: every error code and what to do about it. Distinguish errors by code, never by text. Treat unknown
codes, which later versions may send, by their status.

## The service

Answers other than 2xx are ErrorResponses: \`{status, statusCode, message, errorCode, errors}\`. 429 and 503 have the seconds to
wait in \`Retry-After\`. The header \`Link: </docs/errors#CODE>; rel="help"\` (RFC 8288) leads to the code on this page. Codes
without an endpoint come from many.

${(Object.keys(ERRORS) as ErrorCode[]).map(serviceEntry).join("\n")}
## The SDK

A failed operation resolves to \`{ ok: false, error }\`; the codes above arrive as \`ServiceError\`.

${sdkEntries().join("\n")}`;
}

/** More than so many endpoints are "many". */
const MANY = 6;

const entry = (code: string, origin: string, advice: string) => `### \`${code}\`\n\n${origin} ${advice}\n`;

function serviceEntry(code: ErrorCode): string {
  const names = (Object.keys(endpoints) as EndpointName[]).filter((name) => refusalsOf(name).includes(code));
  const paths = names.length > MANY ? [] : names.map((name) => `\`${endpoints[name].path}\``);
  const origin = paths.length === 0 ? "" : ` of ${paths.join(", ")}`;
  return entry(
    code,
    `Status ${errorStatus(code)}${origin}.`,
    `${ERRORS[code].message} ${ERRORS[code].advice}`,
  );
}

const UNION = /export type (\w+)Code =\n((?:\s+(?:\/\*\*[\s\S]*?\*\/|\| "\w+";?))+)/g;
const CODE = /\/\*\*([\s\S]*?)\*\/\s+\| "(\w+)"/g;

function sdkEntries(): string[] {
  const source = ["sdk/errors.ts", "sdk/service/service-error.ts"]
    .map((path) => readFileSync(join(ROOT, path), "utf8"))
    .join("\n");
  return [...source.matchAll(UNION)].flatMap(([, kind = "", union = ""]) => {
    // The way to the service has no class of its own.
    const name = kind === "TransportError" ? "ServiceError" : kind;
    return [...union.matchAll(CODE)].map(([, comment = "", code = ""]) =>
      entry(code, `\`${name}\`.`, comment.replace(/\s*\n\s*\*? ?/g, " ").trim()),
    );
  });
}
