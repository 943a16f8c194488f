import { and, asc, eq, gt, inArray } from "drizzle-orm";
import { b2bAccounts, devices, deviceTicketLocks, federatedIssuers, plateRanges } from "../../db/schema.ts";
import { requireClient } from "./clients.ts";
import type { Command } from "./command.ts";
import { wholeNumber } from "./options.ts";
import { at } from "./show.ts";

/** What there is: `issuer list`, `account list`, `plates list`, `devices list`. Never a key, a hash of one, or a name. */

const stateOf = (enabled: boolean) => (enabled ? "enabled" : "disabled");

export const listIssuers: Command = {
  name: "issuer list",
  summary: "show every host whose tokens are known, trusted or not",
  database: "read",
  options: {},
  async run({ db, show }) {
    const rows = await db.select().from(federatedIssuers).orderBy(asc(federatedIssuers.issuer));
    show(
      rows.map(({ issuer, enabled, audience, jwksUrl, algorithms, loadsTravelPlans }) => ({
        ...{ issuer, state: stateOf(enabled), audience, keys: jwksUrl ?? "given", algorithms },
        travelPlans: loadsTravelPlans,
      })),
    );
  },
};

export const listAccounts: Command = {
  name: "account list",
  summary: "show staff accounts, of one client or of all",
  database: "read",
  options: { client: { value: "id", help: "only accounts of this client" } },
  async run(input) {
    const { db, maybe, show } = input;
    const client = maybe("client");
    if (client !== undefined) await requireClient(input, client);
    const rows = await db
      .select()
      .from(b2bAccounts)
      .where(client === undefined ? undefined : eq(b2bAccounts.clientId, client))
      .orderBy(asc(b2bAccounts.clientId), asc(b2bAccounts.username));
    show(
      rows.map(({ clientId, username, enabled, airlines }) => {
        return { client: clientId, username, state: stateOf(enabled), airlines };
      }),
    );
  },
};

export const listPlates: Command = {
  name: "plates list",
  summary: "show the ranges of licence plates, and where each goes on",
  database: "read",
  options: {},
  async run({ db, show }) {
    const rows = await db.select().from(plateRanges).orderBy(asc(plateRanges.airline));
    const plate = (row: (typeof rows)[number], serial: number) =>
      `${row.leading}${row.issuer}${String(serial).padStart(6, "0")}`;
    show(
      rows.map((row) => {
        const { airline, firstSerial, lastSerial, nextSerial } = row;
        const [first, last, next] = [firstSerial, lastSerial, nextSerial].map((serial) => plate(row, serial));
        return { airline, first, last, next };
      }),
    );
  },
};

/** Tags of one answer: more are not read at once. */
const PAGE = 100;

export const listDevices: Command = {
  name: "devices list",
  summary: `show tags in the order of their ids, ${PAGE} at a time, and which are locked`,
  database: "read",
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
        label: devices.label,
        gattVersion: devices.gattVersion,
        spki: devices.tagSpkiHash,
        lockEndsAt: deviceTicketLocks.endsAt,
      })
      .from(devices)
      .leftJoin(deviceTicketLocks, isLive)
      .where(has("locked") ? inArray(devices.id, locked) : gt(devices.id, after))
      .orderBy(asc(devices.id))
      .limit(most);
    show(
      rows.map(({ deviceId, label, gattVersion, spki, lockEndsAt }) => ({
        ...{
          id: deviceId,
          label,
          gattVersion: gattVersion ?? "unproven",
          key: spki === null ? "none" : "known",
        },
        lockedUntil: at(lockEndsAt),
      })),
    );
  },
};
