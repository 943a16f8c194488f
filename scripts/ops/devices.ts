import { createReadStream, readFileSync } from "node:fs";
import { createInterface } from "node:readline";
import { sql } from "drizzle-orm";
import type { BatchItem } from "drizzle-orm/batch";
import { type Bytes, fromBase64, toBase64, toBase64Url } from "../../core/encoding/bytes.ts";
import { spkiThumbprint } from "../../core/pki/certificate.ts";
import { verifyChain } from "../../core/pki/chain.ts";
import { fromPem } from "../../core/pki/pem.ts";
import { EKU_TAG } from "../../core/pki/profiles.ts";
import type { Db } from "../../db/connect.ts";
import { deviceKey } from "../../db/lookup-keys.ts";
import { devices } from "../../db/schema.ts";
import type { Command } from "./command.ts";
import { readCsvLines } from "./csv.ts";
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
    from: { value: "number", help: "go on with this tag of the file, after an import that broke off" },
    "tag-root": { value: "file", help: "PEM of the tag CAs; needed where the file holds certificates" },
  },
  async run({ one, maybe, number, db, print, note }) {
    const root = maybe("tag-root");
    const anchors = root === undefined ? [] : fromPem(readFileSync(root, "utf8"));
    const first = number("from", 1) - 1;
    if (first < 0) throw new UsageError("--from counts from 1");
    let done = first;
    const total = await eachBatch(one("file"), first, async (tags) => {
      try {
        const listed = await Promise.all(tags.map((tag) => known(tag, anchors)));
        const statements = listed.map((tag) => registering(db, tag));
        await db.batch(statements as [BatchItem<"sqlite">, ...BatchItem<"sqlite">[]]);
      } catch (cause) {
        const why = cause instanceof UsageError ? `${cause.message}. ` : "";
        throw new UsageError(`${why}${done} tags are in; go on with --from ${done + 1}`, {
          cause: rootOf(cause),
        });
      }
      done += tags.length;
      note(`${done} tags`);
    });
    print(`devices at v2.1: ${total - first}`);
  },
};

/** The database's own reason; that of the words is in the sentence already. */
const rootOf = (cause: unknown) => (cause instanceof UsageError ? undefined : cause);

function registering(db: Db, { id, label, tagSpkiHash, tagSpki }: Known): BatchItem<"sqlite"> {
  const proven = { gattVersion: "2.1" as const, tagSpkiHash, reviewAt: null };
  const row = { id, label, registeredAt: Date.now(), ...proven, tagSpki };
  // A list that has hashes alone does not make the tag's key unknown, unless it is another key.
  const kept = sql`case when ${devices.tagSpkiHash} is ${tagSpkiHash} then ${devices.tagSpki} end`;
  return db
    .insert(devices)
    .values(row)
    .onConflictDoUpdate({ target: devices.id, set: { ...proven, tagSpki: tagSpki ?? kept } });
}

/** Gives `take` the tags of the file after the `first` so many, a batch at a time; how many the file has. */
async function eachBatch(path: string, first: number, take: (tags: readonly Listed[]) => Promise<void>) {
  let read = 0;
  let batch: Listed[] = [];
  for await (const tag of tagsIn(path)) {
    read += 1;
    if (read > first) batch.push(tag);
    if (batch.length < BATCH) continue;
    await take(batch);
    batch = [];
  }
  if (batch.length > 0) await take(batch);
  return read;
}

/** Statements of one transaction: as text they must fit into one argument of a command (database.ts). */
const BATCH = 50;

/** A tag as a list names it. */
interface Listed {
  readonly id?: string;
  /** Base64 DER of the leaf. */
  readonly certificate?: string;
  /** SHA-256 of the SubjectPublicKeyInfo, base64url. */
  readonly spkiHash?: string;
}

/** A list with a head line is read line by line, however long it is. */
async function* tagsIn(path: string): AsyncIterable<Listed> {
  if (path.endsWith(".csv")) {
    yield* readCsvLines(
      createInterface({ input: createReadStream(path), crlfDelay: Number.POSITIVE_INFINITY }),
    );
    return;
  }
  const text = readFileSync(path, "utf8");
  if (path.endsWith(".json")) yield* JSON.parse(text) as readonly Listed[];
  else yield* fromPem(text).map((der) => ({ certificate: toBase64(der) }));
}

/** A tag as it is registered. */
interface Known {
  readonly id: string;
  readonly label: string;
  readonly tagSpkiHash: string | null;
  readonly tagSpki: string | null;
}

async function known({ id, certificate, spkiHash }: Listed, anchors: readonly Bytes[]): Promise<Known> {
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
