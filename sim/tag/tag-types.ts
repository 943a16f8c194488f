import type { LabelPayload } from "../../core/bag/payload.ts";
import type { Bytes } from "../../core/encoding/bytes.ts";
import type {
  CharacteristicName,
  DisplayState,
  GattVersion,
  StatusName,
  TagState,
} from "../../core/gatt/profile.ts";
import type { TraceName } from "../../core/sec/authentication.ts";
import type { InitiatorRecord, ResponderRecord } from "../../core/sec/records.ts";
import type { SuiteId } from "../../core/sec/suites.ts";
import type { TagMemory } from "./memory.ts";
import type { TagInput } from "./state-table.ts";

/**
 * What a simulated tag is made of, the world it lives in, and what it reports to an observer. Keys, anchors, clock
 * and randomness come from outside: the simulator reads nothing by itself.
 */

/**
 * Time and chance. `now` is monotonic, in milliseconds; `after` returns the function that cancels the alarm.
 */
export interface TagWorld {
  now(): number;
  after(milliseconds: number, action: () => void): () => void;
  random(length: number): Bytes;
}

/** Certificate chain, leaf first, DER, and the leaf's private key (ECDSA P-256, "sign"). */
export interface TagCredential {
  readonly chain: readonly Bytes[];
  readonly privateKey: CryptoKey;
}

/** A public transaction token key as the service's JWKS lists it. */
export type TokenKey = JsonWebKey & { readonly kid: string };

export interface TagConfig {
  /** Device id, as the ID characteristic gives it. */
  readonly id: string;
  readonly generation: GattVersion;
  /** A v2.1 tag must have one. */
  readonly credential?: TagCredential;
  /** Another tag's credential, which the fault `wrongCertificate` presents. */
  readonly wrongCredential?: TagCredential;
  /** DER of the pinned client roots; none means that no chain is accepted. */
  readonly clientRoots: readonly Bytes[];
  readonly tokenKeys: readonly TokenKey[];
  /** Whether a v2.1 tag gives signed statements (caps bit 2). Default true. */
  readonly signs?: boolean;
  /** Whether sessions begin only within 120 s of a press of the tag's button (caps bit 3). Default false. */
  readonly button?: boolean;
  /** Commits it has made before, without a record of them. Default 0. */
  readonly commits?: number;
  /** What it kept of an earlier life. */
  readonly memory?: TagMemory;
  /**
   * Called with everything that survives the loss of power, as soon as any of it changes and before any notification
   * of it. Must have kept it when it returns.
   */
  readonly keep?: (memory: TagMemory) => void;
  /** EDHOC suites the tag supports, preferred first. Default [6, 3]. */
  readonly suites?: readonly SuiteId[];
  /** Longest characteristic value, ATT_MTU − 3, 20–512 bytes. Default 244. */
  readonly frame?: number;
  /** Longest framed message in bytes. Default 2048. */
  readonly maxMessage?: number;
  /** Per cent. Default 87. */
  readonly battery?: number;
  /** How long a display refresh takes, in milliseconds. Default 900. */
  readonly displayMs?: number;
  /** Puts every value of a handshake into the transcript, secrets included. For traces of virtual tags only. */
  readonly revealSecrets?: boolean;
  readonly model?: string;
  readonly firmware?: string;
  /** For tests of those who look for broken tags. */
  readonly fault?: RecordFault;
}

/** What a broken firmware makes of the records of a v2.1 session: others, or none. */
export interface RecordFault {
  readonly receives?: (record: InitiatorRecord) => InitiatorRecord | undefined;
  readonly says?: (record: ResponderRecord) => Promise<ResponderRecord | undefined>;
}

/** Why an attribute operation failed; the first five are ATT's own error codes. */
export type AttErrorCode =
  | "INVALID_HANDLE"
  | "READ_NOT_PERMITTED"
  | "WRITE_NOT_PERMITTED"
  | "INVALID_VALUE_LENGTH"
  | "UNLIKELY_ERROR"
  | "IN_PROGRESS"
  | "DISCONNECTED"
  | "CONNECT_FAILED"
  | "ALREADY_CONNECTED";

/** ATT error numbers (Bluetooth Core, Vol 3 Part F §3.4.1.1); errors of the link itself have none. */
export const ATT_ERROR_NUMBER: Readonly<Partial<Record<AttErrorCode, number>>> = {
  INVALID_HANDLE: 0x01,
  READ_NOT_PERMITTED: 0x02,
  WRITE_NOT_PERMITTED: 0x03,
  INVALID_VALUE_LENGTH: 0x0d,
  UNLIKELY_ERROR: 0x0e,
};

/** An operation the tag or the link refused. */
export class AttError extends Error {
  override readonly name = "AttError";
  readonly code: AttErrorCode;
  constructor(code: AttErrorCode) {
    super(code.toLowerCase().replaceAll("_", " "));
    this.code = code;
  }
}

export interface GattCharacteristic {
  readonly uuid: string;
  /** Its name in transcripts. */
  readonly name: TagCharacteristicName;
  readonly read: boolean;
  readonly write: boolean;
  /** Takes writes without response, too. */
  readonly command?: boolean;
  readonly notify: boolean;
}

export interface GattService {
  readonly uuid: string;
  readonly characteristics: readonly GattCharacteristic[];
}

export type TagCharacteristicName =
  | CharacteristicName
  | "LEVEL"
  | "MANUFACTURER"
  | "MODEL"
  | "FIRMWARE"
  | "DATABASE_HASH";

export type Direction = "in" | "out";

/** Plain data for people: bytes are hex, everything else as decoded. */
export type TranscriptValue =
  | string
  | number
  | boolean
  | null
  | readonly TranscriptValue[]
  | { readonly [name: string]: TranscriptValue };

/** One line of a tag's transcript; `at` is the world's time in milliseconds. */
export type TagEvent = { readonly at: number } & (
  | {
      readonly type: "link";
      readonly change: "connected" | "refused" | "disconnected";
      readonly by: "central" | "tag" | "radio";
    }
  | {
      readonly type: "gatt";
      readonly operation: "read" | "write" | "notify";
      readonly characteristic: TagCharacteristicName;
      readonly value: Bytes;
      /** Present where the operation failed. */
      readonly error?: AttErrorCode;
    }
  | {
      readonly type: "frame";
      readonly direction: Direction;
      readonly characteristic: TagCharacteristicName;
      readonly first: boolean;
      readonly last: boolean;
      readonly sequence: number;
      readonly length: number;
    }
  | {
      readonly type: "message";
      readonly direction: Direction;
      readonly name: string;
      readonly bytes: Bytes;
      readonly fields: { readonly [name: string]: TranscriptValue };
    }
  | {
      readonly type: "record";
      readonly direction: Direction;
      readonly name: string;
      /** The bytes under the protection, so that a saved transcript can be decoded again. */
      readonly bytes: Bytes;
      readonly fields: { readonly [name: string]: TranscriptValue };
    }
  | { readonly type: "state"; readonly from: TagState; readonly to: TagState; readonly because: TagInput }
  | { readonly type: "timer"; readonly name: string }
  /** With `revealSecrets`: a value of the handshake. */
  | { readonly type: "trace"; readonly name: TraceName; readonly value: Bytes }
  /** A refusal: the true reason, and what of it left the tag. */
  | { readonly type: "refusal"; readonly reason: string; readonly sent: string }
  | { readonly type: "display"; readonly state: DisplayState; readonly content: LabelPayload | null }
);

/** The whole visible state of a tag at one moment. */
export interface TagSnapshot {
  readonly name: string;
  readonly id: string;
  readonly generation: GattVersion;
  readonly state: TagState;
  readonly connected: boolean;
  readonly battery: number;
  readonly versionMin: GattVersion;
  readonly status: StatusName;
  /** What the e-paper shows; during a refresh, still the old content. */
  readonly display: { readonly state: DisplayState; readonly content: LabelPayload | null };
  /** Since it was made; what it reports continues from those of its configuration. */
  readonly commits: number;
  /** SHA-256 of the last committed payload. It never leaves the tag. */
  readonly lastDigest: Bytes | null;
  /** SHA-256 of the last committed token's nonce and that digest: what hello and STATUS show. */
  readonly mark: Bytes | null;
  readonly tokenMisses: number;
  /** Milliseconds until the lockout ends, 0 where there is none. */
  readonly lockoutLeft: number;
}

/** Switches that make a tag, or the link to it, misbehave. */
export interface TagFaults {
  /**
   * Drops the link at the n-th GATT operation of a connection (1 = first), before or after it takes effect;
   * once.
   */
  dropAt: { readonly operation: number; readonly when: "before" | "after" } | null;
  /** How many of the next connection attempts fail. */
  refuseConnects: number;
  /** Milliseconds a refresh takes instead of the usual time. */
  slowDisplay: number | null;
  lowBattery: boolean;
  wrongCertificate: boolean;
  /** The central has stored the table of a v2.0 firmware, from before an update (docs/protocol.md, GATT caches). */
  outdatedTable: boolean;
  /** Answers every write with alert 18. */
  busy: boolean;
  /** A model of the radio: delays, drops, failures. The switches above take precedence. */
  radio: RadioModel | null;
}

/** What happens to the link around one operation. */
export interface RadioFate {
  /** Milliseconds until it takes effect. */
  readonly delay: number;
  /** The link falls before or after the operation took effect. */
  readonly drop?: "before" | "after";
  /** The value is cut to this many bytes on its way. */
  readonly truncate?: number;
  /** The tag loses its power before or after the operation took effect, and comes back at once. */
  readonly reboot?: "before" | "after";
  /**
   * The operation fails with this error without reaching the tag; the link stays up. INVALID_HANDLE: the handle
   * is stale.
   */
  readonly fails?: "IN_PROGRESS" | "UNLIKELY_ERROR" | "INVALID_HANDLE";
}

/** A command is a write without response: it leaves along with the operation behind it. */
export type OperationKind = "read" | "write" | "command";

/** A model of the radio between central and tag; a seeded one makes failures repeatable. */
export interface RadioModel {
  connect(): { readonly delay: number; readonly fails: boolean };
  /** `index` counts the operations of one connection from 1. */
  operation(index: number, kind: OperationKind, length: number): RadioFate;
}

/**
 * A tag as a central sees it over GATT, whatever lies between them. One central, one operation at a time;
 * every refusal is an {@link AttError}.
 */
export interface GattPeer {
  /** The advertised name, `EBT-xxxx`. */
  readonly name: string;
  readonly id: string;
  readonly services: readonly GattService[];
  connect(): Promise<void>;
  /** The central ends the link. Idempotent. */
  disconnect(): void;
  /** Resolves with the value; a deferred answer keeps the read open for up to 5 s, then the value is empty. */
  read(uuid: string): Promise<Bytes>;
  /** A write with response; with `command`, without one. */
  write(uuid: string, value: Bytes, command?: boolean): Promise<void>;
  /** Called when the link ends, by either side. Returns the function that stops listening. */
  onDisconnect(listener: () => void): () => void;
  /** STATUS notifications while subscribed. */
  onNotify(listener: (uuid: string, value: Bytes) => void): () => void;
}

/** A tag made here: a {@link GattPeer} with an observer's view into it. */
export interface VirtualTag extends GattPeer {
  readonly faults: TagFaults;
  /**
   * `frame` is the longest value this link carries now (ATT_MTU − 3, at most 512), where the link knows: an MTU
   * grows after the connection was made. Without it the configuration's.
   */
  connect(frame?: () => number): Promise<void>;
  /** Presses the tag's button. */
  press?(): void;
  /** Takes the battery out and puts it back: the link falls, and what was not committed is lost. */
  reboot(): void;
  observe(listener: (event: TagEvent) => void): () => void;
  snapshot(): TagSnapshot;
  /** Resolves when no message is in work: the next change needs an operation or time. */
  settled(): Promise<void>;
}

/** Picks from the tags that fit; undefined closes the chooser. */
export type TagChooser<Tag extends GattPeer = VirtualTag> = (
  tags: readonly Tag[],
) => Promise<Tag | undefined>;

/** DER of the roots that virtual tags and their clients pin. */
export interface Anchors {
  readonly clientRoots: readonly Bytes[];
  readonly tagRoots: readonly Bytes[];
}
