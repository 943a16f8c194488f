/** What a tag is, what it remembers, and whom it trusts, in a folder of its own. */
import { closeSync, fsyncSync, mkdirSync, openSync, readFileSync, renameSync, writeSync } from "node:fs";
import { join } from "node:path";
import { type Bytes, fromBase64, toBase64, toHex } from "../../core/encoding/bytes.ts";
import type { GattVersion } from "../../core/gatt/profile.ts";
import type { Issuer } from "../../core/pki/issue.ts";
import { fromPem, toPem } from "../../core/pki/pem.ts";
import type { TagMemory } from "../../sim/tag/memory.ts";
import type { TagConfig, TagCredential, TokenKey } from "../../sim/tag/tag-types.ts";
import { issueTagCertificate, newTagKeys } from "../certificates/tag-certificate.ts";

const ALGORITHM = { name: "ECDSA", namedCurve: "P-256" } as const;
const FILES = {
  identity: "tag.json",
  memory: "memory.json",
  certificate: "tag.pem",
  trust: "trust.json",
} as const;
/** What a maker puts into a tag, once. */
export interface Identity {
  readonly id: string;
  readonly generation: GattVersion;
  /** A static random address: a phone knows the tag again by it. */
  readonly address: string;
  /** Absent on v2.0. */
  readonly credential?: TagCredential;
}

interface StoredIdentity {
  readonly id: string;
  readonly generation: GattVersion;
  readonly address: string;
  readonly privateJwk: JsonWebKey | null;
  readonly certificate: string | null;
}

/** Files of one tag. Each is written whole or not at all, and only its owner reads them. */
export class TagStore {
  readonly folder: string;

  constructor(folder: string) {
    this.folder = folder;
    mkdirSync(folder, { recursive: true, mode: 0o700 });
  }

  get certificateFile(): string {
    return join(this.folder, FILES.certificate);
  }

  /** The tag of this folder; on first start a new one of this id, with a certificate by `issuer` where it is v2.1. */
  async identity(
    requested: { readonly id: string | undefined; readonly generation: GattVersion },
    issuer: () => Promise<Issuer>,
  ): Promise<Identity & { readonly isNew: boolean }> {
    const stored = this.#read<StoredIdentity>(FILES.identity);
    if (stored !== undefined) return { ...(await identityOf(stored)), isNew: false };
    const { generation } = requested;
    const suffix = toHex(random(2));
    const id = requested.id ?? `ebt-${generation === "2.1" ? "21" : "20"}-${suffix}`;
    const made = {
      id,
      generation,
      address: staticRandomAddress(),
      ...(await credentialFor(id, generation, issuer)),
    };
    this.#write(FILES.identity, made);
    if (made.certificate !== null) this.#writeText(FILES.certificate, toPem(fromBase64(made.certificate)));
    return { ...(await identityOf(made)), isNew: true };
  }

  get memory(): TagMemory | undefined {
    return this.#read<TagMemory>(FILES.memory);
  }

  saveMemory(memory: TagMemory): void {
    this.#write(FILES.memory, memory);
  }

  /** What the tag pins, as the service gave it last. */
  get trust(): unknown {
    return this.#read(FILES.trust);
  }

  saveTrust(trust: unknown): void {
    this.#write(FILES.trust, trust);
  }

  #read<Shape>(name: string): Shape | undefined {
    try {
      return JSON.parse(readFileSync(join(this.folder, name), "utf8")) as Shape;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
      throw error;
    }
  }

  #write(name: string, content: unknown): void {
    this.#writeText(name, `${JSON.stringify(content, null, 2)}\n`);
  }

  /** Under another name, to the disk, and only then in the old one's place: power may go at any moment. */
  #writeText(name: string, text: string): void {
    const path = join(this.folder, name);
    const file = openSync(`${path}.new`, "w", 0o600);
    try {
      writeSync(file, text);
      fsyncSync(file);
    } finally {
      closeSync(file);
    }
    renameSync(`${path}.new`, path);
  }
}

const random = (length: number): Bytes => crypto.getRandomValues(new Uint8Array(length));

/** Its two highest bits are set (Bluetooth Core 6.0, Vol 6, Part B §1.3.2.1). */
function staticRandomAddress(): string {
  const bytes = random(6);
  bytes[0] = (bytes[0] ?? 0) | 0xc0;
  return [...bytes].map((byte) => toHex(Uint8Array.of(byte)).toUpperCase()).join(":");
}

async function credentialFor(
  id: string,
  generation: GattVersion,
  issuer: () => Promise<Issuer>,
): Promise<Pick<StoredIdentity, "privateJwk" | "certificate">> {
  if (generation === "2.0") return { privateJwk: null, certificate: null };
  const { privateKey, publicKey } = await newTagKeys();
  const certificate = await issueTagCertificate(await issuer(), id, publicKey);
  return { privateJwk: await crypto.subtle.exportKey("jwk", privateKey), certificate: toBase64(certificate) };
}

async function identityOf({ privateJwk, certificate, ...rest }: StoredIdentity): Promise<Identity> {
  if (privateJwk === null || certificate === null) return rest;
  const privateKey = await crypto.subtle.importKey("jwk", privateJwk, ALGORITHM, false, ["sign"]);
  return { ...rest, credential: { chain: [fromBase64(certificate)], privateKey } };
}

/** No service answers, and this tag has not met one yet. */
export class ServiceUnreachable extends Error {
  override readonly name = "ServiceUnreachable";
}

interface Trust {
  readonly clientRoots: readonly string[];
  readonly tokenKeys: { readonly keys: readonly TokenKey[] };
}

/**
 * Whom the tag trusts: the client roots and token keys of the service at `baseUrl`, else those that it gave last. A
 * maker's tag has them from the factory (protocol.md, Credentials).
 *
 * @throws ServiceUnreachable
 */
export async function trustOf(
  baseUrl: string,
  store: TagStore,
): Promise<Pick<TagConfig, "clientRoots" | "tokenKeys"> & { readonly isStored: boolean }> {
  const given = await ask(baseUrl);
  if (given instanceof Error) {
    const stored = store.trust as Trust | undefined;
    if (stored === undefined) throw new ServiceUnreachable(baseUrl, { cause: given });
    return { ...pinned(stored), isStored: true };
  }
  const { clientRoots, tokenKeys } = given;
  store.saveTrust({ clientRoots, tokenKeys } satisfies Trust);
  return { ...pinned(given), isStored: false };
}

async function ask(baseUrl: string): Promise<Trust | Error> {
  try {
    const response = await fetch(`${baseUrl}/.well-known/ebt-configuration`);
    return response.ok ? ((await response.json()) as Trust) : new Error(`answered ${response.status}`);
  } catch (cause) {
    return new Error("no answer", { cause });
  }
}

const pinned = ({ clientRoots, tokenKeys }: Trust) => ({
  clientRoots: clientRoots.flatMap(fromPem),
  tokenKeys: tokenKeys.keys,
});
