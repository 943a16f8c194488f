/** A client and a tag that are led through any sequence of steps, and what is known of both. */
import { encodePayload, payloadDigest, type TicketPayload } from "../../core/bag/payload.ts";
import { clearPayload } from "../../core/bag/ticket-payload.ts";
import { type Bytes, concat } from "../../core/encoding/bytes.ts";
import type { GattVersion } from "../../core/gatt/profile.ts";
import { publicKeyThumbprint } from "../../core/pki/certificate.ts";
import { verifyChain } from "../../core/pki/chain.ts";
import { issueClientLeaf } from "../../core/pki/issue.ts";
import { EKU_TAG } from "../../core/pki/profiles.ts";
import type { Credential } from "../../core/sec/credential.ts";
import { signToken } from "../../core/sec/token.ts";
import { fakeBluetooth } from "../../sim/radio/fake-bluetooth.ts";
import { TagSimulator } from "../../sim/tag/tag-simulator.ts";
import { VirtualTime } from "../../sim/test-support/virtual-time.ts";
import { neverCancelled } from "../abort.ts";
import type { TagLink } from "../tag/link.ts";
import type { SecuredTag } from "../tag/secured-tag.ts";
import { type OpenTag, openTag } from "../tag/tag.ts";
import { secureV20 } from "../tag/v20.ts";
import { secureV21 } from "../tag/v21.ts";
import { webBluetoothRadio } from "../tag/web-bluetooth-link.ts";
import { type Authorities, makeAuthorities, random } from "./authorities.ts";

const IDS = { "2.1": "ebt-21-0001", "2.0": "ebt-20-0005" } as const;
/** No step may take longer than this (virtual milliseconds). */
const STEP_BUDGET = 150_000;

export interface Ticket {
  readonly operation: "write" | "clear";
  readonly payload: Bytes;
  readonly digest: Bytes;
}

async function ticket(operation: Ticket["operation"], of: TicketPayload): Promise<Ticket> {
  const payload = encodePayload(of);
  return { operation, payload, digest: await payloadDigest(payload) };
}

export interface Troupe {
  readonly authorities: Authorities;
  readonly client: Credential & { readonly privateKey: CryptoKey };
  readonly spki: Bytes;
  readonly tag: { readonly chain: Bytes[]; readonly privateKey: CryptoKey };
  readonly label: Ticket;
  readonly other: Ticket;
  readonly clear: Ticket;
}

/** Keys and tickets, made once. */
export async function makeTroupe(): Promise<Troupe> {
  const authorities = await makeAuthorities();
  const keys = await crypto.subtle.generateKey({ name: "ECDSA", namedCurve: "P-256" }, true, ["sign"]);
  const { intermediate } = authorities;
  const { publicKey } = keys;
  const now = new Date();
  const request = { issuer: intermediate, commonName: "client", publicKey, serial: random(16), now };
  return {
    authorities,
    client: {
      chain: [await issueClientLeaf(request), intermediate.certificate],
      privateKey: keys.privateKey,
    },
    spki: await publicKeyThumbprint(publicKey),
    tag: await authorities.tag(IDS["2.1"]),
    label: await ticket("write", { kind: "write", licencePlate: "0220654321" }),
    other: await ticket("write", { kind: "write", licencePlate: "0117123456" }),
    clear: await ticket("clear", clearPayload()),
  };
}

export class Walker {
  readonly troupe: Troupe;
  readonly generation: GattVersion;
  readonly tag: TagSimulator;
  readonly time: VirtualTime;
  /** Every session ever made, by the client and by its rival. */
  readonly sessions: SecuredTag[] = [];
  opened: OpenTag | undefined;
  session: SecuredTag | undefined;
  /** The token that goes with the next payload. */
  token: Bytes | undefined;
  /** What a good token was made for, in this session. */
  granted: Ticket | undefined;
  /** Whether the tag accepted a token on the present link. */
  accepted = false;
  linked = false;
  /** What was last delivered, its mark, and where commits stood before it. */
  delivered: { readonly ticket: Ticket; readonly before: SecuredTag; readonly mark: Bytes } | undefined;
  readonly #links: readonly TagLink[];

  private constructor(
    troupe: Troupe,
    generation: GattVersion,
    tag: TagSimulator,
    time: VirtualTime,
    links: TagLink[],
  ) {
    this.troupe = troupe;
    this.generation = generation;
    this.tag = tag;
    this.time = time;
    this.#links = links;
  }

  static async create(troupe: Troupe, generation: GattVersion, seed: number): Promise<Walker> {
    const time = new VirtualTime(seed);
    const { authorities } = troupe;
    const config = {
      id: IDS[generation],
      generation,
      clientRoots: [authorities.clientRoot],
      tokenKeys: [authorities.tokenJwk],
      ...(generation === "2.1" && { credential: troupe.tag }),
    };
    const tag = await TagSimulator.create(config, time.world);
    // Two phones: each has its own stack.
    const phones = [tag, tag].map((each) => fakeBluetooth([each], async ([first]) => first));
    const links = await Promise.all(
      phones.map((phone) => webBluetoothRadio(() => phone).choose(undefined, neverCancelled())),
    );
    return new Walker(troupe, generation, tag, time, links);
  }

  run<Value>(work: () => Promise<Value>): Promise<Value> {
    return this.time.run(STEP_BUDGET, work);
  }

  /** Connects and reads the tag: the client's phone, or the rival's. */
  async open(phone: 0 | 1): Promise<OpenTag> {
    const link = this.#links[phone] as TagLink;
    const connection = await link.connect(neverCancelled(), () => undefined);
    try {
      return await openTag(connection, neverCancelled());
    } catch (error) {
      connection.close();
      throw error;
    }
  }

  async secure(tag: OpenTag): Promise<SecuredTag> {
    const { client, authorities } = this.troupe;
    const verifyTag = (chain: readonly Bytes[]) =>
      verifyChain({ chain, anchors: [authorities.tagRoot], eku: EKU_TAG, at: new Date() });
    const session =
      tag.generation === "2.0"
        ? await secureV20(tag, client.chain, neverCancelled())
        : await secureV21(tag, { credential: client, verifyTag }, neverCancelled());
    this.sessions.push(session);
    return session;
  }

  /** A token as the service would give it for `session`'s nonce, or another. */
  makeToken(
    session: SecuredTag,
    { operation, digest }: Ticket,
    changes: { aud?: string; nonce?: Bytes } = {},
  ) {
    const iat = Math.floor(Date.now() / 1_000);
    const claims = {
      iss: "taglatch",
      aud: session.id,
      iat,
      exp: iat + 120,
      ttl: 120,
      cti: random(8),
      nonce: session.nonce.value,
      cnfSpkiSha256: this.troupe.spki,
      payloadDigest: digest,
      version: session.generation,
      operation,
      ...(session.channelBinding && { channelBinding: session.channelBinding }),
      ...changes,
    };
    return signToken(claims, this.troupe.authorities.tokenKey);
  }
}

/** Bytes that are no nonce. */
export const STALE = concat(new Uint8Array(15), Uint8Array.of(7));
