import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { BAG_EVENTS, LOCK_EVIDENCE, type LockEvidence } from "../../core/api/events.ts";
import { ERRORS, type ErrorCode, errorStatus } from "../../core/api/index.ts";
import { exampleOf } from "../../kit/vectors/protocol-example/example.ts";
import { EXAMPLE } from "../../kit/vectors/protocol-example/signed.ts";
import { projectText, ROOT } from "../project-files.ts";

/**
 * docs/errors.md: the error table of the contract, and the SDK's codes with the comments over them. Each code is a heading,
 * so that it has an anchor, here as on the site at /docs: error answers link to it (worker/http/error-answer.ts).
 */

/** The page, whole. */
export function errorCatalogue(): string {
  return `<!-- Made by npm run documents from core/api/errors.ts and sdk/errors.ts. -->

# Errors

For developers of clients: every error code and what to do about it. Distinguish errors by code, unknown ones by their status.

## The service

Answers other than 2xx are \`{status, statusCode, message, errorCode, errors}\`, with \`Link: </docs/errors#CODE>; rel="help"\`;
the SDK passes them on as \`ServiceError\`. 429 and 503 have the seconds to wait in \`Retry-After\`; support needs
\`X-Request-Id\`. \`/docs/api\` has the codes of each endpoint.

${serviceEntries().join("\n")}
${sdkEntries().join("\n")}`;
}

const entry = (code: string, advice: string) => `### \`${code}\`\n\n${advice}\n`;

/** The service's codes, a section for each status. */
function serviceEntries(): string[] {
  const codes = Object.keys(ERRORS) as ErrorCode[];
  return [...new Set(codes.map(errorStatus))].map((status) => {
    const entries = codes
      .filter((code) => errorStatus(code) === status)
      .map((code) => entry(code, `${ERRORS[code].message} ${ERRORS[code].advice}`));
    return `## ${status}\n\n${entries.join("\n")}`;
  });
}

const UNION = /export type (\w+)Code =\n((?:\s+(?:\/\*\*[\s\S]*?\*\/|\| "\w+";?))+)/g;
const CODE = /\/\*\*([\s\S]*?)\*\/\s+\| "(\w+)"/g;

/** A class with one code of its own, and the comment over it. */
const CLASS =
  /\/\*\*((?:(?!\*\/)[\s\S])*)\*\/\nexport class (\w+) extends Error \{\n.*\n {2}readonly code = "(\w+)";/g;

const sentencesOf = (comment: string) => comment.replace(/\s*\n\s*\*? ?/g, " ").trim();

/** The SDK's codes, a section for each of its classes. */
function sdkEntries(): string[] {
  const source = ["sdk/errors.ts", "sdk/service/service-error.ts"]
    .map((path) => projectText(path))
    .join("\n");
  const alone = [...source.matchAll(CLASS)].map(
    ([, comment = "", name = "", code = ""]) => `## ${name}\n\n${entry(code, sentencesOf(comment))}`,
  );
  const several = [...source.matchAll(UNION)].map(([, kind = "", union = ""]) => {
    // The way to the service has no class of its own.
    const name = kind === "TransportError" ? "ServiceError" : kind;
    const entries = [...union.matchAll(CODE)].map(([, comment = "", code = ""]) =>
      entry(code, sentencesOf(comment)),
    );
    return `## ${name}\n\n${entries.join("\n")}`;
  });
  return [...several, ...alone];
}

/** A page of docs/, with `text` in the part that is made from `source`. */
function withPart(name: string, source: string, text: string): string {
  const [begin, end] = [`<!-- Made by npm run documents from ${source}. -->`, "<!-- End. -->"];
  const [before = "", rest = ""] = projectText(`docs/${name}`).split(begin);
  const [, after = ""] = rest.split(end);
  return `${before}${begin}\n\n${text}\n\n${end}${after}`;
}

/** The comment over {@link LOCK_EVIDENCE}, name by name. */
const meaningOf = (name: LockEvidence) => {
  const source = projectText("core/api/events.ts");
  return new RegExp(` \\* - \`${name}\`: ([^\n]+)`).exec(source)?.[1] ?? "";
};

/** docs/listen.md: its lists of events and evidence, from the one table of names. */
export function listenPage(): string {
  const events = Object.entries(BAG_EVENTS).map(([name, meaning]) => `- \`${name}\`: ${meaning}`);
  const evidence = LOCK_EVIDENCE.map((name) => `- \`${name}\`: ${meaningOf(name)}`);
  const lists = [...events, "", "`evidence` supports the lock:", "", ...evidence];
  return withPart("listen.md", "core/api/events.ts", lists.join("\n"));
}

/** docs/alarms.md: its table, from the rules that Grafana reads; a limit below 1 is a share. */
function alarmsPage(): string {
  const [{ rules }] = JSON.parse(projectText("docs/alarms.json")).groups;
  const rows: string[] = [];
  for (const { title, labels, annotations, data } of rules) {
    const { type, params } = data[1].model.conditions[0].evaluator;
    const limit = params[0] < 1 ? `${Number((100 * params[0]).toFixed(2))} %` : params[0];
    const when = `${type === "gt" ? "above" : "below"} ${limit}, of ${data[0].relativeTimeRange.from / 60}`;
    const runbook = annotations.runbook.replace("docs/", "");
    const link = `[${runbook.replace(/.*#/, "").replaceAll("-", " ")}](${runbook})`;
    rows.push(`| ${title} | ${labels.severity} | ${when} | ${annotations.summary} | ${link} |`);
  }
  const head = "| alarm | | when, of the last minutes | it means | go to |\n|---|---|---|---|---|";
  return withPart("alarms.md", "docs/alarms.json", [head, ...rows].join("\n"));
}

/** Files of docs/ that are made from the sources: `npm run documents` writes them, and a test compares them. */
export const GENERATED: Readonly<Record<string, () => string>> = {
  "alarms.md": alarmsPage,
  "errors.md": errorCatalogue,
  "listen.md": listenPage,
};

/** The worked example of docs/protocol.md, from the fixed inputs in its own file. */
async function writeExample(): Promise<void> {
  const { source, inputs } = EXAMPLE;
  const text = JSON.stringify({ source, inputs, ...(await exampleOf(inputs)) }, null, 2);
  writeFileSync(join(ROOT, "core/vectors/protocol-example.json"), `${text}\n`);
}

/** `npm run documents`: writes what is made from the sources. A test fails as long as a file differs. */
if (import.meta.main) {
  for (const [name, text] of Object.entries(GENERATED)) writeFileSync(join(ROOT, "docs", name), text());
  await writeExample();
}
