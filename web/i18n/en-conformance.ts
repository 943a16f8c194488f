/** English of the conformance page, loaded with it. `section` names a chapter of docs/protocol.md. */

import { sessionChecks } from "./en-session-checks.ts";
import { statementChecks } from "./en-statement-checks.ts";
import { writingChecks } from "./en-writing-checks.ts";

type Value = string | number;

export const conformance = {
  title: "Conformance",
  lead: "Connect a tag and run every check of the protocol against it: numbered, explained, and yours to print or save.",
  beforeTitle: "Before you begin",
  before: [
    "Use a tag nobody’s bag depends on. The checks write a test label and leave the tag blank.",
    "A v2.1 tag takes about four minutes, because it limits how often a session may begin. A v2.0 tag takes one.",
    "The service must allow you to write this tag: it may not be locked to somebody’s journey.",
  ],
  which: "Which checks",
  whole: "All of them",
  optional: "Also check the lockout",
  optionalHint: "Runs last and locks the tag for at least 30 seconds.",
  choose: "Choose a tag and run",
  choosing: "Choose your tag in the list your browser shows.",
  preparing: "Getting a certificate…",
  signing: "The tag signs the report…",
  stop: "Stop",
  again: "Run again",
  print: "Print",
  save: "Save JSON",
  running: (id: string, title: string) => `${id} ${title}`,
  progress: (done: number, total: number) => `${done} of ${total}`,
  progressLabel: "Checks done",
  passed: (count: number) => `${count} passed`,
  failed: (count: number) => `${count} failed`,
  skipped: (count: number) => `${count} could not run`,
  notApplying: (count: number) => (count === 1 ? "1 does not apply" : `${count} do not apply`),
  count: (count: number) => (count === 1 ? "1 check" : `${count} checks`),
  allPassed: (name: string, count: number) =>
    count === 1
      ? `${name} passed the one check that applies`
      : `${name} passed all ${count} checks that apply`,
  someSkipped: (name: string, count: number) =>
    count === 1
      ? `One check that applies to ${name} could not run`
      : `${count} checks that apply to ${name} could not run`,
  someFailed: (name: string, count: number) =>
    count === 1 ? `${name} failed one check` : `${name} failed ${count} checks`,
  word: {
    signed: "The tag has signed the report.",
    missing: "The tag has not signed the report.",
    cannot: "This tag cannot sign: nobody vouches for the report.",
  },
  stopped: "Stopped before the end",
  broken: "The run ended early",
  reportOf: "Report",
  tag: "Tag",
  id: "Device id",
  generation: "Generation",
  firmware: "Firmware",
  date: "Date",
  expected: "Expected",
  seenLabel: "Seen",
  why: "Why",
  section: (section: string) => `docs/protocol.md, ${section}`,
  outcome: { pass: "passed", fail: "failed", skip: "skipped" },
  generations: { both: "Every tag", "2.1": "GATT v2.1", "2.0": "GATT v2.0" },
  groups: {
    gatt: "GATT table and plain values",
    frames: "Frames",
    handshake: "Handshake",
    session: "Session",
    label: "A label, written and kept private",
    token: "Transaction tokens",
    record: "Protected records",
    commit: "Commits that must be refused",
    statement: "The tag’s signed word",
    v20: "Nonce and certificate chain (v2.0)",
    end: "The end",
  },
  seen: {
    alert: (code?: Value) => `Alert ${code}`,
    edhocError: (code?: Value) => `EDHOC error ${code}`,
    suites: (list?: Value) => `EDHOC error 2, SUITES_R ${list}`,
    message: (type?: Value, length?: Value) => `${type} message of ${length} bytes`,
    code: (code?: Value) => `Status ${code}`,
    state: (state?: Value) => `State ${state}`,
    gone: () => "The link closed",
    stays: () => "The link stayed open",
    silence: () => "No answer to two held reads",
    garbage: () => "An answer that cannot be read",
    value: (value?: Value) => `${value}`,
    bytes: (value?: Value) => `${value}`,
    same: () => "Unchanged",
    different: () => "Changed",
    table: (count?: Value) => `${count} characteristics as listed`,
    missing: (names?: Value) => `Missing: ${names}`,
    surplus: (names?: Value) => `Present, but should not be: ${names}`,
    properties: (names?: Value) => `Wrong properties: ${names}`,
    readable: (names?: Value) => `Readable: ${names}`,
    leak: (names?: Value) => `Ticket data in ${names}`,
    noLeak: () => "Nothing to be had",
    milliseconds: (length?: Value, ms?: Value) => `${length} bytes after ${ms} ms`,
    certificate: (serial?: Value, id?: Value) => `Certificate for ${serial}, ID ${id}`,
    counters: (before?: Value, after?: Value, named?: Value) =>
      `Commits ${before} → ${after}, digest ${named === 1 ? "matches" : "differs"}`,
    display: (display?: Value, blank?: Value, battery?: Value, low?: Value) =>
      `Display ${display}, blank flag ${blank}${battery ? `, battery ${battery} %, low flag ${low}` : ""}`,
    displayKept: () => "The display is what it was",
    displayChanged: () => "The display or its counters changed",
    accepted: () => "The handshake went through",
    nonceKept: () => "The same nonce again",
    nonceRenewed: () => "Another nonce each time",
    hello: (id?: Value, ttl?: Value, commits?: Value, prefix?: Value) =>
      `id ${id}, ttl ${ttl} s, commits ${commits}, last ${prefix}`,
    failed: (code?: Value) => `Failed: ${code}`,
    notPermitted: (code?: Value) => `The service gives no permission to write this tag (${code})`,
    generation: (generation?: Value) => `Only for tags of v${generation}`,
    signs: (signs?: Value) =>
      signs === 1 ? "Only for tags that sign statements" : "Only for tags that sign no statements",
    statement: (operation?: Value, commits?: Value, challenged?: Value) =>
      `Statement: operation ${operation}, commit ${commits}${challenged === 1 ? ", with the challenge" : ""}`,
    knows: () => "This tag knows no intermediate",
    responses: () => "This tag or this browser writes with response",
    optedOut: () => "Not asked for",
    noSession: (answer?: Value, value?: Value) =>
      `What this check needs did not come about (${answer} ${value ?? ""})`,
  },
  checks: {
    ...sessionChecks,
    ...writingChecks,
    ...statementChecks,
  },
};

type Widen<T> = T extends string
  ? string
  : T extends (...args: infer Args) => string
    ? (...args: Args) => string
    : { readonly [Key in keyof T]: Widen<T[Key]> };

export type ConformanceTexts = Widen<typeof conformance>;
