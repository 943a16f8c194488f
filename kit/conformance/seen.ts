/** What a check has seen: the key of a sentence and the values in it, and the sentence in English. */
type Value = string | number;

const SEEN = {
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
  outdatedTable: () =>
    "INFO says v2.1, but SEC is missing: on the tag, or in a table that this device has stored",
  hidden: () => "No Database Hash: the table never changes, or this system does not show it",
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
  lowBattery: () => "The battery is too low to write (67)",
  generation: (generation?: Value) => `This tag does not serve v${generation}`,
  signs: (signs?: Value) =>
    signs === 1 ? "Only for tags that sign statements" : "Only for tags that sign no statements",
  statement: (operation?: Value, commits?: Value, challenged?: Value) =>
    `Statement: operation ${operation}, commit ${commits}${challenged === 1 ? ", with the challenge" : ""}`,
  knows: () => "This tag knows no intermediate",
  responses: () => "This tag or this browser writes with response",
  interval: (ms?: Value, latency?: Value) => `Asked for ${ms} ms, latency ${latency}`,
  unseen: () => "A browser does not see it; `npm run phone -- check` does",
  optedOut: () => "Not asked for",
  noSession: (answer?: Value, value?: Value) =>
    `What this check needs did not come about (${answer} ${value ?? ""})`,
} as const;

export type SeenKey = keyof typeof SEEN;

export type Seen = readonly [say: SeenKey, ...values: readonly Value[]];

export function seenText([key, ...values]: Seen): string {
  const sentence: (...values: readonly Value[]) => string = SEEN[key];
  return sentence(...values).trim();
}
