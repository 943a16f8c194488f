/** Runs in Chromium: what the client of a transfer computes, step by step, against a tag in the same page. */
import { type Bytes, fromBase64 } from "../../core/encoding/bytes.ts";
import { verifyChain } from "../../core/pki/chain.ts";
import { EKU_CLIENT, EKU_TAG } from "../../core/pki/profiles.ts";
import {
  type InitiatorChannel,
  openInitiatorChannel,
  openResponderChannel,
  type ResponderChannel,
} from "../../core/sec/channel.ts";
import type { Credential } from "../../core/sec/credential.ts";
import { readMessage2, readMessage4, writeMessage1, writeMessage3 } from "../../core/sec/initiator.ts";
import { readMessage1, readMessage3, writeMessage2, writeMessage4 } from "../../core/sec/responder.ts";
import type { SuiteId } from "../../core/sec/suites.ts";

/** A credential as it is passed to a page: DER in base64, leaf first. */
export interface PortableCredential {
  readonly chain: readonly string[];
  readonly key: JsonWebKey;
}

export interface CryptoInput {
  readonly suites: readonly SuiteId[];
  readonly rounds: number;
  readonly client: PortableCredential;
  readonly tag: PortableCredential;
  readonly clientRoot: string;
  readonly tagRoot: string;
}

type Timed = <Value>(work: () => Promise<Value>) => Promise<Value>;

/** Milliseconds that the client computed in each round. */
export async function benchCrypto(input: CryptoInput): Promise<number[]> {
  const [client, tag] = await Promise.all([imported(input.client), imported(input.tag)]);
  const verifiers = {
    tag: verifier(input.tagRoot, EKU_TAG),
    client: verifier(input.clientRoot, EKU_CLIENT),
  };
  const figures: number[] = [];
  for (let round = 0; round < input.rounds; round++) {
    let spent = 0;
    const timed: Timed = async (work) => {
      const began = performance.now();
      const value = await work();
      spent += performance.now() - began;
      return value;
    };
    await transfer(input.suites, { client, tag, verifiers }, timed);
    figures.push(spent);
  }
  return figures;
}

interface Cast {
  readonly client: Credential;
  readonly tag: Credential;
  readonly verifiers: { readonly tag: Verifier; readonly client: Verifier };
}

async function transfer(suites: readonly SuiteId[], { client, tag, verifiers }: Cast, timed: Timed) {
  const config = { credential: client, suites, verifyPeer: verifiers.tag };
  const one = await timed(() => writeMessage1(config));
  const accepted = await readMessage1(
    { credential: tag, verifyPeer: verifiers.client, suites: suites.slice(-1) },
    one.message,
  );
  const two = await writeMessage2(accepted);
  const verified = await timed(() => readMessage2(one.state, two.message));
  const three = await timed(() => writeMessage3(verified.state));
  const { state } = await readMessage3(two.state, three.message);
  const four = await writeMessage4(state);
  const session = await timed(() => readMessage4(three.state, four.message));
  const info = new Uint8Array(10);
  const ours = await timed(() => openInitiatorChannel(session, info));
  const theirs = await openResponderChannel(four.session, info);
  await records(ours, theirs, timed);
}

/** The records of a transfer: hello, token, AUTHORIZED, payload, commit, COMMITTED. */
async function records(ours: InitiatorChannel, theirs: ResponderChannel, timed: Timed): Promise<void> {
  const nonce = new Uint8Array(16);
  const hello = {
    kind: "hello",
    nonce,
    ttl: 120,
    id: "ebt-21-0001",
    commits: 0,
    mark: null,
  } as const;
  const sent = await theirs.seal(hello);
  await timed(() => ours.open(sent));
  for (const record of [
    { kind: "token", token: new Uint8Array(272) },
    { kind: "data", offset: 0, data: new Uint8Array(60) },
    { kind: "commit", sha256: new Uint8Array(32), total: 60 },
  ] as const) {
    const sealed = await timed(() => ours.seal(record));
    await theirs.open(sealed);
    if (record.kind === "data") continue;
    const answer = await theirs.seal({ kind: "status", status: 1 });
    await timed(() => ours.open(answer));
  }
}

type Verifier = ReturnType<typeof verifier>;

function verifier(root: string, eku: typeof EKU_TAG | typeof EKU_CLIENT) {
  const anchors = [fromBase64(root)];
  return (chain: readonly Bytes[]) => verifyChain({ chain, anchors, eku, at: new Date() });
}

async function imported({ chain, key }: PortableCredential): Promise<Credential> {
  const algorithm = { name: "ECDSA", namedCurve: "P-256" };
  return {
    chain: chain.map((certificate) => fromBase64(certificate)),
    privateKey: await crypto.subtle.importKey("jwk", key, algorithm, false, ["sign"]),
  };
}

Object.assign(globalThis, { benchCrypto });
