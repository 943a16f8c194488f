/**
 * The GATT profile of a tag, as one literal tree: the client looks for, and the tag offers, the same object.
 * The numbers belong to the protocol (`docs/protocol.md`); they are not tunables.
 */

const TAIL = "-387d-4bec-94e5-e89af21bf541";
const uuid16 = (short: number) => `0000${short.toString(16).padStart(4, "0")}-0000-1000-8000-00805f9b34fb`;

export const PROFILE = {
  service: `a9ffda49${TAIL}`,
  characteristics: {
    INFO: { uuid: `a9ffda4a${TAIL}`, read: true, write: false, notify: false },
    ID: { uuid: `a9ffda4b${TAIL}`, read: true, write: false, notify: false },
    CERT: { uuid: `a9ffda4c${TAIL}`, read: false, write: true, notify: false },
    NONCE: { uuid: `a9ffda4d${TAIL}`, read: true, write: false, notify: false },
    AUTH: { uuid: `a9ffda4e${TAIL}`, read: false, write: true, notify: false },
    /** Present exactly when the tag's highest version is 2.1 or later. */
    SEC: { uuid: `a9ffda4f${TAIL}`, read: true, write: true, command: true, notify: false },
    DATA: { uuid: `a9ffda50${TAIL}`, read: false, write: true, command: true, notify: false },
    STATUS: { uuid: `a9ffda51${TAIL}`, read: true, write: false, notify: true },
  },
  battery: {
    service: uuid16(0x180f),
    characteristics: { LEVEL: { uuid: uuid16(0x2a19), read: true, write: false, notify: false } },
  },
  deviceInformation: {
    service: uuid16(0x180a),
    characteristics: {
      MANUFACTURER: { uuid: uuid16(0x2a29), read: true, write: false, notify: false },
      MODEL: { uuid: uuid16(0x2a24), read: true, write: false, notify: false },
      FIRMWARE: { uuid: uuid16(0x2a26), read: true, write: false, notify: false },
    },
  },
} as const;

/** Of tags whose table an update may change (docs/protocol.md, GATT caches). */
export const GENERIC_ATTRIBUTE = {
  service: uuid16(0x1801),
  characteristics: { DATABASE_HASH: { uuid: uuid16(0x2b2a), read: true, write: false, notify: false } },
} as const;

/** A characteristic of the tag service. */
export type CharacteristicName = keyof typeof PROFILE.characteristics;

/** GATT generations as INFO and tokens write them: decimal 20 and 21. */
export const VERSION = { "2.0": 20, "2.1": 21 } as const;
export type GattVersion = keyof typeof VERSION;

/** States of the tag, as INFO and STATUS number them. */
export const TAG_STATE = {
  IDLE: 0,
  CONNECTED: 1,
  WAIT_M3: 2,
  PRESENTED: 3,
  ESTABLISHED: 4,
  AUTHORIZED: 5,
  RECEIVING: 6,
  COMMITTING: 7,
  COMMITTED: 8,
  LOCKOUT: 9,
} as const;
export type TagState = keyof typeof TAG_STATE;

/** Status and alert codes (one byte). */
export const STATUS = {
  OK: 0,
  AUTHORIZED: 1,
  COMMITTED: 2,
  BUSY_DISPLAY: 3,
  FRAME: 16,
  TOO_LARGE: 17,
  BUSY: 18,
  TIMEOUT: 19,
  STATE: 20,
  VERSION: 32,
  SUITE: 33,
  CHAIN: 34,
  EKU: 35,
  CRED_TIME: 36,
  AUTH_FAIL: 37,
  TOKEN_FORMAT: 48,
  TOKEN_KID: 49,
  TOKEN_AUD: 50,
  TOKEN_NONCE: 51,
  TOKEN_EXPIRED: 52,
  TOKEN_BINDING: 53,
  TOKEN_SIG: 54,
  TOKEN_REPLAY: 55,
  OFFSET: 64,
  DIGEST: 65,
  STORAGE: 66,
  LOW_BATTERY: 67,
  LOCKOUT: 80,
} as const;
export type StatusName = keyof typeof STATUS;

/** What the display shows, as STATUS numbers it. */
export const DISPLAY = { BLANK: 0, LABEL: 1, REFRESHING: 2 } as const;
export type DisplayState = keyof typeof DISPLAY;

/** Types of a framed message. */
export const FRAME_TYPE = {
  EDHOC: 1,
  EDHOC_ERROR: 2,
  APP: 3,
  CERTIFICATE_CHAIN: 4,
  TOKEN: 5,
  PAYLOAD: 6,
  ALERT: 0x7f,
} as const;
export type FrameType = keyof typeof FRAME_TYPE;

/** Longest value of one characteristic, whatever the MTU (Bluetooth Core, Vol 3 Part F §3.2.9). */
export const MAX_FRAME = 512;

/** Timers of the tag, in milliseconds; the state table says in which states each runs. */
export const TAG_TIMER = {
  idle: 10_000,
  idlePresented: 120_000,
  message3: 15_000,
  handshake: 30_000,
  frameGap: 5_000,
  nonce: 120_000,
  authorized: 60_000,
  session: 300_000,
  /** The connection ends after this time if an alert or EDHOC error is not read. */
  alert: 2_000,
  /** How long the tag holds a read whose answer is not ready; then an empty value means "read again". */
  deferredRead: 5_000,
  lockoutFirst: 30_000,
  lockoutLongest: 300_000,
  /** How long after a press of its button a tag with bit 3 of `caps` lets a session begin. */
  button: 120_000,
} as const;

/** Counters of the tag. */
export const TAG_LIMIT = {
  suiteErrors: 2,
  tokenMisses: 3,
  freshNonces: 8,
  challenges: 4,
  message1Bucket: 8,
  message1PerMinute: 6,
} as const;
