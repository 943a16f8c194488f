/** What departure control's messages cost the operator, by the bag: counted, as the journey's requests are. */
import type { Server } from "../serve/server.ts";
import { batch, KINDS, sender } from "./feeds.ts";
import { PRICES } from "./prices.ts";
import { printTable } from "./table.ts";

const PAYLOADS = "/v2/journeys/from-airline-payload";
const BAGS = 100;
/** By then bookings are gone, too. */
export const BOOKINGS_GONE = 120 * 86_400_000;

interface Counted {
  readonly route: string;
  readonly calls: number;
  readonly statements: number;
  readonly rowsRead: number;
  readonly rowsWritten: number;
}

/** The runs that count: sends something to a service of its own, and sweeps what that leaves. */
export type Life = (
  use: (server: Server) => Promise<void>,
) => Promise<{ readonly requests: readonly Counted[]; readonly swept: number }>;

interface Fed {
  readonly what: string;
  /** Bags that are sent. */
  readonly bags: number;
  /** The sweeper's rows are counted once, with the message that made them. */
  readonly isNew?: true;
  send(server: Server): Promise<void>;
}

const messages =
  (...sent: readonly string[]): Fed["send"] =>
  async ({ url }) => {
    const send = await sender(url);
    for (const text of sent) await send(text);
  };
const [NEW, AGAIN, MOVED, GONE] = KINDS;
const many = (kind: (typeof KINDS)[number]) => batch(kind, 0, BAGS);

const FED: readonly Fed[] = [
  { what: "a BSM in a request of its own", bags: 1, isNew: true, send: messages(batch(NEW, 0, 1)) },
  { what: `BSMs, ${BAGS} in a request`, bags: BAGS, isNew: true, send: messages(many(NEW)) },
  { what: "… sent again", bags: BAGS, send: messages(many(NEW), many(AGAIN)) },
  { what: "… moved to another flight", bags: BAGS, send: messages(many(NEW), many(MOVED)) },
  { what: "… deleted", bags: BAGS, send: messages(many(NEW), many(MOVED), many(GONE)) },
  {
    what: "a booking's payload, one bag",
    bags: 1,
    isNew: true,
    send: async ({ url }) => (await sender(url, PAYLOADS))(booking()),
  },
];

/** Departs tomorrow. */
function booking(): object {
  const date = new Date(Date.now() + 86_400_000).toISOString().slice(0, 10);
  const flight = { carrier: "SK", number: "1234", date, from: "OSL", to: "ARN" };
  const bag = { licencePlate: "0117999001" };
  const passenger = { surname: "Hopper", givenName: "Grace", baggage: [bag] };
  return { airline: "SK", recordLocator: "HOPPER", flights: [flight], passengers: [passenger] };
}

/** The list prices of cost.ts for one request, and what it leaves to sweep. */
function dollarsOf({ rowsRead, rowsWritten }: Counted, swept: number, bags: number): string {
  const { requests, rowsRead: read, rowsWritten: written } = PRICES;
  return ((requests + rowsRead * read + (rowsWritten + swept) * written) / bags).toFixed(1);
}

/** Prints what each costs; a row of the last request alone, and what the sweeper writes for all that was sent. */
export async function costOfFeeds(life: Life): Promise<void> {
  const idle = await life(async () => undefined);
  const rows = [];
  for (const { what, bags, isNew = false, send } of FED) {
    const { requests, swept } = await life(send);
    const gone = isNew ? swept - idle.swept : 0;
    const last = requests.at(-1);
    if (last === undefined) throw new Error(`${what}: nothing was counted`);
    const perBag = (count: number) => (count / bags).toFixed(bags === 1 ? 0 : 2);
    rows.push({
      "by the bag": what,
      calls: perBag(last.calls),
      statements: perBag(last.statements),
      "rows read": perBag(last.rowsRead),
      "rows written": perBag(last.rowsWritten),
      "and when it is gone": isNew ? perBag(gone) : "",
      "dollars a million": dollarsOf(last, gone, bags),
    });
  }
  printTable("What feeds cost", rows);
}
