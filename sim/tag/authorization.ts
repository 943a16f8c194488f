import { decodePayload, payloadDigest, type TicketPayload } from "../../core/bag/payload.ts";
import { type Bytes, equalBytes } from "../../core/encoding/bytes.ts";
import { type GattVersion, type StatusName, TAG_TIMER } from "../../core/gatt/profile.ts";
import { type VerifiedLeaf, verifyChain } from "../../core/pki/chain.ts";
import { splitDer } from "../../core/pki/pem.ts";
import { EKU_CLIENT } from "../../core/pki/profiles.ts";
import { SecError } from "../../core/sec/errors.ts";
import type { FramedMessage } from "../../core/sec/framing.ts";
import { commitMark } from "../../core/sec/statement.ts";
import type { TokenOperation } from "../../core/sec/token.ts";
import { checkToken } from "../../core/sec/token-check.ts";
import { tokenFields } from "../replay/transcript.ts";
import type { Firmware } from "./firmware.ts";
import type { Commit } from "./memory.ts";
import { type Line, misplaced, outOfState, TagRefusal } from "./refusal.ts";
import { isListed } from "./state-table.ts";

/** What an accepted token allows, once, on this connection. */
export interface Grant {
  readonly payloadDigest: Bytes | undefined;
  readonly operation: TokenOperation | undefined;
  /** Of the token: what the tag will say of the commit. */
  readonly cti: Bytes;
  readonly nonce: Bytes;
}

export interface TokenContext {
  readonly path: GattVersion;
  readonly leaf: VerifiedLeaf;
  /** Absent on v2.0. */
  readonly channelBinding?: Bytes;
}

/** Longest payload a tag stages; §9's fields at their limits stay below it. */
export const LONGEST_PAYLOAD = 512;

/**
 * All checks of protocol.md, Transaction token. The nonce is burnt whatever the outcome.
 *
 * @throws SecError of the first check that failed
 */
export async function authorize(firmware: Firmware, token: Bytes, context: TokenContext): Promise<Grant> {
  try {
    const claims = await checkToken(token, {
      ...context,
      minimumVersion: firmware.versionMin,
      keys: firmware.tokenKeys,
      deviceId: firmware.config.id,
      takeNonce: () => firmware.nonce.burn(),
      nonceLifetime: TAG_TIMER.nonce,
      lastSeen: firmware.lastSeen,
    });
    firmware.lastSeen = Math.max(firmware.lastSeen, claims.iat);
    const { payloadDigest, operation, cti, nonce } = claims;
    return { payloadDigest, operation, cti, nonce };
  } finally {
    firmware.nonce.burn();
  }
}

/** Counts a refused token. If it was the third, throws the refusal that ends the session. */
export function countMiss(firmware: Firmware): void {
  if (firmware.lockout.miss()) throw new TagRefusal(new SecError("LOCKOUT"), "tokenRefusedLast");
}

/**
 * Checks that the token allows the staged bytes and that a display can show them. Nothing has changed before
 * this.
 *
 * @throws TagRefusal `LOW_BATTERY` · `DIGEST` (also for another operation) · `STORAGE` (not a payload)
 */
export async function checkPayload(
  firmware: Firmware,
  staged: Bytes,
  grant: Grant,
  announced?: Bytes,
): Promise<{ readonly payload: TicketPayload; readonly commit: Commit }> {
  if (firmware.lowBattery) throw refused("LOW_BATTERY");
  const digest = await payloadDigest(staged);
  for (const expected of [announced, grant.payloadDigest]) {
    if (expected !== undefined && !equalBytes(expected, digest)) throw refused("DIGEST");
  }
  const payload = decodePayload(staged);
  if (grant.operation !== undefined && grant.operation !== payload.kind) throw refused("DIGEST");
  const { cti, nonce } = grant;
  return { payload, commit: { digest, mark: await commitMark(nonce, digest), cti, operation: payload.kind } };
}

/** The refusal of a commit that was not authorized as it is. */
export function refused(code: "OFFSET" | "DIGEST" | "STORAGE" | "LOW_BATTERY"): TagRefusal {
  return new TagRefusal(new SecError(code), "commitRefused");
}

/**
 * The tag's side of v2.0 on one connection (protocol.md, v2.0): a chain without proof of possession, a nonce, a token bound
 * to a payload digest, and that payload in clear. Every outcome is in STATUS.
 */
export class AuthorizeV20 {
  readonly #firmware: Firmware;
  readonly #line: Line;
  #leaf: VerifiedLeaf | undefined;
  #grant: Grant | undefined;

  constructor(firmware: Firmware, line: Line) {
    this.#firmware = firmware;
    this.#line = line;
  }

  /** Whether this connection uses v2.0: a chain was accepted. */
  get begun(): boolean {
    return this.#leaf !== undefined;
  }

  /**
   * These characteristics answer 32 from the first v2.1 commit on; within a v2.1 session they are out of
   * state.
   */
  get retired(): boolean {
    return this.#firmware.versionMin !== "2.0" && this.#firmware.state === "CONNECTED";
  }

  /** A whole message on CERT, AUTH or DATA. */
  async receive(on: "CERT" | "AUTH" | "DATA", { type, message }: FramedMessage): Promise<void> {
    if (this.retired) throw new SecError("VERSION", { message: "2.1 only by now" });
    if (type !== TYPE_ON[on]) throw misplaced("a message on the other's characteristic");
    if (on === "CERT") return this.#certificates(message);
    if (on === "AUTH") return this.#token(message);
    return this.#payload(message);
  }

  /** The first frame of a payload arrived. */
  payloadBegins(): void {
    const due = this.#grant !== undefined && isListed(this.#firmware.state, "data");
    if (!due) throw outOfState("data in this state");
    this.#firmware.move("data");
  }

  /** A read of NONCE: a nonce that is neither burnt nor expired. */
  nonce(): Bytes {
    return this.#firmware.nonce.current();
  }

  wipe(): void {
    this.#leaf = undefined;
    this.#grant = undefined;
  }

  // Endpoint 7's order is intermediate ‖ leaf; a chain is checked leaf first.
  async #certificates(message: Bytes): Promise<void> {
    if (!isListed(this.#firmware.state, "chain")) throw outOfState("a chain in this state");
    this.#firmware.checkPressed();
    const chain = splitDer(message).reverse();
    this.#firmware.emit({
      type: "message",
      direction: "in",
      name: "certificate chain",
      bytes: message,
      fields: { certificates: chain.map((certificate) => certificate.length) },
    });
    const leaf = await verifyChain({ chain, anchors: this.#firmware.config.clientRoots, eku: EKU_CLIENT });
    this.#line.alive();
    this.#leaf = leaf;
    this.#firmware.report("OK");
    this.#firmware.move("chain");
  }

  async #token(token: Bytes): Promise<void> {
    const leaf = this.#leaf;
    if (leaf === undefined || !isListed(this.#firmware.state, "tokenAccepted"))
      throw outOfState("a token in this state");
    this.#firmware.emit({
      type: "message",
      direction: "in",
      name: "token",
      bytes: token,
      fields: tokenFields(token),
    });
    try {
      const grant = await authorize(this.#firmware, token, { path: "2.0", leaf });
      this.#line.alive();
      this.#grant = grant;
      this.#firmware.report("AUTHORIZED");
      this.#firmware.move("tokenAccepted");
    } catch (error) {
      if (!(error instanceof SecError)) throw error;
      this.#refuseToken(error);
    }
  }

  #refuseToken(error: SecError): void {
    this.#line.alive();
    countMiss(this.#firmware);
    const code = error.code as StatusName;
    this.#firmware.emit({ type: "refusal", reason: error.message, sent: `STATUS ${code}` });
    this.#firmware.report(code);
    this.#firmware.move("tokenRefused");
  }

  async #payload(message: Bytes): Promise<void> {
    const grant = this.#grant;
    if (this.#firmware.state === "AUTHORIZED") this.payloadBegins();
    if (grant === undefined || !isListed(this.#firmware.state, "commit"))
      throw outOfState("nothing was authorized");
    if (message.length > LONGEST_PAYLOAD) throw refused("STORAGE");
    const { payload, commit } = await checkPayload(this.#firmware, message, grant);
    this.#line.alive();
    this.#grant = undefined;
    this.#firmware.commit(payload, commit, "2.0");
  }
}

const TYPE_ON = { CERT: "CERTIFICATE_CHAIN", AUTH: "TOKEN", DATA: "PAYLOAD" } as const;
