import { readFileSync } from "node:fs";
import { sql } from "drizzle-orm";
import type { BatchItem } from "drizzle-orm/batch";
import { type Bytes, fromBase64, toBase64, toBase64Url } from "../../core/encoding/bytes.ts";
import { spkiThumbprint } from "../../core/pki/certificate.ts";
import { verifyChain } from "../../core/pki/chain.ts";
import { fromPem } from "../../core/pki/pem.ts";
import { EKU_TAG } from "../../core/pki/profiles.ts";
import { deviceKey } from "../../db/lookup-keys.ts";
import { devices } from "../../db/schema.ts";
import type { Command } from "./command.ts";
import { readCsv } from "./csv.ts";
import { UsageError } from "./usage-error.ts";

/** `devices import`: tags known to speak v2.1 before anybody meets them (rules §5). */
export const importDevices: Command = {
  name: "devices import",
  summary:
    "register tags at v2.1, by their certificates or by the maker's list; a known tag gets the new key",
  database: "write",
  options: {
    file: {
      value: "file",
      required: true,
      help: "certificates (.pem), or a list (.csv with a head line, .json): id, and certificate (base64) or spkiHash",
    },
    "tag-root": { value: "file", help: "PEM of the tag CAs; needed where the file holds certificates" },
  },
  async run({ one, maybe, db, print }) {
    const root = maybe("tag-root");
    const anchors = root === undefined ? [] : fromPem(readFileSync(root, "utf8"));
    const listed = await Promise.all(read(one("file")).map((tag) => known(tag, anchors)));
    const registeredAt = Date.now();
    const statements = listed.map(({ id, label, tagSpkiHash, tagSpki }): BatchItem<"sqlite"> => {
      const proven = { gattVersion: "2.1" as const, tagSpkiHash, reviewAt: null };
      const row = { id, label, registeredAt, ...proven, tagSpki };
      // A list that has hashes alone does not make the tag's key unknown, unless it is another key.
      const kept = sql`case when ${devices.tagSpkiHash} is ${tagSpkiHash} then ${devices.tagSpki} end`;
      return db
        .insert(devices)
        .values(row)
        .onConflictDoUpdate({ target: devices.id, set: { ...proven, tagSpki: tagSpki ?? kept } });
    });
    for (let at = 0; at < statements.length; at += BATCH) {
      await db.batch(statements.slice(at, at + BATCH) as [BatchItem<"sqlite">, ...BatchItem<"sqlite">[]]);
    }
    print(`devices at v2.1: ${listed.length}`);
  },
};

/** Statements of one transaction; D1 takes no more than a few hundred gladly. */
const BATCH = 100;

/** A tag as a list names it. */
interface Listed {
  readonly id?: string;
  /** Base64 DER of the leaf. */
  readonly certificate?: string;
  /** SHA-256 of the SubjectPublicKeyInfo, base64url. */
  readonly spkiHash?: string;
}

function read(path: string): readonly Listed[] {
  const text = readFileSync(path, "utf8");
  if (path.endsWith(".json")) return JSON.parse(text) as readonly Listed[];
  if (path.endsWith(".csv")) return readCsv(text);
  return fromPem(text).map((der) => ({ certificate: toBase64(der) }));
}

async function known({ id, certificate, spkiHash }: Listed, anchors: readonly Bytes[]) {
  if (certificate) {
    if (anchors.length === 0) throw new UsageError("--tag-root is missing");
    const leaf = await verifyChain({
      chain: [fromBase64(certificate)],
      anchors,
      eku: EKU_TAG,
      at: new Date(),
    });
    const label = leaf.subjectSerialNumber ?? "";
    if (label === "" || (id && deviceKey(id) !== deviceKey(label)))
      throw new UsageError(`${id ?? "a certificate"}: the certificate is not of this tag`);
    const tagSpkiHash = toBase64Url(await spkiThumbprint(leaf.spki));
    return { id: deviceKey(label), label: id?.trim() || label, tagSpkiHash, tagSpki: toBase64Url(leaf.spki) };
  }
  if (!id?.trim()) throw new UsageError("a tag without id");
  if (spkiHash && !/^[\w-]{43}$/.test(spkiHash))
    throw new UsageError(`${id}: spkiHash is 32 bytes of base64url`);
  return { id: deviceKey(id), label: id.trim(), tagSpkiHash: spkiHash || null, tagSpki: null };
}
