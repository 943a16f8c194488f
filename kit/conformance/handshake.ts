/**
 * The v2.1 handshake as the checks need it: with any credential, up to any message, and with a report of how
 * it ended.
 */
import type { Bytes } from "../../core/encoding/bytes.ts";
import { STATUS } from "../../core/gatt/profile.ts";
import { readCertificate } from "../../core/pki/certificate.ts";
import { importKey } from "../../core/pki/chain.ts";
import type { Credential, Peer } from "../../core/sec/authentication.ts";
import { type InitiatorChannel, openInitiatorChannel } from "../../core/sec/channel.ts";
import { SecError } from "../../core/sec/errors.ts";
import { readMessage2, readMessage4, writeMessage1, writeMessage3 } from "../../core/sec/initiator.ts";
import type { Hello } from "../../core/sec/records.ts";
import { nextSuites, type SuiteId } from "../../core/sec/suites.ts";
import { sleep } from "../../sdk/index.ts";
import type { Probe } from "./probe.ts";
import type { Answer } from "./types.ts";

/**
 * A tag lets through 8 message_1 at once and 6 a minute: this waits for one, longer than the 10 s that it
 * takes.
 */
const ALLOWANCE = { pause: 2_000, attempts: 12 } as const;

export interface Opened {
  readonly channel: InitiatorChannel;
  readonly hello: Hello;
  /** The tag's certificates as received. */
  readonly peerChain: readonly Bytes[];
  readonly suite: SuiteId;
}

/** Where a failed handshake ended: the message that did not get the right answer, and the answer. */
export interface Ended {
  readonly at: "message_1" | "message_2" | "message_3" | "message_4" | "hello";
  readonly answer: Answer;
}

export interface HandshakeOptions {
  readonly credential?: Credential;
  /** Writes message_3 without response where it can. */
  readonly sparing?: boolean;
  /** Changes message_3 before it is sent. */
  readonly spoil?: (message: Bytes) => Bytes;
}

/**
 * Sends one message_1 on a new connection and waits for the answer; waits longer if the tag's allowance is
 * used up.
 */
export async function ask(probe: Probe, message1: Bytes): Promise<Answer> {
  for (let attempt = 1; ; attempt++) {
    await probe.fresh();
    await probe.try(() => probe.send("SEC", "EDHOC", message1));
    const answer = await probe.receive();
    const spent = answer.kind === "alert" && answer.code === STATUS.BUSY;
    if (!spent || attempt === ALLOWANCE.attempts) return answer;
    await sleep(probe.bench.pause ?? ALLOWANCE.pause, probe.signal);
  }
}

/**
 * From message_1 to the point where message_3 is ready; nothing is sent after message_1. Begins with the suites that the
 * tag has taken before, as a client does.
 */
export async function begin(probe: Probe, credential: Credential = probe.bench.credential) {
  let suites: readonly SuiteId[] | undefined = probe.suites ?? nextSuites();
  let chain: readonly Bytes[] = [];
  const verifyPeer = (certificates: readonly Bytes[]) => {
    chain = certificates;
    return peerOf(certificates);
  };
  for (;;) {
    if (suites === undefined) return { at: "message_1", answer: { kind: "garbage" } } satisfies Ended;
    const first = await writeMessage1({ credential, suites, verifyPeer });
    const answer = await ask(probe, first.message);
    if (answer.kind === "edhocError" && answer.code === 2) {
      const refused: readonly SuiteId[] = suites.slice(-1);
      suites = nextSuites(answer.suitesR, refused);
      continue;
    }
    if (answer.kind !== "edhoc") return { at: "message_1", answer } satisfies Ended;
    try {
      const second = await readMessage2(first.state, answer.message);
      probe.suites = suites;
      probe.peerChain = chain;
      return { state: second.state, suite: suites.at(-1) as SuiteId };
    } catch (error) {
      return ended("message_2", error);
    }
  }
}

/** A whole handshake and the hello after it. */
export async function handshake(probe: Probe, options: HandshakeOptions = {}): Promise<Opened | Ended> {
  const begun = await begin(probe, options.credential);
  if (!("state" in begun)) return begun;
  const info = probe.infoBytes;
  const third = await writeMessage3(begun.state);
  const message3 = options.spoil?.(third.message) ?? third.message;
  const sparing = options.sparing ? "butLast" : undefined;
  await probe.try(() => probe.send("SEC", "EDHOC", message3, sparing));
  const answer = await probe.receive();
  if (answer.kind !== "edhoc") return { at: "message_3", answer };
  try {
    const session = await readMessage4(third.state, answer.message);
    const { peerChain } = session;
    const channel = await openInitiatorChannel(session, info);
    const record = await probe.receive();
    if (record.kind !== "app") return { at: "hello", answer: record };
    const hello = await channel.open(record.message);
    if (hello.kind === "status") return { at: "hello", answer: { kind: "code", code: hello.status } };
    if (hello.kind !== "hello") return { at: "hello", answer: { kind: "garbage" } };
    return { channel, hello, peerChain, suite: begun.suite };
  } catch (error) {
    return ended("message_4", error);
  }
}

function ended(at: Ended["at"], error: unknown): Ended {
  if (error instanceof SecError) return { at, answer: { kind: "garbage" } };
  throw error;
}

/** The checks go on with any tag: a check of its own tests its identity. */
async function peerOf(chain: readonly Bytes[]): Promise<Peer> {
  const [leaf] = chain;
  if (leaf === undefined) throw new SecError("CHAIN");
  return { publicKey: await keyOf(leaf) };
}

export const keyOf = (certificate: Bytes): Promise<CryptoKey> => importKey(readCertificate(certificate));
