import { readFileSync } from "node:fs";
import { join } from "node:path";
import { type EndpointName, ERRORS, type ErrorCode, endpoints, errorStatus } from "../../core/api/index.ts";
import { refusalsOf } from "../../core/api/refusals.ts";
import { ROOT } from "../project-files.ts";

/** docs/errors.md: the error table of the contract, and the SDK's codes with the comments over them. */

/** The page, whole. */
export function errorCatalogue(): string {
  return `<!-- Made by npm run documents from core/api/errors.ts and sdk/errors.ts. -->

# Errors

For developers of clients: every error code and what to do about it. Distinguish errors by code, never by text. Treat unknown
codes, which later versions may send, by their status.

## The service

Answers other than 2xx are ErrorResponses: \`{status, statusCode, message, errorCode, errors}\`. 429 and 503 have the seconds to
wait in \`Retry-After\`. Codes without an endpoint come from many.

| status | errorCode | what it means, and what to do | endpoints |
|---|---|---|---|
${(Object.keys(ERRORS) as ErrorCode[]).map(serviceRow).join("\n")}

## The SDK

A failed operation resolves to \`{ ok: false, error }\`; the codes above arrive as \`ServiceError\`.

| class | code | what it means, and what to do |
|---|---|---|
${sdkRows().join("\n")}
`;
}

/** More than so many endpoints are "many". */
const MANY = 6;

function serviceRow(code: ErrorCode): string {
  const names = (Object.keys(endpoints) as EndpointName[]).filter((name) => refusalsOf(name).includes(code));
  const who = names.length > MANY ? "" : names.map((name) => `\`${endpoints[name].path}\``).join(", ");
  return `| ${errorStatus(code)} | \`${code}\` | ${ERRORS[code].message} ${ERRORS[code].advice} | ${who} |`;
}

const UNION = /export type (\w+)Code =\n((?:\s+(?:\/\*\*[\s\S]*?\*\/|\| "\w+";?))+)/g;
const CODE = /\/\*\*([\s\S]*?)\*\/\s+\| "(\w+)"/g;

function sdkRows(): string[] {
  const source = ["sdk/errors.ts", "sdk/service/service-error.ts"]
    .map((path) => readFileSync(join(ROOT, path), "utf8"))
    .join("\n");
  return [...source.matchAll(UNION)].flatMap(([, kind = "", union = ""]) => {
    // The way to the service has no class of its own.
    const name = kind === "TransportError" ? "ServiceError" : kind;
    return [...union.matchAll(CODE)].map(
      ([, comment = "", code]) =>
        `| ${name} | \`${code}\` | ${comment.replace(/\s*\n\s*\*? ?/g, " ").trim()} |`,
    );
  });
}
