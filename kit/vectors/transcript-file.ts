/**
 * Files of recorded handshakes (docs/protocol.md, transcripts): an object name → transcript, or a single transcript. This
 * file checks the shape; sec-verify.ts checks the values.
 */
import { fromHex } from "../../core/encoding/bytes.ts";
import type { Transcript } from "../../core/vectors/transcript.ts";

/** One transcript of a file, with the anchors its chains shall end at. */
export interface RecordedTranscript extends Transcript {
  /** CA certificate (DER, hexadecimal) above the client's chain, and the tag's where `tag_ca_der` is not. */
  readonly trust_anchor_der: string;
  readonly tag_ca_der?: string;
  /** Lengths of values in bytes. */
  readonly sizes?: Readonly<Record<string, number>>;
}

/** A file that is no transcript file; the message says what is wrong, with the names of fields. */
export class TranscriptFileError extends Error {
  override readonly name = "TranscriptFileError";
}

type Fields = Readonly<Record<string, unknown>>;

/** Name → transcript of the text of a file. `name` is what a transcript alone is called. */
export function readTranscripts(text: string, name: string): Map<string, RecordedTranscript> {
  const content = parsed(text);
  if (!isFields(content)) throw new TranscriptFileError("the file is not a JSON object");
  const alone = "values" in content || "method" in content;
  const entries = alone ? [[name, content] as const] : Object.entries(content);
  if (entries.length === 0) throw new TranscriptFileError("the file has no transcript");
  return new Map(entries.map(([title, fields]) => [title, transcriptOf(title, fields)]));
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    const detail = cause instanceof Error ? cause.message : "";
    throw new TranscriptFileError(`the file is not JSON: ${detail}`, { cause });
  }
}

function transcriptOf(title: string, fields: unknown): RecordedTranscript {
  if (!isFields(fields)) throw new TranscriptFileError(`${title}: not a transcript (an object belongs here)`);
  for (const [field, { is, what, optional }] of Object.entries(SHAPE)) {
    const value = fields[field];
    if (value === undefined && optional === true) continue;
    if (value === undefined) throw new TranscriptFileError(`${title}: ${field} is missing`);
    if (!is(value)) throw new TranscriptFileError(`${title}: ${field} is not ${what}`);
  }
  return fields as unknown as RecordedTranscript;
}

interface Field {
  readonly is: (value: unknown) => boolean;
  readonly what: string;
  readonly optional?: true;
}

const INTEGER: Field = { is: Number.isSafeInteger, what: "an integer" };
const HEX: Field = { is: isHex, what: "hexadecimal" };
const IDENTIFIER: Field = {
  is: (value) => isHex(value) || (typeof value === "number" && value >= -24 && value <= 23),
  what: "an integer of -24..23 or hexadecimal",
};
const CHAIN: Field = {
  is: (value) => Array.isArray(value) && value.length > 0 && value.every(isHex),
  what: "a list of certificates in hexadecimal",
};

const SHAPE: Readonly<Record<string, Field>> = {
  method: INTEGER,
  suite: INTEGER,
  suites_offered: {
    is: (value) => Array.isArray(value) && value.length > 0 && value.every(Number.isSafeInteger),
    what: "a list of integers",
  },
  C_I: IDENTIFIER,
  C_R: IDENTIFIER,
  initiator_chain_der: CHAIN,
  responder_chain_der: CHAIN,
  trust_anchor_der: HEX,
  tag_ca_der: { ...HEX, optional: true },
  ID_CRED_I: { ...HEX, optional: true },
  ID_CRED_R: { ...HEX, optional: true },
  sizes: {
    is: (value) => isFields(value) && Object.values(value).every(Number.isSafeInteger),
    what: "an object of lengths",
    optional: true,
  },
  values: {
    is: (value) => isFields(value) && Object.values(value).every(isHex),
    what: "an object of values in hexadecimal",
  },
};

function isFields(value: unknown): value is Fields {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function isHex(value: unknown): value is string {
  try {
    return typeof value === "string" && fromHex(value).length >= 0;
  } catch {
    return false;
  }
}
