import { readFileSync } from "node:fs";
import { and, asc, eq, gt, inArray, sql } from "drizzle-orm";
import type { BatchItem } from "drizzle-orm/batch";
import { type Bytes, toBase64 } from "../../core/encoding/bytes.ts";
import { PkiError, type PkiErrorCode } from "../../core/pki/certificate.ts";
import { verifyChain } from "../../core/pki/chain.ts";
import { fromPem } from "../../core/pki/pem.ts";
import { EKU_TAG } from "../../core/pki/profiles.ts";
import { foldDeviceId } from "../../core/pki/tag-roots.ts";
import { devices, deviceTicketLocks, labelOf, storedLabel } from "../../db/schema.ts";
import { fromBase64Text } from "../../kit/certificates/tag-certificate.ts";
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
import { type Commands, command, FILE, matching, runBatch, wholeNumber } from "./command.ts";
import { type Header, readCsv } from "./files.ts";
import { at } from "./show.ts";

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

/** Statements of one transaction: as text they must fit into one argument of a command (database.ts). */
const BATCH = 50;

/** A tag as a list names it. */
interface Listed {
  readonly id?: string;
  /** Base64 DER of the leaf. */
  readonly certificate?: string;
  /** SHA-256 of the SubjectPublicKeyInfo, base64url. */
  readonly spkiHash?: string;
  /** Where in the file it stands, for the sentence about it. */
  readonly place: string;
}

const HEADER: Header = [
  ["id", "certificate"],
  ["id", "spkiHash"],
  ["id", "certificate", "spkiHash"],
];

function tagsIn(path: string): readonly Listed[] {
  if (path.endsWith(".csv"))
    return readCsv(path, HEADER).map(({ line, row }) => ({ ...row, place: `line ${line}` }));
  const tags = fromPem(readFileSync(path, "utf8"));
  if (tags.length === 0) throw new UsageError(`${path} holds no tags: it must hold certificates (PEM)`);
  return tags.map((der, index) => ({ certificate: toBase64(der), place: `tag ${index + 1}` }));
}

/** A tag as it is registered. */
interface Known extends StoredKey {
  readonly id: string;
  readonly label: string;
}

/** The tag, or what is wrong with it and where. */
async function knownAt(tag: Listed, anchors: readonly Bytes[]): Promise<Known> {
  try {
    return await known(tag, anchors);
  } catch (error) {
    const why = error instanceof PkiError ? FAULTS[error.code] : error instanceof UsageError && error.message;
    if (!why || error instanceof WordsError) throw error;
    throw new UsageError(`${tag.place}${tag.id?.trim() ? ` (${tag.id.trim()})` : ""}: ${why}`);
  }
}

const FAULTS: Readonly<Record<PkiErrorCode, string>> = {
  CHAIN: "the certificate cannot be read, or is of none of the CAs of --tag-root",
  EKU: "the certificate is not one of a tag (extended key usage)",
  CRED_TIME: "the certificate is not valid today",
};

async function known({ id, certificate, spkiHash }: Listed, anchors: readonly Bytes[]): Promise<Known> {
  if (certificate) {
    if (anchors.length === 0) throw new WordsError("--tag-root is missing");
    const leaf = await verifyChain({
      chain: [fromBase64Text(certificate)],
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
  "devices import": command({
    summary:
      "register tags at v2.1, by their certificates or by the maker's list; a known tag gets the new key",
    options: {
      file: {
        ...FILE,
        ...matching("file", /\.(pem|csv)$/, "ends in .pem or .csv"),
        required: true,
        help: "certificates (.pem), or a list (.csv with a header): id, and certificate (base64) or spkiHash",
      },
      "tag-root": { ...FILE, help: "PEM of the tag CAs; needed where the file holds certificates" },
    },
    async run({ file, "tag-root": root }, { db, print, note }) {
      const anchors = root === undefined ? [] : fromPem(readFileSync(root, "utf8"));
      const listed: Known[] = [];
      // All of them before the first is registered.
      for (const tag of tagsIn(file)) listed.push(await knownAt(tag, anchors));
      for (let done = 0; done < listed.length; done += BATCH) {
        const keyed = await keepingKeys(db, listed.slice(done, done + BATCH));
        await runBatch(
          db,
          keyed.map((tag) => registering(db, tag)),
        );
        note(`${done + keyed.length} tags`);
      }
      print(`devices at v2.1: ${listed.length}`);
    },
  }),
  "devices list": command({
    summary: `show tags in the order of their ids, ${PAGE} at a time, and which are locked`,
    options: {
      after: { value: "id", help: "go on after this tag" },
      limit: { ...wholeNumber("number", 1), help: `how many (default ${PAGE})` },
      locked: { help: "only tags that are locked now" },
    },
    async run({ after = "", limit = PAGE, locked }, { db, show }) {
      const isOnNext = and(gt(deviceTicketLocks.deviceId, after), gt(deviceTicketLocks.endsAt, Date.now()));
      const isLive = and(eq(deviceTicketLocks.deviceId, devices.id), isOnNext);
      // Found among the locks, or tags without one would all be read.
      const ofLocks = db
        .select({ id: deviceTicketLocks.deviceId })
        .from(deviceTicketLocks)
        .where(isOnNext)
        .orderBy(asc(deviceTicketLocks.deviceId))
        .limit(limit);
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
        .where(locked ? inArray(devices.id, ofLocks) : gt(devices.id, after))
        .orderBy(asc(devices.id))
        .limit(limit);
      show(
        rows.map(({ deviceId, label, gattVersion, key, lockEndsAt }) => ({
          id: deviceId,
          label,
          gattVersion: gattVersion ?? "unproven",
          key: key === null ? "none" : "known",
          lockedUntil: at(lockEndsAt),
        })),
      );
    },
  }),
} satisfies Commands;
