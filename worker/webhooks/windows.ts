import type { BagEvent } from "../../core/api/index.ts";
import { type MessageReader, messageKind, PER_MESSAGES, readMessages } from "../audit/baggage-message.ts";
import {
  BEGINNING,
  type EventPage,
  type EventRow,
  type Place,
  pageOf,
  readWindow,
} from "../audit/event-feed.ts";
import { eventOf, withMessage } from "../audit/feed.ts";
import { type AnswersOf, inBatch } from "../database/batch.ts";
import type { RunContext } from "../run-context.ts";

/**
 * The audit log as one run of the webhooks reads it: in windows that all listeners share. Each row is read once for all
 * whose places are near each other; a listener far behind reads windows of its own.
 */

/** Statements of one window. */
export const PER_WINDOW = 4;

/** The most windows in memory; a run that needs an earlier one again reads it again. */
const MOST_WINDOWS = 16;

interface Window {
  /** Everything behind this row is in the window. */
  readonly from: number;
  readonly rows: Promise<Rows>;
}
interface Rows extends AnswersOf<ReturnType<typeof readWindow>> {
  /** The events as listeners get them, by id of their row. */
  readonly sent: ReadonlyMap<number, BagEvent>;
  /** Read for the first listener that may see them. */
  messages?: Promise<MessageReader>;
}

/** What comes next for one listener. */
export interface Page extends Pick<EventPage, "after" | "more" | "fault"> {
  readonly events: readonly BagEvent[];
}

export interface Reader {
  readonly place: Place;
  /** Whether the log has the row of the place. */
  readonly hasPlace: boolean;
  readonly airlines: readonly string[];
  /** Whether its events have `baggageMessage`. */
  readonly hasMessages: boolean;
}

const noMessages: MessageReader = () => Promise.resolve(undefined);

export class Windows {
  readonly #ctx: RunContext;
  readonly #readers: readonly Reader[];
  readonly #spend: (statements: number) => boolean;
  readonly #size: number;
  /** By number: window `n` begins behind row `n * size`, or behind the first place in it. */
  readonly #windows = new Map<number, Window>();

  constructor(ctx: RunContext, readers: readonly Reader[], spend: (statements: number) => boolean) {
    this.#ctx = ctx;
    this.#readers = readers;
    this.#spend = spend;
    this.#size = ctx.settings.limits.eventRowsPerPage;
  }

  /** The next events of a reader; undefined where the run may send no more statements. */
  async next(reader: Reader): Promise<Page | undefined> {
    const { place, hasPlace, airlines } = reader;
    const rows = await this.#rowsBehind(place.id);
    if (rows === undefined) return undefined;
    const limit = this.#ctx.settings.limits.webhookEventsPerMessage;
    const events = rows.events
      .filter(({ id, airline }) => id > place.id && airlines.includes(airline))
      .slice(0, limit);
    const seen = rows.seen.filter(({ id }) => id > place.id);
    const anchor = hasPlace ? [{ at: place.at }] : [];
    const page = pageOf({ after: place, limit }, { ...rows, events, seen, anchor });
    if (page.fault === "foreign") {
      const first = await this.next({ ...reader, place: BEGINNING, hasPlace: true });
      return first && { ...first, fault: "foreign" };
    }
    const messageOf = reader.hasMessages ? await this.#messagesOf(rows, events) : noMessages;
    if (messageOf === undefined) return undefined;
    const sent = events.map(async (row) => {
      const event = rows.sent.get(row.id);
      return event === undefined ? [] : [withMessage(event, await messageOf(row))];
    });
    return { ...page, events: (await Promise.all(sent)).flat() };
  }

  /** Of all that listeners who may see them are sent of the window; undefined where the run may send no more statements. */
  #messagesOf(rows: Rows, events: readonly EventRow[]): Promise<MessageReader> | MessageReader | undefined {
    if (rows.messages !== undefined) return rows.messages;
    if (!events.some(messageKind)) return noMessages;
    if (!this.#spend(PER_MESSAGES)) return undefined;
    const own = this.#readers.flatMap(({ hasMessages, airlines }) => (hasMessages ? airlines : []));
    rows.messages = readMessages(
      this.#ctx,
      rows.events.filter(({ airline }) => own.includes(airline)),
    );
    return rows.messages;
  }

  async #rowsBehind(id: number): Promise<Rows | undefined> {
    const number = Math.floor(id / this.#size);
    const rows = await this.#rowsOf(number, id);
    if (rows === undefined) return undefined;
    const isRead = (rows.seen[0]?.id ?? 0) <= id;
    return isRead && (rows.newest[0]?.id ?? 0) > id ? this.#rowsOf(number + 1, id) : rows;
  }

  #rowsOf(number: number, id: number): Promise<Rows | undefined> {
    const start = Math.max(id, number * this.#size);
    const found = this.#windows.get(number);
    if (found !== undefined && found.from <= start) return found.rows;
    if (!this.#spend(PER_WINDOW)) return Promise.resolve(undefined);
    const [eldest] = this.#windows.keys();
    if (eldest !== undefined && this.#windows.size >= MOST_WINDOWS) this.#windows.delete(eldest);
    const places = this.#readers.map(({ place }) => place.id).filter((one) => one >= number * this.#size);
    const from = Math.min(start, ...places);
    const rows = this.#read(from);
    this.#windows.set(number, { from, rows });
    return rows;
  }

  async #read(from: number): Promise<Rows> {
    const { db, settings } = this.#ctx;
    const airlines = [...new Set(this.#readers.flatMap((reader) => reader.airlines))];
    const answers = await inBatch(db, readWindow(db, from, { airlines, rows: this.#size }));
    const sent = answers.events.map(async (row) => [row.id, await eventOf(settings, row)] as const);
    return { ...answers, sent: new Map(await Promise.all(sent)) };
  }
}
