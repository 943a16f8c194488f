/** English of the conformance page, loaded with it. `section` names a chapter of docs/protocol.md. */

export const conformance = {
  title: "Conformance",
  lead: "Connect a tag and run every check of the protocol against it: numbered, explained, and yours to print or save.",
  beforeTitle: "Before you begin",
  before: [
    "Use a tag that no bag depends on. The checks write a test label and leave the tag blank.",
    "A v2.1 tag takes about four minutes, because it limits how often a session may begin. A v2.0 tag takes one.",
    "The service must allow you to write this tag: it may not be locked to a passenger’s journey.",
  ],
  locked:
    "Find the booking that wrote it in this app, and clear the tag there. Or run a group of checks that write nothing.",
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
    cannot: "This tag cannot sign: the report has no signature.",
  },
  stopped: "Stopped before the end",
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
};
