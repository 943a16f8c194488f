import { env } from "cloudflare:workers";
import { HEADER } from "../../core/api/index.ts";
import { B2B, CLIENTS, seedJourneys } from "../../db/demo/values.ts";

/**
 * Looks for secrets and personal data in log lines and refusals of the service. It knows those of the development data and
 * of the bindings, and learns those of every request and answer of the suite.
 */

/** Fields of requests and answers whose values no other caller may read. */
const SECRET_FIELDS = new Set([
  "token",
  "nonce",
  "attestationObject",
  "password",
  "pin",
  "accessToken",
  "refreshToken",
  "transactionToken",
  "code",
  "pushEndpoint",
]);
const PERSONAL_FIELDS = new Set(["recordLocator", "surname", "givenName", "email"]);
const SECRET_HEADERS = ["Authorization", HEADER.dpop, HEADER.b2bSecret, HEADER.clientKey];
/** Bindings that hold keys. */
const SECRET_BINDINGS = /_KEYS?$|^PEPPER$/;

/** What a token, key or proof is made of; `=` pads and does not count. */
const OPAQUE = /^[\w.~+/-]{8,}$/;
const OPAQUE_PARTS = /[\w.~+/-]{8,}/g;

export class LeakDetector {
  readonly #seen: { readonly where: string; readonly text: string }[] = [];
  readonly #opaque = new Set<string>();
  readonly #words = new Set<string>();

  /** A secret: matched whole where it is of one piece, or as text. */
  learnSecret(value: string): void {
    const bare = value.trim().replace(/=+$/, "");
    if (bare.length < 8) return;
    if (!OPAQUE.test(bare)) this.#words.add(bare.toUpperCase());
    // Of a JWT each part, too.
    else for (const part of [bare, ...bare.split(".")]) if (part.length >= 8) this.#opaque.add(part);
  }

  /** A name or a locator: matched as a word, however it is written. */
  learnWord(value: string): void {
    const word = value.trim().toUpperCase();
    if (word.length >= 3) this.#words.add(word);
  }

  /** What `value`, a body, holds of secrets and personal data. */
  learnBody(value: unknown): void {
    if (typeof value !== "object" || value === null) return;
    for (const [name, content] of Object.entries(value)) {
      if (typeof content !== "string") this.learnBody(content);
      else if (SECRET_FIELDS.has(name)) this.learnSecret(content);
      else if (PERSONAL_FIELDS.has(name) && content.length >= 4) this.learnWord(content);
      else if (name === "scanData") this.#learnBoardingPass(content);
      else if (name === "message") this.#learnBaggageMessage(content);
    }
  }

  learnHeaders(headers: Headers): void {
    for (const name of SECRET_HEADERS) this.learnSecret(headers.get(name)?.replace(/^\w+ +/, "") ?? "");
  }

  /** IATA Resolution 792: name in positions 3 to 22, locator in 24 to 30. */
  #learnBoardingPass(data: string): void {
    for (const word of [...data.slice(2, 22).split("/"), data.slice(23, 30)]) {
      if (word.trim().length >= 4) this.learnWord(word);
    }
  }

  /** IATA RP 1745: elements .P (passengers) and .L (locator). */
  #learnBaggageMessage(text: string): void {
    for (const [, element = ""] of text.matchAll(/^\.[PL]\/(.*)$/gm)) {
      for (const word of element.replace(/^\d+/, "").split("/")) if (word.length >= 4) this.learnWord(word);
    }
  }

  /** Stores `text`, which came from `where`, to be searched. */
  see(where: string, text: string): void {
    this.#seen.push({ where, text });
  }

  /**
   * The leaks since the last call, one sentence each: where, and what kind of value, never the value. Call it late: a log
   * line is written before the answer from which this learns the values made for it.
   */
  take(): readonly string[] {
    const seen = this.#seen.splice(0);
    return seen.flatMap(({ where, text }) => this.#kindsIn(text).map((kind) => `${where}: ${kind}`));
  }

  #kindsIn(text: string): readonly string[] {
    const isSecret = (text.match(OPAQUE_PARTS) ?? []).some((part) => {
      return [part, ...part.split(/[./]/)].some((piece) => this.#opaque.has(piece));
    });
    const upper = text.toUpperCase();
    const isPersonal = [...this.#words].some((word) => hasWord(upper, word));
    return [...(isSecret ? ["a secret"] : []), ...(isPersonal ? ["a name or locator"] : [])];
  }
}

/** Whether `word` is in `text` with no letter or digit on either side. */
function hasWord(text: string, word: string): boolean {
  for (let at = text.indexOf(word); at >= 0; at = text.indexOf(word, at + 1)) {
    if (!isLetter(text[at - 1]) && !isLetter(text[at + word.length])) return true;
  }
  return false;
}

const isLetter = (character: string | undefined) => /[\p{L}\p{N}]/u.test(character ?? "");

/** A detector that knows the development data and `bindings`. */
export function newLeakDetector(bindings: Readonly<Record<string, unknown>> = env): LeakDetector {
  const leaks = new LeakDetector();
  for (const { surname, givenName, recordLocator } of seedJourneys(0)) {
    for (const word of [surname, givenName, recordLocator]) leaks.learnWord(word);
  }
  for (const { key } of CLIENTS) leaks.learnSecret(key);
  for (const secret of [B2B.secret, B2B.password]) leaks.learnSecret(secret);
  for (const [name, value] of Object.entries(bindings)) {
    if (!SECRET_BINDINGS.test(name) || typeof value !== "string") continue;
    for (const part of secretsIn(value)) leaks.learnSecret(part);
  }
  return leaks;
}

/** The private members of a JWK or JWKS, or the text itself. */
const secretsIn = (text: string) =>
  text.startsWith("{") ? [...text.matchAll(/"d":"([\w-]+)"/g)].map(([, d = ""]) => d) : [text];

/** The detector of the test file that runs; the set-up expects that it finds nothing. */
export let leaks = newLeakDetector();

/** For the next file in this runtime: what the last one learned is no secret of its. */
export function forgetLeaks(): void {
  leaks = newLeakDetector();
}

const METHODS = ["debug", "error", "info", "log", "warn"] as const;

/** Whatever is written to the console is a log line as well, until the answer is called. */
export function watchConsole(
  detector: LeakDetector = leaks,
  target: Pick<Console, (typeof METHODS)[number]> = console,
): () => void {
  const before = METHODS.map((method) => [method, target[method]] as const);
  for (const [method, write] of before) {
    target[method] = (...values: unknown[]) => {
      detector.see(`console.${method}`, values.map(String).join(" "));
      write.apply(target, values);
    };
  }
  return () => Object.assign(target, Object.fromEntries(before));
}

/** Learns what a request sends; a body that is not JSON has none. */
export function learnRequest({ headers, body }: RequestInit, detector: LeakDetector = leaks): void {
  detector.learnHeaders(new Headers(headers));
  if (!(body instanceof Uint8Array)) return;
  try {
    detector.learnBody(JSON.parse(new TextDecoder().decode(body)));
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
  }
}

/** Learns the values of an answer, or stores the text of a refusal. */
export function seeAnswer(
  where: string,
  { status, body, text }: { readonly status: number; readonly body: unknown; readonly text: string },
  detector: LeakDetector = leaks,
): void {
  if (status < 400) detector.learnBody(body);
  else detector.see(`${where} (${status})`, text);
}
