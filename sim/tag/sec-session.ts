import { type Bytes, concat } from "../../core/encoding/bytes.ts";
import { STATUS, type StatusName, TAG_LIMIT } from "../../core/gatt/profile.ts";
import { type VerifiedLeaf, verifyChain } from "../../core/pki/chain.ts";
import { EKU_CLIENT } from "../../core/pki/profiles.ts";
import { answerTo } from "../../core/sec/answers.ts";
import type { ResponderChannel } from "../../core/sec/channel.ts";
import { openResponderChannel } from "../../core/sec/channel.ts";
import type { EphemeralKey } from "../../core/sec/ecdh.ts";
import { SecError } from "../../core/sec/errors.ts";
import { decodeMessage1 } from "../../core/sec/messages.ts";
import { type InitiatorRecord, RECORD_KIND, type ResponderRecord } from "../../core/sec/records.ts";
import {
  type ResponderConfig,
  readMessage1,
  readMessage3,
  type WaitMessage3,
  writeMessage2,
  writeMessage4,
} from "../../core/sec/responder.ts";
import { certificateHash, signStatement } from "../../core/sec/statement.ts";
import { suiteOf } from "../../core/sec/suites.ts";
import { HandshakeTranscript, shownRecord } from "../replay/transcript.ts";
import { authorize, checkPayload, countMiss, type Grant, LONGEST_PAYLOAD, refused } from "./authorization.ts";
import { type Firmware, NONCE_TTL } from "./firmware.ts";
import { type Line, misplaced, outOfState, TagRefusal } from "./refusal.ts";
import { isListed } from "./state-table.ts";
import type { TagCredential } from "./tag-types.ts";

/** What a tag without a fault receives. */
const itself = (record: InitiatorRecord) => record;

interface Keys {
  readonly channel: ResponderChannel;
  readonly leaf: VerifiedLeaf;
  /** The client's intermediate, where message_3 had it. */
  readonly intermediate: Bytes | undefined;
}

/**
 * The tag's side of v2.1 on one connection (protocol.md, A v2.1 transfer): handshake, token, records, commit. Every `await` is followed
 * by `alive()`, because timers and the link go on.
 */
export class SecSession {
  readonly #firmware: Firmware;
  readonly #line: Line;
  readonly #transcript: HandshakeTranscript;
  #info: Bytes = new Uint8Array();
  #waiting: WaitMessage3<VerifiedLeaf> | undefined;
  #keys: Keys | undefined;
  #grant: Grant | undefined;
  #staged: Bytes = new Uint8Array();
  #suiteErrors = 0;
  #freshNonces = 0;
  #challenges = 0;
  /** The last token was refused: the payload and commit that were sent along with it mean nothing. */
  #dropping = false;

  constructor(firmware: Firmware, line: Line) {
    this.#firmware = firmware;
    this.#line = line;
    this.#transcript = new HandshakeTranscript(firmware);
  }

  /** Whether message_3 was accepted and the keys are still there. */
  get hasKeys(): boolean {
    return this.#keys !== undefined;
  }

  /** An EDHOC message; the state says which one it must be. */
  async edhoc(message: Bytes): Promise<void> {
    if (this.#firmware.state === "CONNECTED") return this.#message1(message);
    if (this.#firmware.state === "WAIT_M3") return this.#message3(message);
    throw outOfState("an EDHOC message in this state");
  }

  /** A protected record. Kind 2 belongs on DATA, every other on SEC (protocol.md, GATT profile). */
  async record(on: "SEC" | "DATA", bytes: Bytes): Promise<void> {
    const keys = this.#keys;
    if (keys === undefined) throw outOfState("a record before keys");
    const isData = bytes[0] === RECORD_KIND.data;
    if (isData !== (on === "DATA")) throw misplaced("a record on the other's characteristic");
    const record = await keys.channel.open(bytes);
    this.#line.alive();
    this.#firmware.emit({ type: "record", ...shownRecord("in", record) });
    const { receives = itself } = this.#firmware.config.fault ?? {};
    const received = receives(record);
    if (received !== undefined) await this.#obey(received, keys);
  }

  /** `[17, code]`. */
  async status(code: StatusName): Promise<void> {
    await this.#seal({ kind: "status", status: STATUS[code] });
  }

  /** `[18, statement]`; silence from a tag that does not sign. */
  async statement(challenge?: Bytes): Promise<void> {
    if (!this.#firmware.signs) return;
    const said = this.#firmware.statement(challenge);
    const { chain, privateKey } = this.#credential();
    const hash = await certificateHash(chain[0] as Bytes);
    const statement = await signStatement(said, { certificateHash: hash, privateKey });
    this.#line.alive();
    await this.#seal({ kind: "statement", statement });
  }

  /** Forgets keys and staged data. Idempotent. */
  wipe(): void {
    this.#waiting?.discard();
    this.#waiting = undefined;
    this.#keys?.channel.destroy();
    this.#keys = undefined;
    this.#grant = undefined;
    this.#staged.fill(0);
    this.#staged = new Uint8Array();
  }

  async #message1(message: Bytes): Promise<void> {
    this.#transcript.received("message_1", message);
    this.#firmware.checkPressed();
    this.#info = this.#line.info;
    try {
      const accepted = await readMessage1(this.#config(), message);
      this.#line.alive();
      // A refusal at this point costs no key and no signature, and locks no central out.
      if (!this.#firmware.bucket.take()) throw new SecError("BUSY", { message: "message_1 bucket" });
      const { message: message2, state } = await writeMessage2(accepted, await this.#ephemeral(message));
      this.#line.alive();
      this.#waiting = state;
      this.#firmware.move("message1");
      this.#transcript.sent("message_2", message2);
      this.#line.send("EDHOC", message2);
    } catch (error) {
      if (!(error instanceof SecError && error.code === "SUITE")) throw error;
      this.#refuseSuite(error);
    }
  }

  /**
   * With `revealSecrets` a key whose private half can be shown; else core/sec makes one that cannot be read.
   */
  async #ephemeral(message1: Bytes): Promise<EphemeralKey | undefined> {
    const { config, world } = this.#firmware;
    if (config.revealSecrets !== true) return undefined;
    const selected = decodeMessage1(message1).suitesI.at(-1);
    return selected === undefined ? undefined : suiteOf(selected)?.ecdh.fromPrivate(world.random(32));
  }

  /** Wrong suite: answers EDHOC error 2, at most twice, and ends nothing. */
  #refuseSuite(error: SecError): void {
    this.#line.alive();
    this.#suiteErrors++;
    if (this.#suiteErrors > TAG_LIMIT.suiteErrors) throw outOfState("a third wrong suite");
    this.#firmware.move("suiteRefused");
    const answer = answerTo(error);
    if (answer !== undefined) this.#line.send(answer.type, answer.message);
  }

  async #message3(message: Bytes): Promise<void> {
    const waiting = this.#waiting;
    this.#waiting = undefined;
    if (waiting === undefined) throw outOfState("message_3 without message_2");
    this.#transcript.received("message_3", message);
    const { peer, state } = await readMessage3(waiting, message);
    this.#line.alive();
    const { message: message4, session } = await writeMessage4(state);
    const intermediate = session.peerChain[1];
    const channel = await openResponderChannel(session, this.#info);
    this.#line.alive();
    this.#keys = { channel, leaf: peer, intermediate };
    this.#firmware.move("message3");
    this.#transcript.sent("message_4", message4);
    this.#line.send("EDHOC", message4);
    await this.#hello();
  }

  async #obey(record: InitiatorRecord, keys: Keys): Promise<void> {
    const followsToken = record.kind === "data" || record.kind === "commit";
    if (this.#dropping && followsToken) return this.#firmware.move("dropped");
    this.#dropping = false;
    switch (record.kind) {
      case "token":
        return this.#token(record.token, keys);
      case "data":
        return this.#data(record.offset, record.data);
      case "commit":
        return this.#commit(record.sha256, record.total, keys);
      case "abort":
        throw new TagRefusal(new SecError("PEER_ERROR", { message: "abort" }), "abort");
      case "fresh":
        return this.#fresh();
      case "challenge":
        return this.#challenge(record.challenge);
    }
  }

  async #token(token: Bytes, { channel, leaf }: Keys): Promise<void> {
    if (!isListed(this.#firmware.state, "tokenAccepted")) throw outOfState("a token in this state");
    try {
      const { channelBinding } = channel;
      const grant = await authorize(this.#firmware, token, { path: "2.1", leaf, channelBinding });
      this.#line.alive();
      this.#grant = grant;
      this.#firmware.move("tokenAccepted");
      this.#firmware.report("AUTHORIZED");
    } catch (error) {
      if (!(error instanceof SecError)) throw error;
      return this.#refuseToken(error);
    }
    await this.status("AUTHORIZED");
  }

  async #refuseToken(error: SecError): Promise<void> {
    this.#line.alive();
    countMiss(this.#firmware);
    const code = error.code as StatusName;
    this.#firmware.emit({ type: "refusal", reason: error.message, sent: `status ${STATUS[code]}` });
    this.#dropping = true;
    this.#firmware.move("tokenRefused");
    await this.status(code);
    await this.#hello();
  }

  async #fresh(): Promise<void> {
    this.#freshNonces++;
    const allowed = this.#freshNonces <= TAG_LIMIT.freshNonces;
    if (!allowed || !isListed(this.#firmware.state, "freshNonce")) throw outOfState("no nonce to be had");
    this.#firmware.move("freshNonce");
    await this.#hello();
  }

  async #challenge(challenge: Bytes): Promise<void> {
    this.#challenges++;
    const allowed = this.#firmware.signs && this.#challenges <= TAG_LIMIT.challenges;
    if (!allowed || !isListed(this.#firmware.state, "challenge")) throw outOfState("no statement to be had");
    this.#firmware.move("challenge");
    await this.statement(challenge);
  }

  #data(offset: number, data: Bytes): void {
    if (!isListed(this.#firmware.state, "data")) throw outOfState("data in this state");
    if (offset !== this.#staged.length) throw refused("OFFSET");
    if (offset + data.length > LONGEST_PAYLOAD) throw refused("STORAGE");
    this.#staged = concat(this.#staged, data);
    this.#firmware.move("data");
  }

  async #commit(sha256: Bytes, total: number, { intermediate }: Keys): Promise<void> {
    const grant = this.#grant;
    if (grant === undefined || !isListed(this.#firmware.state, "commit"))
      throw outOfState("nothing to commit");
    if (total !== this.#staged.length) throw refused("OFFSET");
    const { payload, commit } = await checkPayload(this.#firmware, this.#staged, grant, sha256);
    // A commit, not a handshake, decides what is kept: a guest who only connects changes nothing.
    const known = intermediate && {
      certificate: intermediate,
      hash: await certificateHash(intermediate),
    };
    this.#line.alive();
    this.#grant = undefined;
    this.#firmware.commit(payload, commit, "2.1", known);
  }

  async #hello(): Promise<void> {
    await this.#seal({
      kind: "hello",
      nonce: this.#firmware.nonce.draw(),
      ttl: NONCE_TTL,
      id: this.#firmware.config.id,
      commits: this.#firmware.commits,
      mark: this.#firmware.last?.mark ?? null,
    });
  }

  async #seal(due: ResponderRecord): Promise<void> {
    const { says } = this.#firmware.config.fault ?? {};
    const record = says === undefined ? due : await says(due);
    if (record === undefined) return;
    const channel = this.#keys?.channel;
    if (channel === undefined) throw outOfState("no keys to say it with");
    const bytes = await channel.seal(record);
    this.#firmware.emit({ type: "record", ...shownRecord("out", record) });
    this.#line.send("APP", bytes);
  }

  #config(): ResponderConfig<VerifiedLeaf> {
    const { config, suites } = this.#firmware;
    return {
      credential: this.#credential(),
      verifyPeer: (chain) =>
        verifyChain({ chain: this.#completed(chain), anchors: config.clientRoots, eku: EKU_CLIENT }),
      suites,
      trace: this.#transcript.trace,
    };
  }

  /** A leaf alone gets the intermediate that the tag knows; the whole path is verified as ever. */
  #completed(chain: readonly Bytes[]): readonly Bytes[] {
    if (chain.length > 1) return chain;
    const { intermediate } = this.#firmware;
    if (intermediate === undefined)
      throw new SecError("CHAIN", { message: "a leaf alone, its issuer unknown" });
    return [...chain, intermediate.certificate];
  }

  #credential(): TagCredential {
    const { config, faults } = this.#firmware;
    const credential = faults.wrongCertificate ? config.wrongCredential : config.credential;
    if (credential === undefined) throw new TypeError("this tag has no such credential");
    return credential;
  }
}
