import { type ErrorCode, endpoints } from "../../core/api/index.ts";

/**
 * What the service promises its airlines, and when somebody is woken: docs/alarms.md for people and docs/alarms.json for
 * Grafana, both from this table. Columns are those of `writeDataPoint` (operations.md, Monitoring).
 */

interface Alarm {
  readonly name: string;
  /** A page wakes somebody; a ticket waits for the morning. */
  readonly severity: "page" | "ticket";
  readonly means: string;
  /** Of the last so many minutes. */
  readonly minutes: number;
  /** What is measured: one number. */
  readonly value: string;
  readonly above?: number;
  readonly below?: number;
  /** How long it must last, in minutes. */
  readonly lasting: number;
  /** Page and heading. */
  readonly runbook: string;
}

const SLOS = [
  ["answers", "99.9 % of answers in 30 days are not 5xx", "43 minutes of nothing but errors"],
  ["time", "95 % of answers to a token or an attachment in less than 1 s, in each day", "72 minutes a day"],
  ["erasure", "names are erased within 15 minutes of a booking's end", "none: it is the law"],
] as const;

const all = "SUM(_sample_interval)";
const counted = (condition: string) => `SUM(IF(${condition}, _sample_interval, 0))`;
const refused = (...codes: readonly ErrorCode[]) =>
  counted(codes.map((code) => `blob4 = '${code}'`).join(" OR "));
const share = (condition: string) => `${counted(condition)} / ${all}`;
const FAILED = "blob3 >= '500'";
const { ebtAuthorization, deviceAttachment, ebtUnlock } = endpoints;
const WRITING = `blob1 IN ('${ebtAuthorization.path}', '${deviceAttachment.path}')`;
const COMMITTING = `blob1 IN ('${deviceAttachment.path}', '${ebtUnlock.path}')`;

export const ALARMS: readonly Alarm[] = [
  {
    name: "errors burn fast",
    severity: "page",
    means: "at this rate, the month's errors are spent in two days",
    minutes: 60,
    value: share(FAILED),
    above: 0.0144,
    lasting: 2,
    runbook: "runbooks.md#a-lost-database",
  },
  {
    name: "errors burn slowly",
    severity: "ticket",
    means:
      "at this rate, the month's errors are spent in five days; 500 is a bug of ours, its log line has the place",
    minutes: 360,
    value: share(FAILED),
    above: 0.006,
    lasting: 15,
    runbook: "operations.md#monitoring",
  },
  {
    name: "scheduled runs missing",
    severity: "page",
    means: "nothing that has ended is deleted, names among it, and no audit row is sealed",
    minutes: 15,
    value: counted("blob1 = 'scheduled' AND blob3 = '200'"),
    below: 1,
    lasting: 5,
    runbook: "operations.md#scheduled-runs",
  },
  {
    name: "guesses refused",
    severity: "page",
    means: "somebody guesses, and honest guests at the same tag, locator or network are refused with them",
    minutes: 60,
    value: refused("too_many_attempts"),
    above: 100,
    lasting: 5,
    runbook: "runbooks.md#a-guessing-flood",
  },
  {
    name: "writing is slow",
    severity: "ticket",
    means: "passengers wait at the tag; look for the database's share (`double4`)",
    minutes: 60,
    value: `${counted(`${WRITING} AND double1 > 1000`)} / (${counted(WRITING)} + 1)`,
    above: 0.05,
    lasting: 30,
    runbook: "operations.md#monitoring",
  },
  {
    name: "facts change",
    severity: "ticket",
    means:
      "attachments and unlocks read and decide again: one tag or booking is fought over, or the database is slow",
    minutes: 60,
    value: `${counted(`${COMMITTING} AND double7 > 0`)} / (${counted(COMMITTING)} + 1)`,
    above: 0.01,
    lasting: 30,
    runbook: "operations.md#monitoring",
  },
  {
    name: "logins refused",
    severity: "ticket",
    means: "passwords, secrets or PINs are tried, or stolen refresh tokens (reason `reused`)",
    minutes: 60,
    value: refused("invalid_credentials", "invalid_refresh_token"),
    above: 100,
    lasting: 15,
    runbook: "runbooks.md#a-leaked-client-key",
  },
  {
    name: "custody refused",
    severity: "ticket",
    means: "proofs of custody are guessed, below the budgets",
    minutes: 60,
    value: refused("custody_proof_invalid"),
    above: 50,
    lasting: 15,
    runbook: "runbooks.md#a-guessing-flood",
  },
  {
    name: "labels mismatched",
    severity: "ticket",
    means: "a client shows another label than it claims: a fault of that client, or an attack through it",
    minutes: 60,
    value: refused("payload_mismatch"),
    above: 10,
    lasting: 15,
    runbook: "runbooks.md#a-leaked-client-key",
  },
];

const sqlOf = ({ value, minutes }: Alarm) =>
  `SELECT ${value} AS value FROM taglatch WHERE timestamp > NOW() - INTERVAL '${minutes}' MINUTE`;

const conditionOf = ({ above, below }: Alarm) =>
  above === undefined
    ? `below ${below}`
    : `above ${above < 1 ? `${Number((above * 100).toFixed(2))} %` : above}`;

/** docs/alarms.md, whole. */
export const alarmsPage = () => `<!-- Made by npm run documents from scripts/documents/alarms.ts. -->

# Alarms

| promised (SLO) | | what it leaves |
|---|---|---|
${SLOS.map((row) => `| ${row.join(" | ")} |`).join("\n")}

[alarms.json](alarms.json) has these rules for Grafana (file provisioning of Grafana-managed alerts, into
\`provisioning/alerting\`): it can ask Analytics Engine, by the Altinity ClickHouse data source with the uid
\`taglatch-metrics\`, and Cloudflare has no alerts of its own on a data set. The data set is bound as
[monitoring](operations.md#monitoring) says. One rule cannot be in it, because who is down cannot say so: an
outside probe asks \`/healthz\` every minute, and wakes somebody when it is not 200 for two minutes, or says \`"status":"late"\`
for ten.

| alarm | | when, of the last minutes | it means | go to |
|---|---|---|---|---|
${ALARMS.map(rowOf).join("\n")}
`;

const rowOf = (alarm: Alarm) =>
  `| ${alarm.name} | ${alarm.severity} | ${conditionOf(alarm)}, of ${alarm.minutes} | ${alarm.means} | [${headingOf(alarm)}](${alarm.runbook}) |`;

const headingOf = ({ runbook }: Alarm) => runbook.split("#")[1]?.replaceAll("-", " ");

/** docs/alarms.json, whole. */
export const alarmRules = () => {
  const rules = ALARMS.map(ruleOf);
  const group = { orgId: 1, name: "taglatch", folder: "Taglatch", interval: "1m", rules };
  return `${JSON.stringify({ apiVersion: 1, groups: [group] }, null, 1)}\n`;
};

const METRICS = { type: "vertamedia-clickhouse-datasource", uid: "taglatch-metrics" };

const ruleOf = (alarm: Alarm) => ({
  uid: `taglatch-${alarm.name.replaceAll(" ", "-")}`,
  title: alarm.name,
  condition: "B",
  for: `${alarm.lasting}m`,
  // A silence is an alarm where something is counted that must be there.
  noDataState: alarm.below === undefined ? "OK" : "Alerting",
  execErrState: "Error",
  labels: { service: "taglatch", severity: alarm.severity },
  annotations: { summary: alarm.means, runbook: `docs/${alarm.runbook}` },
  data: [
    {
      refId: "A",
      relativeTimeRange: { from: alarm.minutes * 60, to: 0 },
      datasourceUid: METRICS.uid,
      model: { refId: "A", datasource: METRICS, format: "table", rawQuery: true, query: sqlOf(alarm) },
    },
    {
      refId: "B",
      relativeTimeRange: { from: 0, to: 0 },
      datasourceUid: "__expr__",
      model: {
        refId: "B",
        type: "threshold",
        expression: "A",
        conditions: [{ evaluator: evaluatorOf(alarm) }],
      },
    },
  ],
});

const evaluatorOf = ({ above, below }: Alarm) =>
  above === undefined ? { type: "lt", params: [below] } : { type: "gt", params: [above] };
