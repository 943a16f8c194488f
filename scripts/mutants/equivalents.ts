/** Faults that change nothing anybody can see: left out of the choice. By the text of their lines, so that files may move. */
export interface Equivalent {
  /** The line as it is, and as the fault makes it, white space collapsed: what the list of survivors prints. */
  readonly original: string;
  readonly mutated: string;
  readonly reason: string;
}

const CORE: readonly Equivalent[] = [
  {
    original: "if (at !== undefined) checkTimes(path, at);",
    mutated: "if (true) checkTimes(path, at);",
    reason: "nothing is before or after undefined; the types want the condition",
  },
];
/** One reason for several faults of a line. */
function all(original: string, mutated: readonly string[], reason: string): Equivalent[] {
  return mutated.map((each) => ({ original, mutated: each, reason }));
}

const SDK: readonly Equivalent[] = [
  ...all(
    'this.#state = nextClientState(from, "fault");',
    ['this.#state = nextClientState(from, "");', "this.#state = nextClientState(from, );"],
    "what the table does not list is a fault",
  ),
  ...all(
    "#nonce: TagNonce = { value: NO_COMMIT, readAt: 0 };",
    [
      "#nonce: TagNonce = { , readAt: 0 };",
      "#nonce: TagNonce = { value: NO_COMMIT, };",
      "#nonce: TagNonce = { value: NO_COMMIT, readAt: 1 };",
    ],
    "nobody has the session before its first nonce is read",
  ),
  ...all(
    'this.#translated("read", async () => copyBytes(await (await this.#find(uuid)).readValue())),',
    ['this.#translated("", async () => copyBytes(await (await this.#find(uuid)).readValue())),'],
    "only connecting and discovering fail otherwise than reading",
  ),
  ...all(
    'this.#translated("write", async () => (await this.#find(uuid)).writeValueWithResponse(value)),',
    ['this.#translated("", async () => (await this.#find(uuid)).writeValueWithResponse(value)),'],
    "only connecting and discovering fail otherwise than writing",
  ),
  ...all(
    'return ["committed", undefined];',
    ['return ["committed", ];'],
    "an element that is not there is undefined",
  ),
  ...all(
    'return ["presented", undefined];',
    ['return ["presented", ];'],
    "an element that is not there is undefined",
  ),
  ...all(
    'return ["payload", undefined];',
    ['return ["payload", ];'],
    "an element that is not there is undefined",
  ),
  ...all(
    'return ["nonce", undefined];',
    ['return ["nonce", ];'],
    "an element that is not there is undefined",
  ),
];

export const EQUIVALENTS: readonly Equivalent[] = [...CORE, ...SDK];
