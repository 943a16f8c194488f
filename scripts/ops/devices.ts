import { readFileSync } from "node:fs";
import { and, asc, eq, gt, inArray, sql } from "drizzle-orm";
import type { BatchItem } from "drizzle-orm/batch";
import { type Bytes, fromBase64, toBase64 } from "../../core/encoding/bytes.ts";
import { PkiError, type PkiErrorCode } from "../../core/pki/certificate.ts";
import { verifyChain } from "../../core/pki/chain.ts";
import { fromPem } from "../../core/pki/pem.ts";
import { EKU_TAG } from "../../core/pki/profiles.ts";
import { foldDeviceId } from "../../core/pki/tag-roots.ts";
import { devices, deviceTicketLocks, labelOf, storedLabel } from "../../db/schema.ts";
import { UsageError, WordsError } from "../../kit/command-line.ts";
import type { Db } from "../../worker/database/connect.ts";
import {
  keyHashOf,
  keyOf,
  keyOfSpki,
  NO_KEY,
  type StoredKey,
  storedKey,
} from "../../worker/devices/identity.ts";
import { type Commands, FILE, matching, runBatch, wholeNumber } from "./command.ts";
import { type Header, readCsv, readJson } from "./files.ts";
import { at } from "./show.ts";

/** The database's own reason; that of the words is in the sentence already. */
const rootOf = (cause: unknown) => (cause instanceof UsageError ? undefined : cause);

/** A list that has hashes alone does not make a tag's key unknown, unless it is another key. */
async function keepingKeys(db: Db, listed: readonly Known[]): Promise<readonly Known[]> {
  const { id, tagKey, tagSpkiHash, tagSpki } = devices;
  const ids = listed.filter((tag) => tag.tagSpkiHash !== null).map((tag) => tag.id);
  if (ids.length === 0) return listed;
  const rows = await db.select({ id, tagKey, tagSpkiHash, tagSpki }).from(devices).where(inArray(id, ids));
  const keyed = rows.map(async (row) => [`${row.id} ${await keyHashOf(row)}`, keyOf(row)] as const);
  const keys = new Map(await Promise.all(keyed));
  return listed.map((tag) => {
    const key = keys.get(`${tag.id} ${tag.tagSpkiHash}`);
    return key == null ? tag : { ...tag, ...storedKey(key) };
  });
}

function registering(db: Db, { id, label, ...key }: Known): BatchItem<"sqlite"> {
  const proven = { gattVersion: "2.1" as const, ...key, reviewAt: null };
  return db
    .insert(devices)
    .values({ id, label: storedLabel(id, label), registeredAt: Date.now(), ...proven })
    .onConflictDoUpdate({ target: devices.id, set: proven });
}

/** Gives `take` the tags of the file after the `first` so many, a batch at a time; how many the file has. */
async function eachBatch(path: string, first: number, take: (tags: readonly Placed[]) => Promise<void>) {
  let read = 0;
  let batch: Placed[] = [];
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

/** Where in the file a tag stands, for the sentence about it. */
interface Placed {
  readonly tag: Listed;
  readonly place: string;
}

const HEADER: Header = [
  ["id", "certificate"],
  ["id", "spkiHash"],
  ["id", "certificate", "spkiHash"],
];

async function* tagsIn(path: string): AsyncIterable<Placed> {
  if (path.endsWith(".csv")) {
    for await (const { line, row } of readCsv(path, HEADER)) yield { tag: row, place: `line ${line}` };
    return;
  }
  const tags = path.endsWith(".json")
    ? tagsOfJson(path)
    : fromPem(readFileSync(path, "utf8")).map((der) => ({ certificate: toBase64(der) }));
  const what = path.endsWith(".json")
    ? `[{"id": …, "certificate" or "spkiHash": …}, …]`
    : "certificates (PEM)";
  if (tags.length === 0) throw new UsageError(`${path} holds no tags: it must hold ${what}`);
  yield* tags.map((tag, index) => ({ tag, place: `tag ${index + 1}` }));
}

function tagsOfJson(path: string): readonly Listed[] {
  const list = readJson(path);
  const names: readonly string[] = HEADER.flat();
  const isTag = (tag: unknown): tag is Listed =>
    typeof tag === "object" &&
    tag !== null &&
    Object.entries(tag).every(([name, value]) => names.includes(name) && typeof value === "string");
  return Array.isArray(list) && list.every(isTag) ? list : [];
}

/** A tag as it is registered. */
interface Known extends StoredKey {
  readonly id: string;
  readonly label: string;
}

/** The tag, or what is wrong with it and where. */
async function knownAt({ tag, place }: Placed, anchors: readonly Bytes[]): Promise<Known> {
  try {
    return await known(tag, anchors);
  } catch (error) {
    const why = error instanceof PkiError ? FAULTS[error.code] : error instanceof UsageError && error.message;
    if (!why || error instanceof WordsError) throw error;
    throw new UsageError(`${place}${tag.id?.trim() ? ` (${tag.id.trim()})` : ""}: ${why}`);
  }
}

const FAULTS: Readonly<Record<PkiErrorCode, string>> = {
  CHAIN: "the certificate cannot be read, or is of none of the CAs of --tag-root",
  EKU: "the certificate is not one of a tag (extended key usage)",
  CRED_TIME: "the certificate is not valid today",
};

function derOf(certificate: string): Bytes {
  try {
    return fromBase64(certificate);
  } catch {
    throw new UsageError("certificate is not base64");
  }
}

async function known({ id, certificate, spkiHash }: Listed, anchors: readonly Bytes[]): Promise<Known> {
  if (certificate) {
    if (anchors.length === 0) throw new WordsError("--tag-root is missing");
    const leaf = await verifyChain({
      chain: [derOf(certificate)],
      anchors,
      eku: EKU_TAG,
      at: new Date(),
    });
    const label = leaf.subjectSerialNumber ?? "";
    if (label === "" || (id && foldDeviceId(id) !== foldDeviceId(label)))
      throw new UsageError(`the certificate is of ${label ? JSON.stringify(label) : "no tag"}`);
    return { id: foldDeviceId(label), label: id?.trim() || label, ...storedKey(keyOfSpki(leaf.spki)) };
  }
  if (!id?.trim()) throw new UsageError("a tag has an id or a certificate");
  if (spkiHash && !/^[\w-]{43}$/.test(spkiHash))
    throw new UsageError("spkiHash is 32 bytes of base64url: 43 characters");
  return { id: foldDeviceId(id), label: id.trim(), ...NO_KEY, tagSpkiHash: spkiHash || null };
}

/** Tags of one answer: more are not read at once. */
const PAGE = 100;

export const deviceCommands = {
  "devices import": {
    summary:
      "register tags at v2.1, by their certificates or by the maker's list; a known tag gets the new key",
    database: "any",
    options: {
      file: {
        ...FILE,
        ...matching("file", /\.(pem|csv|json)$/, "ends in .pem, .csv or .json"),
        required: true,
        help: "certificates (.pem), or a list (.csv with a header, .json): id, and certificate (base64) or spkiHash",
      },
      from: {
        ...wholeNumber("number", 1),
        help: "go on with this tag of the file, after an import that broke off",
      },
      "tag-root": { ...FILE, help: "PEM of the tag CAs; needed where the file holds certificates" },
    },
    async run({ one, maybe, number, db, print, note }) {
      const root = maybe("tag-root");
      const anchors = root === undefined ? [] : fromPem(readFileSync(root, "utf8"));
      const first = number("from", 1) - 1;
      let done = first;
      const total = await eachBatch(one("file"), first, async (tags) => {
        try {
          const listed = await Promise.all(tags.map((tag) => knownAt(tag, anchors)));
          const keyed = await keepingKeys(db, listed);
          await runBatch(
            db,
            keyed.map((tag) => registering(db, tag)),
          );
        } catch (cause) {
          if (cause instanceof WordsError) throw cause;
          const why = cause instanceof UsageError ? `${cause.message}. ` : "";
          throw new UsageError(`${why}${done} tags are in; go on with --from ${done + 1}`, {
            cause: rootOf(cause),
          });
        }
        done += tags.length;
        note(`${done} tags`);
      });
      if (total <= first)
        throw new UsageError(`${one("file")} has ${total} tags: there is none to go on with`);
      print(`devices at v2.1: ${total - first}`);
    },
  },
  "devices list": {
    summary: `show tags in the order of their ids, ${PAGE} at a time, and which are locked`,
    database: "any",
    options: {
      after: { value: "id", help: "go on after this tag" },
      limit: { ...wholeNumber("number", 1), help: `how many (default ${PAGE})` },
      locked: { help: "only tags that are locked now" },
    },
    async run({ db, maybe, has, number, show }) {
      const [after, most] = [maybe("after") ?? "", number("limit", PAGE)];
      const isOnNext = and(gt(deviceTicketLocks.deviceId, after), gt(deviceTicketLocks.endsAt, Date.now()));
      const isLive = and(eq(deviceTicketLocks.deviceId, devices.id), isOnNext);
      // Found among the locks, or tags without one would all be read.
      const locked = db
        .select({ id: deviceTicketLocks.deviceId })
        .from(deviceTicketLocks)
        .where(isOnNext)
        .orderBy(asc(deviceTicketLocks.deviceId))
        .limit(most);
      const rows = await db
        .select({
          deviceId: devices.id,
          label: labelOf(devices),
          gattVersion: devices.gattVersion,
          key: sql<string | null>`coalesce(${devices.tagKey}, ${devices.tagSpkiHash})`,
          lockEndsAt: deviceTicketLocks.endsAt,
        })
        .from(devices)
        .leftJoin(deviceTicketLocks, isLive)
        .where(has("locked") ? inArray(devices.id, locked) : gt(devices.id, after))
        .orderBy(asc(devices.id))
        .limit(most);
      show(
        rows.map(({ deviceId, label, gattVersion, key, lockEndsAt }) => ({
          ...{
            id: deviceId,
            label,
            gattVersion: gattVersion ?? "unproven",
            key: key === null ? "none" : "known",
          },
          lockedUntil: at(lockEndsAt),
        })),
      );
    },
  },
} satisfies Commands;
