import { env } from "cloudflare:workers";
import { HEADER } from "../../core/api/index.ts";
import { B2B, CLIENTS, seedJourneys } from "../../db/demo/values.ts";

/**
 * Looks for secrets and personal data in log lines and refusals of the service. Those of the development data and of the
 * bindings are known, those of every request and answer of a test file are learned.
 */

/** Fields of requests and answers whose values no other caller may read. */
const SECRET_FIELDS = new Set([
  ...["token", "nonce", "attestationObject", "password", "pin", "accessToken", "refreshToken"],
  ...["transactionToken", "code", "pushEndpoint"],
]);
const PERSONAL_FIELDS = new Set(["recordLocator", "surname", "givenName", "email"]);
const SECRET_HEADERS = ["Authorization", HEADER.dpop, HEADER.b2bSecret, HEADER.clientKey];
/** Bindings that hold keys. */
const SECRET_BINDINGS = /_KEYS?$|^PEPPER$/;

type Kind = "a secret" | "a name or locator";
/** What is learned, in capitals: pieces of a text, and the words of texts of several pieces. */
const pieces = new Map<string, Kind>();
const phrases = new Map<string, Kind>();
const seen: { readonly where: string; readonly text: string }[] = [];

/** Pieces are tokens, their parts, and words. */
const SEPARATORS = [/[^\w.~+/-]+/, /[^\w~+-]+/, /[^\p{L}\p{N}]+/u];
const piecesOf = (text: string) => new Set(SEPARATORS.flatMap((one) => text.split(one)));
/** The words of a text with one space around each, so that a part of a word is not found in it. */
const wordsOf = (text: string) => ` ${text.split(/[^\p{L}\p{N}]+/u).join(" ")} `;

function learn(value: string, kind: Kind, shortest: number): void {
  // Of base64, `=` pads and does not count.
  const text = value.trim().replace(/=+$/, "").toUpperCase();
  if (text.length < shortest) return;
  if (piecesOf(text).has(text)) pieces.set(text, kind);
  else phrases.set(wordsOf(text), kind);
}

/** A secret, and of a JWT each part. */
function learnSecret(value: string): void {
  for (const part of [value, ...value.split(".")]) learn(part, "a secret", 8);
}
const learnName = (value: string, shortest = 4) => learn(value, "a name or locator", shortest);

/** Learns what `value`, a body, holds of secrets and personal data. */
export function learnBody(value: unknown): void {
  if (typeof value !== "object" || value === null) return;
  for (const [name, content] of Object.entries(value)) {
    if (typeof content !== "string") learnBody(content);
    else if (SECRET_FIELDS.has(name)) learnSecret(content);
    else if (PERSONAL_FIELDS.has(name)) learnName(content);
    else if (name === "scanData" || name === "message") for (const one of namesIn(content)) learnName(one);
  }
}

/**
 * The names and locators of a boarding pass (IATA Resolution 792: name in positions 3 to 22, locator in 24 to 30), or of a
 * baggage message (IATA RP 1745: elements .P and .L).
 */
const namesIn = (text: string): readonly string[] =>
  text.startsWith("M")
    ? [...text.slice(2, 22).split("/"), text.slice(23, 30)]
    : [...text.matchAll(/^\.[PL]\/\d*(.*)$/gm)].flatMap(([, element = ""]) => element.split("/"));

/** Learns what a request sends; a body that is not JSON has none. */
export function learnRequest({ headers, body }: RequestInit): void {
  const all = new Headers(headers);
  for (const name of SECRET_HEADERS) learnSecret(all.get(name)?.replace(/^\w+ +/, "") ?? "");
  if (!(body instanceof Uint8Array)) return;
  try {
    learnBody(JSON.parse(new TextDecoder().decode(body)));
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
  }
}

/** Stores `text`, which came from `where`, to be searched. */
export function see(where: string, text: string): void {
  seen.push({ where, text });
}

/** Learns the values of an answer, or stores the text of a refusal. */
export function seeAnswer(
  where: string,
  { status, body, text }: { readonly status: number; readonly body: unknown; readonly text: string },
): void {
  if (status < 400) learnBody(body);
  else see(`${where} (${status})`, text);
}

/**
 * The leaks since the last call, one sentence each: where, and what kind of value, never the value. Call it late: a log
 * line is written before the answer from which the values made for it are learned.
 */
export function takeLeaks(): readonly string[] {
  return seen.splice(0).flatMap(({ where, text }) => {
    const upper = text.toUpperCase();
    const words = wordsOf(upper);
    const found = [
      ...[...piecesOf(upper)].map((piece) => pieces.get(piece)),
      ...[...phrases].map(([phrase, kind]) => (words.includes(phrase) ? kind : undefined)),
    ];
    return [...new Set(found)].flatMap((kind) => (kind === undefined ? [] : [`${where}: ${kind}`]));
  });
}

/** For the next file in this runtime: the development data and the bindings are all that is known. */
export function forgetLeaks(): void {
  pieces.clear();
  phrases.clear();
  seen.length = 0;
  for (const { surname, givenName, recordLocator } of seedJourneys(0))
    for (const name of [surname, givenName, recordLocator]) learnName(name, 3);
  for (const secret of [...CLIENTS.map(({ key }) => key), B2B.secret, B2B.password]) learnSecret(secret);
  for (const [name, value] of Object.entries(env)) {
    if (!SECRET_BINDINGS.test(name) || typeof value !== "string") continue;
    for (const part of secretsIn(value)) learnSecret(part);
  }
}

/** The private members of a JWK or JWKS, or the text itself. */
const secretsIn = (text: string) =>
  text.startsWith("{") ? [...text.matchAll(/"d":"([\w-]+)"/g)].map(([, d = ""]) => d) : [text];

/** Whatever is written to the console is a log line as well, until the answer is called. */
export function watchConsole(): () => void {
  const before = (["debug", "error", "info", "log", "warn"] as const).map(
    (method) => [method, console[method]] as const,
  );
  for (const [method, write] of before) {
    console[method] = (...values: unknown[]) => {
      see(`console.${method}`, values.map(String).join(" "));
      write.apply(console, values);
    };
  }
  return () => Object.assign(console, Object.fromEntries(before));
}
