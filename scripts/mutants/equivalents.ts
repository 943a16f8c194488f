import { all, type Equivalent } from "./equivalent.ts";
import { SERVICE } from "./equivalents-service.ts";

/** Faults that change nothing anybody can see: left out of the choice. By the text of their lines, so that files may move. */

const CORE: readonly Equivalent[] = [
  {
    original: "if (at !== undefined) checkTimes(path, at);",
    mutated: "if (true) checkTimes(path, at);",
    reason: "nothing is before or after undefined; the types want the condition",
  },
  {
    original:
      'const iso = digits.replace(/^(\\d{4})(\\d\\d)(\\d\\d)(\\d\\d)(\\d\\d)(\\d\\d)Z$/, "$1-$2-$3T$4:$5:$6.000Z");',
    mutated:
      'const iso = digits.replace(/^(\\d{4})(\\d\\d)(\\d\\d)(\\d\\d)(\\d\\d)(\\d\\d)Z/, "$1-$2-$3T$4:$5:$6.000Z");',
    reason: "with anything behind its Z it is no text that a date gives back",
  },
  ...all(
    'if (error instanceof DOMException && error.name === "OperationError") return undefined;',
    ['if (error.name === "OperationError") return undefined;'],
    "whatever an engine throws has a name; the type wants to be told apart",
  ),
  ...all(
    'return error instanceof Error && error.name === "NotSupportedError";',
    ['return error.name === "NotSupportedError";'],
    "whatever an engine throws has a name; the type wants to be told apart",
  ),
  ...all(
    "if (number === undefined || low === undefined || high === undefined) {",
    [
      "if (high === undefined) {",
      "if (number === undefined || high === undefined) {",
      "if (low === undefined || high === undefined) {",
      "if ((number === undefined) && (low === undefined) || high === undefined) {",
    ],
    "where the last byte is, those before it are; the types want each",
  ),
  ...all(
    "const plaintext = await openMessage(agreed.suite, agreed.prk, 4, agreed.th4, ciphertext);",
    ["const plaintext = await openMessage(agreed.suite, agreed.prk, 5, agreed.th4, ciphertext);"],
    "of two messages, what is not 3 is 4; the type allows no other",
  ),
  ...all(
    "const ciphertext = await sealMessage(agreed.suite, agreed.prk, 4, agreed.th4, new Uint8Array());",
    ["const ciphertext = await sealMessage(agreed.suite, agreed.prk, 5, agreed.th4, new Uint8Array());"],
    "of two messages, what is not 3 is 4; the type allows no other",
  ),
  ...all(
    "if (error instanceof SecError) return error;",
    ["if (true) return error;"],
    "reading an error message throws nothing else; the type wants to be told apart",
  ),
  ...[
    ...["RECORD", "PEER_ERROR", "TOKEN_FORMAT", "TOKEN_KID", "TOKEN_AUD", "TOKEN_NONCE", "TOKEN_EXPIRED"],
    ...["TOKEN_BINDING", "TOKEN_SIG", "TOKEN_REPLAY", "OFFSET", "DIGEST", "STORAGE", "LOW_BATTERY"],
  ].flatMap((code) =>
    all(
      `case "${code}":`,
      ['case "":'],
      "what no case names has no answer either; the list makes the compiler ask for one",
    ),
  ),
  ...all(
    'export const ED25519: SignatureScheme = scheme({ name: "Ed25519" }, undefined);',
    ['export const ED25519: SignatureScheme = scheme({ name: "Ed25519" }, );'],
    "an argument that is not there is undefined",
  ),
  ...all(
    'keys.set(kid, await crypto.subtle.importKey("jwk", { kty, crv, x, y }, algorithm, true, ["verify"]));',
    [
      'keys.set(kid, await crypto.subtle.importKey("jwk", { kty, crv, x, y }, algorithm, false, ["verify"]));',
    ],
    "nobody takes the public key out again",
  ),
  ...all(
    "return { idCred: encodeMap([encodeInt(KID), encodeBstr(kid)]), chain: undefined };",
    ["return { idCred: encodeMap([encodeInt(KID), encodeBstr(kid)]), };"],
    "a property that is not there is undefined",
  ),
  ...["MESSAGE", "RECORD"].flatMap((code) =>
    all(
      `if (cause instanceof CborError) throw new SecError("${code}", { message: cause.message, cause });`,
      [`if (true) throw new SecError("${code}", { message: cause.message, cause });`],
      "reading throws nothing else; the type wants to be told apart",
    ),
  ),
  ...all(
    'if (peerPublic.length !== LENGTH) throw new SecError("MESSAGE", { message: "ephemeral key length" });',
    ['if (false) throw new SecError("MESSAGE", { message: "ephemeral key length" });'],
    "whatever an engine has against a key of another length is MESSAGE as well",
  ),
  ...all(
    "if (sealed.length < tagLength) return undefined;",
    ["if (sealed.length < tagLength)", "if (false) return undefined;"],
    "what is shorter than its tag has no good one either; the check spares the work",
  ),
  ...all(
    "signature.length === 64 && fits(publicKey) &&",
    ["fits(publicKey) &&"],
    "every engine we know refuses other lengths, too; we do not lean on that",
  ),
  ...all(
    "let next = left > 0 ? cbor.int() : undefined;",
    [
      "let next = left >= 0 ? cbor.int() : undefined;",
      "let next = left > 1 ? cbor.int() : undefined;",
      "let next = true ? cbor.int() : undefined;",
    ],
    "a map of one claim or none lacks the others whether or not its first is looked at",
  ),
];

const SDK: readonly Equivalent[] = [
  ...all(
    "const bag = baggageId === undefined ? {} : { forBaggageId: baggageId };",
    ["const bag = false ? {} : { forBaggageId: baggageId };"],
    "JSON leaves out what is undefined",
  ),
  ...all(
    'if (status.state === "AUTHORIZED") return ["tokenAccepted", undefined];',
    ['if (status.state === "AUTHORIZED") return ["tokenAccepted", ];'],
    "an element that is not there is undefined",
  ),
  ...all(
    "...(certificate && { tagCertificate: certificate }),",
    ["...({ tagCertificate: certificate }),"],
    "JSON leaves out what is undefined",
  ),
  ...all(
    'if (error instanceof ServiceError && error.code === "invalid_nonce") return "stale_nonce";',
    ['if (error.code === "invalid_nonce") return "stale_nonce";'],
    "no other error has that code; the type wants to be told apart",
  ),
  ...all(
    "const { accessToken, accessExpiresAt = 0 } = record ?? {};",
    ["const { accessToken, accessExpiresAt = 1 } = record ?? {};"],
    "asked only where something is stored",
  ),
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
    'this.#translated("write", async () => {',
    ['this.#translated("", async () => {'],
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
  ...all(
    'const nameOf = (cause: unknown) => (cause instanceof Error ? cause.name : "");',
    ['const nameOf = (cause: unknown) => (cause instanceof Error ? cause.name : "x");'],
    "no exception has either name",
  ),
  ...all(
    'if (error instanceof SecError && error.code === "SUITE" && error.suitesR !== undefined)',
    ['if (error.code === "SUITE" && error.suitesR !== undefined)'],
    "no other error has that code; the type wants to be told apart",
  ),
  ...all(
    '{ scanData: scanData.replace(/[\\r\\n]+$/, ""), ...(airline === undefined ? {} : { airline }) },',
    ['{ scanData: scanData.replace(/[\\r\\n]+$/, ""), ...(false ? {} : { airline }) },'],
    "JSON leaves out what is undefined",
  ),
  ...all(
    "{ ...(lpn === undefined ? {} : { lpn }), ...(slotNumber === undefined ? {} : { slotNumber }) },",
    [
      "{ ...(false ? {} : { lpn }), ...(slotNumber === undefined ? {} : { slotNumber }) },",
      "{ ...(lpn === undefined ? {} : { lpn }), ...(false ? {} : { slotNumber }) },",
    ],
    "JSON leaves out what is undefined",
  ),
  ...all(
    'if (error instanceof ServiceError && error.code === "payload_mismatch" && reloadable)',
    ['if (error.code === "payload_mismatch" && reloadable)'],
    "no other error has that code; the type wants to be told apart",
  ),
  ...all(
    "const { requestId } = result.ok ? {} : requestOf(result.error);",
    ["const { requestId } = false ? {} : requestOf(result.error);"],
    "a success has no error, which has no request; the type wants to be told apart",
  ),
  ...all(
    "return error instanceof ServiceError ? { requestId: error.requestId } : {};",
    ["return true ? { requestId: error.requestId } : {};"],
    "no other error has a request",
  ),
  ...all(
    "asResult(options, (signal) => logout(session, outbox, options.force ?? false, signal)),",
    ["asResult(options, (signal) => logout(session, outbox, options.force, signal)),"],
    "what is not said is not insisted on; the type wants it said",
  ),
  ...all(
    "const expired = (stored?.accessExpiresAt ?? 0) <= now();",
    ["const expired = (stored?.accessExpiresAt ?? 1) <= now();"],
    "asked only where something is stored",
  ),
];

export const EQUIVALENTS: readonly Equivalent[] = [...CORE, ...SDK, ...SERVICE];
