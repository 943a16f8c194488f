import { UsageError } from "../../kit/command-line.ts";
import type { TaglatchErrorCode } from "../../sdk/index.ts";
import { type Commands, command, oneOf, wholeNumber } from "./command.ts";

/**
 * How operations on tags end in the field, as clients report it (rules §8). Analytics Engine is asked over HTTP; it runs
 * at the platform alone, so tests hold the question and the answer's form.
 */

/** Ends of a transfer that lie with the phone, its Bluetooth or the tag, and not with a person or the service. */
export const FAILURES = [
  "out_of_reach",
  "link_lost",
  "timeout",
  "operation_refused",
  "link_busy",
  "secure_session_failed",
  "protocol",
  "outcome_unknown",
  "internal",
] as const satisfies readonly TaglatchErrorCode[];

/** `blob3` is one of {@link FAILURES}. */
export const failed = `blob3 IN (${FAILURES.map((code) => `'${code}'`).join(", ")})`;
/** A transfer that could have failed so: no person ended it, and no rule refused it. */
export const counted = `blob1 = 'transfer' AND (blob3 IN ('ok', 'pending_retry') OR ${failed})`;

/** Columns of a point (worker/outcomes.ts) by what the operator asks for. */
const GROUPS = {
  phone: { os: "blob8", app: "blob7" },
  tag: { generation: "blob4", model: "blob5", firmware: "blob6" },
  end: { phase: "blob2", outcome: "blob3" },
} as const;

function questionOf(group: keyof typeof GROUPS, days: number): string {
  const columns = Object.entries(GROUPS[group]);
  return [
    `SELECT ${columns.map(([name, blob]) => `${blob} AS ${name}`).join(", ")}, SUM(_sample_interval) AS transfers,`,
    `SUM(IF(${failed}, _sample_interval, 0)) AS failures,`,
    "quantileExactWeighted(0.5)(double1, _sample_interval) AS median",
    `FROM taglatch_outcomes WHERE ${counted} AND timestamp > NOW() - INTERVAL '${days}' DAY`,
    `GROUP BY ${columns.map(([name]) => name).join(", ")} ORDER BY failures DESC, transfers DESC LIMIT 100`,
  ].join(" ");
}

/** Numbers come as text where they may exceed 2^53 (ClickHouse's UInt64). */
type Answer = readonly Readonly<Record<string, string | number>>[];

async function ask(sql: string): Promise<Answer> {
  const { CLOUDFLARE_ACCOUNT_ID: account, CLOUDFLARE_API_TOKEN: token } = process.env;
  if (!account || !token)
    throw new UsageError(
      "CLOUDFLARE_ACCOUNT_ID and CLOUDFLARE_API_TOKEN (Account Analytics: Read) must be in the environment",
    );
  const url = `https://api.cloudflare.com/client/v4/accounts/${encodeURIComponent(account)}/analytics_engine/sql`;
  const headers = { Authorization: `Bearer ${token}` };
  const answer = await fetch(url, { method: "POST", headers, body: sql }).catch(() => {
    throw new UsageError("Analytics Engine cannot be reached");
  });
  if (!answer.ok) throw new UsageError(`Analytics Engine answered ${answer.status}`);
  const { data } = await answer.json().catch(() => ({}));
  if (!Array.isArray(data)) throw new UsageError("Analytics Engine gave an answer of another form");
  return data;
}

export const outcomeCommands = {
  outcomes: command({
    summary: "how transfers end in the field, by phone, by tag or by the way they end",
    database: "none",
    options: {
      by: { ...oneOf(["phone", "tag", "end"]), help: "phone (default), tag or end" },
      days: { ...wholeNumber("days", 1, 90), help: "of the last days (default: 7)" },
    },
    async run({ by = "phone", days = 7 }, { show }) {
      const rows = await ask(questionOf(by, days));
      const shareOf = (row: Answer[number]) => (100 * Number(row.failures)) / Number(row.transfers);
      show(rows.map((row) => ({ ...row, share: `${shareOf(row).toFixed(1)} %` })));
    },
  }),
} satisfies Commands;
