import type { TicketPayload } from "../../core/bag/payload.ts";
import type { Bytes } from "../../core/encoding/bytes.ts";
import {
  type GattVersion,
  MAX_FRAME,
  type StatusName,
  TAG_TIMER,
  type TagState,
  VERSION,
} from "../../core/gatt/profile.ts";
import type { Info } from "../../core/gatt/values.ts";
import { encodeInfo, encodeStatus } from "../../core/gatt/values.ts";
import { SecError } from "../../core/sec/errors.ts";
import type { TagStatement } from "../../core/sec/statement.ts";
import { PRODUCTION_SUITES, type SuiteId } from "../../core/sec/suites.ts";
import type { TokenKeys } from "../../core/sec/token-check.ts";
import { Display, Lockout, Message1Bucket, Nonce, type TimerName, Timers } from "./firmware-parts.ts";
import {
  type Commit,
  commitKept,
  intermediateKept,
  type KnownIntermediate,
  keptCommit,
  keptIntermediate,
  type TagMemory,
} from "./memory.ts";
import { nextState, type TagInput } from "./state-table.ts";
import type { TagConfig, TagEvent, TagFaults, TagWorld } from "./tag-types.ts";

/** What the rest of the tag learns. */
export interface FirmwareHooks {
  emit(event: Unstamped<TagEvent>): void;
  timerEnded(name: TimerName): void;
  /** The display begins to change. */
  committing(): void;
  /** The display has changed completely; {@link changed} follows, and no notification comes before it. */
  committed(): void;
  /** The lockout's time is over: the other side takes its row. */
  lockoutOver(): void;
  /** STATUS may now read differently. */
  changed(): void;
}

export type Unstamped<E> = E extends unknown ? Omit<E, "at"> : never;

/** At or below this charge a tag reports "low" and refuses to begin a refresh that it might not finish. */
const LOW_BATTERY = 10;
const DRAINED = 4;
const MARK_PREFIX = 8;

/**
 * What both paths of a tag share and what outlives connections: the state, its timers, the display, the
 * counters. Knows neither frames nor keys.
 */
export class Firmware {
  readonly config: TagConfig;
  readonly world: TagWorld;
  readonly tokenKeys: TokenKeys;
  readonly display: Display;
  readonly lockout: Lockout;
  readonly bucket: Message1Bucket;
  readonly nonce: Nonce;
  readonly timers: Timers;
  readonly faults: TagFaults;
  readonly #hooks: FirmwareHooks;
  #state: TagState = "IDLE";
  #code: StatusName = "OK";
  #commits: number;
  #last: Commit | null = null;
  #intermediate: KnownIntermediate | undefined;
  #pressedAt = Number.NaN;
  #versionMin: GattVersion = "2.0";
  /** Latest `iat` of an accepted token, in seconds: the only calendar a tag has. */
  lastSeen: number;
  /** The longest value of the link there is, where that knows; set by each connection. */
  linkFrame: (() => number) | undefined;

  constructor(
    config: TagConfig,
    world: TagWorld,
    tokenKeys: TokenKeys,
    faults: TagFaults,
    hooks: FirmwareHooks,
  ) {
    this.config = config;
    const { memory } = config;
    this.#commits = memory?.commits ?? config.commits ?? 0;
    this.#last = commitKept(memory?.last ?? null);
    this.#intermediate = intermediateKept(memory?.intermediate ?? null);
    this.#versionMin = memory?.versionMin ?? "2.0";
    this.lastSeen = memory?.lastSeen ?? 0;
    this.world = world;
    this.tokenKeys = tokenKeys;
    this.faults = faults;
    this.#hooks = hooks;
    this.display = new Display(world, memory?.label ?? null);
    this.lockout = new Lockout(world, memory?.lockout);
    this.bucket = new Message1Bucket(world);
    this.nonce = new Nonce(world);
    this.timers = new Timers(world, (name) => {
      this.emit({ type: "timer", name });
      hooks.timerEnded(name);
    });
    if (this.lockout.interrupted) {
      this.#state = "LOCKOUT";
      this.#lock();
    }
  }

  /** Everything that survives the loss of power. */
  get memory(): TagMemory {
    return {
      commits: this.#commits,
      last: keptCommit(this.#last),
      intermediate: keptIntermediate(this.#intermediate),
      versionMin: this.#versionMin,
      lastSeen: this.lastSeen,
      label: this.display.content,
      lockout: this.lockout.memory,
    };
  }

  get state(): TagState {
    return this.#state;
  }

  get code(): StatusName {
    return this.#code;
  }

  get commits(): number {
    return this.#commits;
  }

  get last(): Commit | null {
    return this.#last;
  }

  get intermediate(): KnownIntermediate | undefined {
    return this.#intermediate;
  }

  press(): void {
    this.#pressedAt = this.world.now();
  }

  /** Refuses to begin a session, on either path, where the tag has a button that was not pressed lately. */
  checkPressed(): void {
    const closed = this.config.button === true && !(this.world.now() - this.#pressedAt <= TAG_TIMER.button);
    if (closed) throw new SecError("BUSY", { message: "the button was not pressed" });
  }

  /** Whether this tag gives statements. */
  get signs(): boolean {
    return this.config.generation === "2.1" && this.config.signs !== false;
  }

  /** The lowest generation still served: the first v2.1 commit raises it for good, against a downgrade. */
  get versionMin(): GattVersion {
    return this.#versionMin;
  }

  get frame(): number {
    return Math.min(this.linkFrame?.() ?? this.config.frame ?? 244, MAX_FRAME);
  }

  get maxMessage(): number {
    return this.config.maxMessage ?? 2048;
  }

  get suites(): readonly SuiteId[] {
    return this.config.suites ?? PRODUCTION_SUITES;
  }

  get battery(): number {
    return this.faults.lowBattery ? DRAINED : (this.config.battery ?? 87);
  }

  get lowBattery(): boolean {
    return this.battery <= LOW_BATTERY;
  }

  emit(event: Unstamped<TagEvent>): void {
    this.#hooks.emit(event);
  }

  /** Takes rows of the state table, with the effects that every entry into a state has; readers see only the last. */
  move(...inputs: readonly TagInput[]): void {
    for (const input of inputs) this.#step(input);
    this.#hooks.changed();
  }

  #step(input: TagInput): void {
    const from = this.#state;
    const to = nextState(from, input);
    this.#state = to;
    this.timers.enter(to);
    if (to === "LOCKOUT" && from !== "LOCKOUT") this.#lock();
    if (from !== to) this.emit({ type: "state", from, to, because: input });
  }

  /** What STATUS reports of the last operation. */
  report(code: StatusName): void {
    this.#code = code;
    this.#hooks.changed();
  }

  /**
   * A new connection starts with a clean STATUS, but an outcome that may be unread stays
   * (protocol.md, States of the tag).
   */
  greet(): void {
    if (this.#state === "CONNECTED" && this.#code !== "COMMITTED") this.report("OK");
  }

  /** With the id where the value then still fits one response. */
  info(): Bytes {
    const { id } = this.config;
    const whole = encodeInfo({ ...this.#abilities(), id });
    return whole.length <= this.frame ? whole : encodeInfo(this.#abilities());
  }

  #abilities(): Info {
    const v21 = this.config.generation === "2.1";
    return {
      versionMax: VERSION[this.config.generation],
      versionMin: VERSION[this.#versionMin],
      caps: {
        suite6: v21 && this.suites.includes(6),
        suite3: v21 && this.suites.includes(3),
        statement: this.signs,
        button: this.config.button === true,
      },
      frame: this.frame,
      maxMessage: this.maxMessage,
      state: this.#state,
      flags: { lowBattery: this.lowBattery, displayBlank: this.display.state === "BLANK" },
      battery: this.battery,
      // Verifying a trace needs the whole chain in it.
      ...(this.#intermediate && !this.config.revealSecrets && { intermediate: this.#intermediate.hash }),
    };
  }

  status(): Bytes {
    return encodeStatus({
      state: this.#state,
      code: this.#code,
      detail: 0,
      battery: this.battery,
      display: this.display.state,
      markPrefix: this.#last?.mark.slice(0, MARK_PREFIX) ?? new Uint8Array(MARK_PREFIX),
    });
  }

  /** What the tag says of itself, to be signed (protocol.md, Statement). */
  statement(challenge: Bytes | undefined): TagStatement {
    const { cti, mark, operation } = this.#last ?? { cti: null, mark: null, operation: null };
    const said = { deviceId: this.config.id, cti, mark, operation, commits: this.#commits };
    return challenge === undefined ? said : { ...said, challenge };
  }

  /** Starts the change of the display. From here on nothing on the link can stop it. */
  commit(payload: TicketPayload, commit: Commit, path: GattVersion, intermediate?: KnownIntermediate): void {
    this.#code = "BUSY_DISPLAY";
    const length = this.faults.slowDisplay ?? this.config.displayMs ?? 900;
    this.display.refresh(payload, length, () => {
      this.#commits++;
      this.#last = commit;
      this.#intermediate = intermediate ?? this.#intermediate;
      if (path === "2.1") this.#versionMin = "2.1";
      this.lockout.reset();
      this.#code = "COMMITTED";
      this.#emitDisplay();
      this.#step("displayDone");
      this.#hooks.committed();
      this.#hooks.changed();
    });
    this.#emitDisplay();
    this.#hooks.committing();
    this.move("commit");
  }

  /** Power is back: memory is what the flash holds, and the display what it showed. */
  restart(): void {
    this.#pressedAt = Number.NaN;
    this.bucket.fill();
    const wasRefreshing = this.display.state === "REFRESHING";
    this.display.interrupt();
    this.move("reboot");
    if (this.#state !== "LOCKOUT") this.#code = "OK";
    if (wasRefreshing) this.#emitDisplay();
  }

  #lock(): void {
    this.#code = "LOCKOUT";
    this.lockout.begin(() => {
      this.#code = "OK";
      this.#hooks.lockoutOver();
    });
  }

  #emitDisplay(): void {
    this.emit({ type: "display", state: this.display.state, content: this.display.content });
  }
}

/** Lifetime of a nonce, as stated in a hello, in seconds. */
export const NONCE_TTL = TAG_TIMER.nonce / 1000;
