/**
 * A tag on the desk. It keeps account of sessions, permissions and refused tokens, so that each check is independent
 * and the tag never locks itself by accident (three refused tokens since the last commit do that).
 */
import { encodePayload, payloadDigest } from "../../core/bag/payload.ts";
import { type Bytes, equalBytes } from "../../core/encoding/bytes.ts";
import { STATUS } from "../../core/gatt/profile.ts";
import { commitMark } from "../../core/sec/statement.ts";
import { decodeToken, signToken, type TokenClaims } from "../../core/sec/token.ts";
import type { TransactionTokenRequest } from "../../sdk/index.ts";
import { type HandshakeOptions, handshake } from "./handshake.ts";
import type { Probe } from "./probe.ts";
import type { Seen } from "./seen.ts";
import { type DeskSession, type Offer, PlainSession, SecSession } from "./session.ts";
import { type Answer, isCode, NotPermitted, Skipped, seenOf, type Verdict } from "./types.ts";

/** What the checks write: a fictitious bag, whose plate belongs to no airline. */
export const TEST_LABEL = {
  kind: "write",
  licencePlate: "0000424242",
  name: "CONFORMANCE/TEST",
  from: "AAA",
  segments: [{ flight: "ZZ4242", day: "01JAN", airport: "ZZZ" }],
  destinationCity: "NOWHERE",
} as const;
export const LABEL_BYTES = encodePayload(TEST_LABEL);
export const CLEAR_BYTES = encodePayload({ kind: "clear" });

/** Refused tokens that a tag tolerates between two commits. */
const SPARE_MISSES = 2;

/** Refusals of the tag or of the client (rules §6): another session and another content would get the same. */
const LASTING: ReadonlySet<string> = new Set([
  "custody_proof_required",
  "device_lost",
  "device_not_found",
  "gatt_version_refused",
  "required_info_not_provided",
]);

/** A session whose commit is done, and what the tag sent behind COMMITTED by itself. */
interface AfterCommit {
  readonly session: DeskSession;
  receipt?: Answer;
}

/** What a refused commit must leave unchanged on a tag. */
export interface Mark {
  readonly display: string;
  readonly markPrefix: Bytes;
  /** v2.1. */
  readonly commits?: number;
}

/** A commit of this run, and the mark that the tag must give it. */
interface Committed {
  readonly payload: Bytes;
  /** Of its token. */
  readonly cti: Bytes;
  readonly mark: Bytes;
}

export class Desk {
  readonly probe: Probe;
  #session: DeskSession | undefined;
  #misses = 0;
  #kid: string | undefined;
  #cti: Bytes = new Uint8Array();
  /** What the service refuses for as long as this run lasts, by operation. */
  readonly #refusals = new Map<string, Skipped>();
  /** Once a commit was refused for it: every other would be. */
  #lowBattery: Skipped | undefined;
  #committed: Committed | undefined;
  #after: AfterCommit | undefined;

  constructor(probe: Probe) {
    this.probe = probe;
  }

  // ---- sessions

  /** A session that waits for a token: the current one, else a new one. Skips if there can be none. */
  async session(): Promise<DeskSession> {
    if (this.#session?.alive) return this.#session;
    return this.newSession();
  }

  /** Opens a new session. Each costs one of the few message_1 that a tag allows, so checks share where they can. */
  async newSession(options?: HandshakeOptions): Promise<DeskSession> {
    this.#session = undefined;
    const session = (await this.isV21()) ? await this.secured(options) : await this.presented();
    this.#session = session;
    return session;
  }

  /** The same, for v2.1. */
  async sec(): Promise<SecSession> {
    const session = await this.session();
    if (session instanceof SecSession) return session;
    throw new Skipped("generation", "2.1");
  }

  /** The next check gets a new session. */
  abandon(): void {
    this.#session = undefined;
    this.probe.close();
  }

  async isV21(): Promise<boolean> {
    return (await this.probe.generation()) === "2.1";
  }

  private async secured(options?: HandshakeOptions): Promise<SecSession> {
    const opened = await handshake(this.probe, options);
    if ("at" in opened) throw new NoSession(opened.answer);
    return new SecSession(this.probe, opened);
  }

  /** A session of v2.0. A v2.1 tag takes one, too, before its first v2.1 commit. */
  async plain(): Promise<PlainSession> {
    if (await this.isV21()) return this.presented();
    const session = await this.session();
    if (session instanceof PlainSession) return session;
    throw new Skipped("generation", "2.0");
  }

  private async presented(): Promise<PlainSession> {
    await this.probe.fresh();
    const session = new PlainSession(this.probe);
    const refused = await session.present(this.probe.bench.credential.chain);
    if (refused !== undefined) throw new NoSession(refused);
    return session;
  }

  /** A session in which the tag can be asked for a statement: that of the last commit if it is open, else one more. */
  async statementSession(): Promise<SecSession> {
    const last = this.#after?.session;
    if (!isOpenSec(last)) return this.sec();
    await this.receipt();
    return last;
  }

  // ---- tokens

  /**
   * A token of the service for this session. Skips if the service refuses; if it refuses this tag or this client
   * ({@link LASTING}), later calls for the same operation skip at once. Any other refusal is of this one token.
   */
  async requestToken(
    session: Pick<DeskSession, "nonce" | "generation" | "channelBinding">,
    payload: Bytes,
    changes: Partial<TransactionTokenRequest> = {},
  ): Promise<Bytes> {
    const operation = changes.operation ?? (equalBytes(payload, CLEAR_BYTES) ? "clear" : "write");
    const refused = this.#refusals.get(operation);
    if (refused !== undefined) throw refused;
    const { nonce, generation, channelBinding } = session;
    try {
      const token = await this.probe.bench.requestToken({
        uniqueDeviceId: await this.probe.id(),
        generation,
        nonce,
        payloadDigest: await payloadDigest(payload),
        ...(channelBinding && { channelBinding }),
        ...changes,
        operation,
      });
      const { kid, claims } = decodeToken(token);
      this.#kid = kid;
      this.#cti = claims.cti;
      return token;
    } catch (error) {
      if (error instanceof NotPermitted && LASTING.has(error.code)) this.#refusals.set(operation, error);
      throw error;
    }
  }

  /** Asks for a token that no tag is shown: whether the service lets this client clear the tag, and its key's id. */
  async permittedToClear(): Promise<void> {
    const random = (length: number): Bytes => crypto.getRandomValues(new Uint8Array(length));
    const generation = await this.probe.generation();
    const bound = generation === "2.1" ? { channelBinding: random(32) } : {};
    await this.requestToken({ generation, nonce: random(16), ...bound }, CLEAR_BYTES);
  }

  /** A token with the service's claims except for `changes`, signed by a key that the tag does not know. */
  async forged(session: DeskSession, changes: Partial<TokenClaims> = {}, kid?: string): Promise<Bytes> {
    return this.signed({ ...(await this.claims(session)), ...changes }, kid);
  }

  async signed(claims: TokenClaims, kid?: string): Promise<Bytes> {
    if (this.#kid === undefined) await this.permittedToClear();
    const { privateKey } = this.probe.bench.throwAway;
    return signToken(claims, { kid: kid ?? (this.#kid as string), privateKey });
  }

  /** What the service would claim for the test label. */
  async claims(session: DeskSession): Promise<TokenClaims> {
    const iat = Math.floor(Date.now() / 1000);
    return {
      iss: "taglatch",
      aud: await this.probe.id(),
      iat,
      exp: iat + 120,
      cti: crypto.getRandomValues(new Uint8Array(8)),
      nonce: session.nonce,
      ttl: 120,
      version: session.generation,
      payloadDigest: await payloadDigest(LABEL_BYTES),
      operation: "write",
      ...(session.channelBinding && { channelBinding: session.channelBinding }),
    };
  }

  /** Makes room for one more refused token. Skips if the tag does not take the commit: one more would lock it. */
  async spareMiss(): Promise<void> {
    if (this.#misses < SPARE_MISSES) return;
    const answer = await this.commit(CLEAR_BYTES);
    if (!isCode(answer, "COMMITTED")) throw new NoSession(answer);
  }

  /** Presents a token that must be refused; clears the tag first if one more refusal would lock it. */
  async misses<Session extends DeskSession = DeskSession>(
    make: (session: Session) => Promise<Bytes>,
    open: () => Promise<DeskSession> = () => this.session(),
  ): Promise<Offer> {
    await this.spareMiss();
    const session = (await open()) as Session;
    const token = await make(session);
    this.#misses++;
    return session.offer(token);
  }

  /** Continues until the tag says that it has locked itself, or should have. */
  async lockOut(): Promise<Answer> {
    for (; this.#misses < SPARE_MISSES; ) await this.misses((session) => this.forged(session));
    const session = await this.session();
    const { answer } = await session.offer(await this.forged(session));
    this.#misses = 0;
    return answer;
  }

  /** A session in which a good token was accepted. */
  async authorized(payload: Bytes, changes: Partial<TransactionTokenRequest> = {}): Promise<DeskSession> {
    const session = await this.session();
    const { answer } = await session.offer(await this.requestToken(session, payload, changes));
    if (!isCode(answer, "AUTHORIZED")) throw new NoSession(answer);
    return session;
  }

  /** Token, payload and commit, as a client sends them; returns the last answer. */
  async commit(payload: Bytes): Promise<Answer> {
    this.requireBattery();
    const session = await this.authorized(payload);
    const digest = await payloadDigest(payload);
    return this.#kept(session, payload, await session.deliver(payload, digest));
  }

  /** The same without waiting for AUTHORIZED (v2.1); with `sparing`, without response where it can. */
  async commitAtOnce(payload: Bytes, sparing: boolean): Promise<Answer> {
    this.requireBattery();
    const session = await this.sec();
    const token = await this.requestToken(session, payload);
    const first = await session.deliverAtOnce(token, payload, await payloadDigest(payload), sparing);
    if (!isCode(first, "AUTHORIZED")) return first;
    return this.#kept(session, payload, await session.displayed());
  }

  /** Skips at once where a commit of this run met a low battery. */
  requireBattery(): void {
    if (this.#lowBattery !== undefined) throw this.#lowBattery;
  }

  /** Skips where `answer` is the refusal of a tag whose battery is low, and says so: it refuses every commit. */
  async unlessLow(answer: Answer): Promise<Answer> {
    if (!isCode(answer, "LOW_BATTERY")) return answer;
    await this.probe.fresh();
    const { flags } = await this.probe.info();
    if (!flags.lowBattery) return answer;
    this.#lowBattery = new Skipped("lowBattery");
    throw this.#lowBattery;
  }

  async #kept(session: DeskSession, payload: Bytes, given: Answer): Promise<Answer> {
    const answer = await this.unlessLow(given);
    if (answer.kind === "code" && answer.code === STATUS.COMMITTED) {
      const digest = await payloadDigest(payload);
      this.#misses = 0;
      this.#committed = { payload, cti: this.#cti, mark: await commitMark(session.nonce, digest) };
      this.#after = { session };
    }
    return answer;
  }

  /** The receipt that a v2.1 tag sends by itself after COMMITTED. */
  async receipt(): Promise<Answer> {
    const after = this.#after;
    if (!(after?.session instanceof SecSession)) return { kind: "gone" };
    after.receipt ??= await after.session.next();
    return after.receipt;
  }

  /** A v2.1 session in COMMITTED, which still has its keys: that of the last commit if it is open, else of a clear. */
  async committedSec(): Promise<SecSession> {
    if (!isOpenSec(this.#after?.session)) {
      const answer = await this.commit(CLEAR_BYTES);
      if (!isCode(answer, "COMMITTED")) throw new NoSession(answer);
    }
    if (await this.probe.signs()) await this.receipt();
    const session = this.#after?.session;
    if (!isOpenSec(session)) throw new Skipped("noSession", "gone");
    return session;
  }

  /** The last commit of this run. */
  get committed(): Committed | undefined {
    return this.#committed;
  }

  /** Whether STATUS names the last commit of this run, and that commit was `payload`. */
  shows(payload: Bytes, markPrefix: Bytes): boolean {
    const committed = this.#committed;
    if (committed === undefined || !equalBytes(committed.payload, payload)) return false;
    return equalBytes(markPrefix, committed.mark.slice(0, markPrefix.length));
  }

  /**
   * Does `work` in a session that may write `payload`. Passes where that does and the tag is unchanged on its next
   * connection.
   */
  async unchangedBy<Session extends DeskSession>(
    payload: Bytes,
    work: (session: Session) => Promise<Verdict>,
    request?: Partial<TransactionTokenRequest>,
  ): Promise<Verdict> {
    const before = await this.mark();
    const verdict = await work((await this.authorized(payload, request)) as Session);
    this.probe.close();
    if (sameMark(before, await this.mark())) return verdict;
    // A commit after all: the tag counts refusals from zero.
    this.#misses = 0;
    return { outcome: "fail", seen: ["displayChanged"] };
  }

  /** What a commit would change, read in a new session (a new connection on v2.0). */
  async mark(): Promise<Mark> {
    const session = await this.session();
    const { display, markPrefix } = await this.probe.settled();
    const commits = session instanceof SecSession ? { commits: session.hello.commits } : {};
    return { display, markPrefix, ...commits };
  }
}

const isOpenSec = (session: DeskSession | undefined): session is SecSession =>
  session instanceof SecSession && session.isOpen;

/** The session that every later check would need could not be made. */
export class NoSession extends Skipped {
  /** What came in its place. */
  readonly seen: Seen;
  constructor(answer: Answer) {
    super("noSession", ...seenOf(answer));
    this.seen = seenOf(answer);
  }
}

export function sameMark(a: Mark, b: Mark): boolean {
  return a.display === b.display && a.commits === b.commits && equalBytes(a.markPrefix, b.markPrefix);
}
