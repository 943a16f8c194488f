import { BagError } from "../../core/bag/errors.ts";
import type { Bytes } from "../../core/encoding/bytes.ts";
import { type FrameType, STATUS, type StatusName } from "../../core/gatt/profile.ts";
import { alert, answerTo } from "../../core/sec/answers.ts";
import { type FailureAnswer, SecError, type SecErrorCode } from "../../core/sec/errors.ts";
import type { TagInput } from "./state-table.ts";

/**
 * Why a session ends: the true reason, the row of the state table that it takes, and how it may leave the
 * tag.
 */
export class TagRefusal extends Error {
  override readonly name = "TagRefusal";
  readonly error: SecError;
  readonly input: TagInput;
  /** A fault of frames or of their characteristic: an alert even where keys exist. */
  readonly asAlert: boolean;

  constructor(error: SecError, input: TagInput = "fault", asAlert = isFrameFault(error.code)) {
    super(error.message, { cause: error });
    this.error = error;
    this.input = input;
    this.asAlert = asAlert;
  }
}

/** Something came for which the state table has no row. */
export function outOfState(message: string): TagRefusal {
  return new TagRefusal(new SecError("STATE", { message }));
}

/**
 * A message or record on the wrong characteristic (protocol.md, GATT profile): alert 20, with keys or
 * without.
 */
export function misplaced(message: string): TagRefusal {
  return new TagRefusal(new SecError("STATE", { message }), "fault", true);
}

/** What a failed check means for the session; any other error is a bug and is thrown on. */
export function refusalOf(error: unknown): TagRefusal {
  if (error instanceof TagRefusal) return error;
  if (error instanceof SecError) return new TagRefusal(error);
  if (error instanceof BagError) {
    return new TagRefusal(
      new SecError("STORAGE", { message: "not a payload", cause: error }),
      "commitRefused",
    );
  }
  throw error;
}

/** Where a refusal happens: on SEC without keys, on SEC with keys, or on the v2.0 characteristics. */
export type Outlet = "secBeforeKeys" | "secWithKeys" | "v20";

/** What of a refusal leaves the tag (protocol.md, Codes and who may see them). */
export interface Departure {
  /** In clear on SEC. */
  readonly clear?: FailureAnswer;
  /** As record `[17, code]` on SEC. */
  readonly record?: StatusName;
  /** In STATUS. */
  readonly status?: StatusName;
}

/**
 * Before keys: EDHOC errors and alerts. With keys: a record, or an alert for frame faults, or nothing where even the
 * record layer failed. v2.0: always STATUS. During a v2.1 session STATUS shows nothing above 20 but 80.
 */
export function departureOf({ error, asAlert }: TagRefusal, outlet: Outlet): Departure {
  const name = statusNameOf(error.code);
  if (outlet === "v20") return { status: name ?? "STATE" };
  const open = name !== undefined && (STATUS[name] <= STATUS.STATE || name === "LOCKOUT");
  const status = open ? { status: name } : {};
  if (outlet === "secBeforeKeys") {
    const clear = answerTo(error);
    return clear === undefined ? status : { clear, ...status };
  }
  if (name === undefined) return {};
  return asAlert ? { clear: alert(failureName(name)), ...status } : { record: name, ...status };
}

function isFrameFault(code: SecErrorCode): boolean {
  return code === "FRAME" || code === "TOO_LARGE";
}

function statusNameOf(code: SecErrorCode): StatusName | undefined {
  return code in STATUS ? (code as StatusName) : undefined;
}

type FailureName = Parameters<typeof alert>[0];

function failureName(name: StatusName): FailureName {
  if (name === "OK" || name === "AUTHORIZED" || name === "COMMITTED" || name === "BUSY_DISPLAY") {
    throw new TypeError(`${name} is no failure`);
  }
  return name;
}

/** What a path may do to the connection it serves. */
export interface Line {
  /** Queues a message for the central's reads of SEC. */
  send(type: FrameType, message: Bytes): void;
  /** Throws {@link Gone} if the session ended while its path was waiting for something. */
  alive(): void;
  /** INFO as last read on this connection, else its current value. */
  readonly info: Bytes;
}

/** The session has ended; its pending work stops here. Not a failure. */
export class Gone extends Error {
  override readonly name = "Gone";
}
