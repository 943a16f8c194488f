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

/** What a token, key or proof is made of; `=` pads and does not count. */
const OPAQUE = /^[\w.~+/-]{8,}$/;
const OPAQUE_PARTS = /[\w.~+/-]{8,}/g;

const opaque = new Set<string>();
const words = new Set<string>();
const seen: { readonly where: string; readonly text: string }[] = [];

/** A secret: matched whole where it is of one piece, or as text. */
function learnSecret(value: string): void {
  const bare = value.trim().replace(/=+$/, "");
  if (bare.length < 8) return;
  if (!OPAQUE.test(bare)) words.add(bare);
  // Of a JWT each part, too.
  else for (const part of [bare, ...bare.split(".")]) if (part.length >= 8) opaque.add(part);
}

/** A name or a locator: matched as a word, however it is written. */
function learnWord(value: string, shortest = 4): void {
  const word = value.trim();
  if (word.length >= shortest) words.add(word.toUpperCase());
}

/** Learns what `value`, a body, holds of secrets and personal data. */
export function learnBody(value: unknown): void {
  if (typeof value !== "object" || value === null) return;
  for (const [name, content] of Object.entries(value)) {
    if (typeof content !== "string") learnBody(content);
    else if (SECRET_FIELDS.has(name)) learnSecret(content);
    else if (PERSONAL_FIELDS.has(name)) learnWord(content);
    else if (name === "scanData" || name === "message") for (const word of namesIn(content)) learnWord(word);
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

export function learnHeaders(headers: Headers): void {
  for (const name of SECRET_HEADERS) learnSecret(headers.get(name)?.replace(/^\w+ +/, "") ?? "");
}

/** Learns what a request sends; a body that is not JSON has none. */
export function learnRequest({ headers, body }: RequestInit): void {
  learnHeaders(new Headers(headers));
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
  return seen.splice(0).flatMap(({ where, text }) => kindsIn(text).map((kind) => `${where}: ${kind}`));
}

function kindsIn(text: string): readonly string[] {
  const isSecret = (text.match(OPAQUE_PARTS) ?? []).some((part) =>
    [part, ...part.split(/[./]/)].some((piece) => opaque.has(piece)),
  );
  const upper = text.toUpperCase();
  const isPersonal = [...words].some((word) => hasWord(upper, word.toUpperCase()));
  return [...(isSecret ? ["a secret"] : []), ...(isPersonal ? ["a name or locator"] : [])];
}

/** Whether `word` is in `text` with no letter or digit on either side. */
function hasWord(text: string, word: string): boolean {
  for (let at = text.indexOf(word); at >= 0; at = text.indexOf(word, at + 1)) {
    const beside = `${text[at - 1] ?? ""}${text[at + word.length] ?? ""}`;
    if (!/[\p{L}\p{N}]/u.test(beside)) return true;
  }
  return false;
}

/** For the next file in this runtime: the development data and the bindings are all that is known. */
export function forgetLeaks(): void {
  opaque.clear();
  words.clear();
  seen.length = 0;
  for (const { surname, givenName, recordLocator } of seedJourneys(0))
    for (const word of [surname, givenName, recordLocator]) learnWord(word, 3);
  for (const secret of [...CLIENTS.map(({ key }) => key), B2B.secret, B2B.password]) learnSecret(secret);
  for (const [name, value] of Object.entries(env)) {
    if (!SECRET_BINDINGS.test(name) || typeof value !== "string") continue;
    for (const part of secretsIn(value)) learnSecret(part);
  }
}

/** The private members of a JWK or JWKS, or the text itself. */
const secretsIn = (text: string) =>
  text.startsWith("{") ? [...text.matchAll(/"d":"([\w-]+)"/g)].map(([, d = ""]) => d) : [text];

const METHODS = ["debug", "error", "info", "log", "warn"] as const;

/** Whatever is written to the console is a log line as well, until the answer is called. */
export function watchConsole(): () => void {
  const before = METHODS.map((method) => [method, console[method]] as const);
  for (const [method, write] of before) {
    console[method] = (...values: unknown[]) => {
      see(`console.${method}`, values.map(String).join(" "));
      write.apply(console, values);
    };
  }
  return () => Object.assign(console, Object.fromEntries(before));
}
