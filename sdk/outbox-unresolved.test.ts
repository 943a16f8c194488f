import { describe, expect, test } from "vitest";
import { toBase64Url } from "../core/encoding/bytes.ts";
import { neverCancelled } from "./abort.ts";
import { ServiceError } from "./errors.ts";
import type { NewEntry } from "./outbox.ts";
import type { LastCommit, SignedStatement } from "./tag/secured-tag.ts";
import { outboxPage } from "./test-support/outbox-page.ts";
import { reportOf } from "./test-support/value-in.ts";
import type { OutboxEvent } from "./types.ts";

const signal = neverCancelled();
const DAY = 86_400_000;
const STALE = new ServiceError("stale_statement", "stale", { statusCode: 409 });
const DOWN = new ServiceError("network", "no network");

const MARK = new Uint8Array(32).fill(1);
const OTHER = new Uint8Array(32).fill(2);
const WRITTEN: LastCommit = { commits: 5, mark: MARK };
const NOT_WRITTEN: LastCommit = { commits: 4, mark: OTHER };
const ENTRY: NewEntry = {
  ...{ kind: "attach", uniqueDeviceId: "ebt-1", baggageId: 3, tagCertificate: "AA==" },
  ...{ cti: "AAAAAAAAAAA", mark: toBase64Url(MARK), commitsBefore: 4 },
};
const signed = (fill: number): SignedStatement => ({
  bytes: new Uint8Array(4).fill(fill),
  statement: { deviceId: "ebt-1", cti: null, mark: null, operation: null, commits: 5 },
});
const says = (fill: number) => async () => signed(fill);
const silent = async () => undefined;

const kinds = (events: readonly OutboxEvent[]) => events.map(({ type }) => type);

/** A page that ended between commit and answer, and the next. */
async function died() {
  const page = outboxPage();
  await page.outbox.enqueueBeforeCommit(ENTRY);
  return page.reopened();
}

describe("what is enqueued before the commit", () => {
  test("is not unresolved while its job runs", async () => {
    const { outbox, events, calls } = outboxPage();
    await outbox.enqueueBeforeCommit(ENTRY);
    expect(await outbox.entries()).toEqual([]);
    expect(await outbox.flush(signal)).toEqual(reportOf({}));
    expect(await outbox.settle("ebt-1", NOT_WRITTEN, silent)).toBeUndefined();
    expect([events, calls]).toEqual([[], []]);
  });

  test("is not put away by its id while its job runs", async () => {
    const { outbox, database, events } = outboxPage();
    await outbox.dismiss(await outbox.enqueueBeforeCommit(ENTRY));
    expect(await database.entries()).toHaveLength(1);
    expect(events).toEqual([]);
  });

  test("becomes the real entry, alone, when the tag has taken it", async () => {
    const { outbox, calls, database } = outboxPage();
    await outbox.enqueueBeforeCommit(ENTRY);
    expect(await outbox.submit({ ...ENTRY, tagStatement: "AQ" }, signal)).toBeUndefined();
    expect(calls).toEqual([
      {
        name: "deviceAttachment",
        body: {
          device: { uniqueID: "ebt-1" },
          ...{ baggageId: 3, tagCertificate: "AA==", tagStatement: "AQ", cti: "AAAAAAAAAAA" },
        },
        key: expect.any(String),
      },
    ]);
    expect(await database.entries()).toEqual([]);
  });

  test("is forgotten when the tag has not", async () => {
    const { outbox, database, events } = outboxPage();
    await outbox.forget(await outbox.enqueueBeforeCommit(ENTRY));
    expect(await database.entries()).toEqual([]);
    expect(events).toEqual([]);
  });

  test("is unresolved when its outcome is unknown, and an event", async () => {
    const { outbox, events } = outboxPage();
    const id = await outbox.enqueueBeforeCommit(ENTRY);
    outbox.leaveOpen(id);
    expect(await outbox.entries()).toMatchObject([{ id, unresolved: "written", baggageId: 3 }]);
    expect(events).toMatchObject([{ type: "added", entry: { id, unresolved: "written" } }]);
  });

  test("keeps no name, no locator, no token and no nonce", async () => {
    const { outbox, database } = outboxPage();
    await outbox.enqueueBeforeCommit(ENTRY);
    const [stored] = await database.entries();
    expect(Object.keys(stored ?? {}).sort()).toEqual([
      ...["baggageId", "commitsBefore", "createdAt", "cti", "id", "kind", "mark"],
      ...["tagCertificate", "tries", "uniqueDeviceId", "unresolved"],
    ]);
  });
});

describe("after the page died at the commit", () => {
  test("waits for the tag: nothing is sent, and nothing counts as left", async () => {
    const { outbox, calls } = await died();
    expect(await outbox.entries()).toMatchObject([{ unresolved: "written" }]);
    expect(await outbox.flush(signal)).toEqual(reportOf({ asking: 1 }));
    expect(calls).toEqual([]);
  });

  test("a tag that took it has it reported, with its statement", async () => {
    const { outbox, calls, events, database } = await died();
    const [before] = await database.entries();
    expect(await outbox.settle(" EBT-1", WRITTEN, says(7))).toBe("written");
    expect(kinds(events)).toEqual(["settled"]);
    expect(await outbox.flush(signal)).toEqual(reportOf({ sent: 1 }));
    expect(calls).toMatchObject([
      { name: "deviceAttachment", body: { baggageId: 3, cti: "AAAAAAAAAAA", tagStatement: "BwcHBw" } },
    ]);
    // What the service may have received under the old id had another body.
    expect(calls[0]?.key).not.toBe(before?.id);
    expect(await outbox.entries()).toEqual([]);
  });

  test("a tag that took it and does not sign is believed by its mark", async () => {
    const { outbox, calls } = await died();
    expect(await outbox.settle("ebt-1", WRITTEN, silent)).toBe("written");
    await outbox.flush(signal);
    expect(calls[0]?.body).not.toHaveProperty("tagStatement");
  });

  test("a v2.0 tag identifies it by eight bytes of its mark", async () => {
    const page = outboxPage();
    const { commitsBefore, ...entry } = ENTRY;
    await page.outbox.enqueueBeforeCommit(entry);
    const { outbox } = page.reopened();
    expect(await outbox.settle("ebt-1", { mark: MARK.slice(0, 8) }, silent)).toBe("written");
  });

  test.each<[string, LastCommit]>([
    ["has committed nothing since", NOT_WRITTEN],
    ["was written by another since", { commits: 6, mark: OTHER }],
    ["has never shown anything", { commits: 0 }],
    ["is a v2.0 tag with another mark", { mark: OTHER.slice(0, 8) }],
  ])("a tag that %s settles the entry, and that is an event", async (_what, last) => {
    const { outbox, events, calls, database } = await died();
    expect(await outbox.settle("ebt-1", last, says(7))).toBe("not_written");
    expect(events).toMatchObject([{ type: "settled", written: false }]);
    await outbox.flush(signal);
    expect(calls).toEqual([]);
    expect(await database.entries()).toEqual([]);
  });

  test("another tag settles nothing", async () => {
    const { outbox } = await died();
    expect(await outbox.settle("ebt-2", WRITTEN, says(7))).toBeUndefined();
    expect(await outbox.entries()).toHaveLength(1);
  });

  test("what the tag took stands in place of what waited before it", async () => {
    const page = outboxPage();
    page.failures.push(DOWN);
    await page.outbox.submit({ ...ENTRY, baggageId: 9, mark: toBase64Url(OTHER) }, signal);
    await page.outbox.enqueueBeforeCommit(ENTRY);
    const { outbox, calls } = page.reopened();
    await outbox.settle("ebt-1", WRITTEN, says(7));
    await outbox.flush(signal);
    expect(calls.map(({ body }) => (body as { baggageId: number }).baggageId)).toEqual([3]);
  });

  test("what waited before it is still reported if the tag did not take it", async () => {
    const page = outboxPage();
    page.failures.push(DOWN);
    await page.outbox.submit({ ...ENTRY, baggageId: 9, mark: toBase64Url(OTHER) }, signal);
    await page.outbox.enqueueBeforeCommit(ENTRY);
    const { outbox, calls } = page.reopened();
    await outbox.settle("ebt-1", NOT_WRITTEN, silent);
    await outbox.flush(signal);
    expect(calls.map(({ body }) => (body as { baggageId: number }).baggageId)).toEqual([9]);
  });

  test("a person who cannot hold the tag near discards the unresolved entry, and only that", async () => {
    const { outbox, events, failures } = await died();
    failures.push(DOWN);
    await outbox.submit({ ...ENTRY, uniqueDeviceId: "ebt-2" }, signal);
    for (const { id } of await outbox.entries()) await outbox.dismiss(id);
    expect(kinds(events)).toEqual(["added", "kept", "ended"]);
    expect(await outbox.entries()).toMatchObject([{ uniqueDeviceId: "ebt-2" }]);
  });

  test.each([
    [7 * DAY, 1],
    [7 * DAY + 1, 0],
  ])("the unresolved entry of %d ms ago is there: %d", async (age, asking) => {
    const { outbox, events, clock } = await died();
    clock.now += age;
    expect(await outbox.flush(signal)).toMatchObject({ asking });
    expect(await outbox.entries()).toHaveLength(asking);
    expect(events).toEqual([]);
  });
});

describe("an entry whose statement the service calls stale", () => {
  const staled = async (refused?: "drop" | "keep") => {
    const page = outboxPage(refused);
    page.failures.push(STALE);
    await page.outbox.submit({ ...ENTRY, tagStatement: "AQ" }, signal);
    return page;
  };

  test.each(["drop", "keep"] as const)("waits for the tag (%s)", async (refused) => {
    const { outbox, events, calls } = await staled(refused);
    expect(kinds(events)).toEqual(["added", "kept"]);
    expect(await outbox.entries()).toMatchObject([{ unresolved: "stale", tries: 1 }]);
    expect(await outbox.flush(signal)).toEqual(reportOf({ asking: 1 }));
    expect(calls).toHaveLength(1);
  });

  test("does not hold up what waits behind it", async () => {
    const { outbox, failures, clock } = outboxPage();
    failures.push(DOWN, DOWN, STALE);
    await outbox.submit({ ...ENTRY, tagStatement: "AQ" }, signal);
    clock.now++;
    await outbox.submit({ ...ENTRY, uniqueDeviceId: "ebt-2" }, signal);
    expect(await outbox.flush(signal)).toEqual(reportOf({ sent: 1, asking: 1 }));
  });

  test("is sent once more with the tag's new statement, under another key", async () => {
    const { outbox, calls } = await staled();
    expect(await outbox.settle("ebt-1", WRITTEN, says(7))).toBe("written");
    expect(await outbox.flush(signal)).toMatchObject({ sent: 1, asking: 0 });
    expect(calls.map(({ body }) => (body as { tagStatement: string }).tagStatement)).toEqual([
      "AQ",
      "BwcHBw",
    ]);
    expect(new Set(calls.map(({ key }) => key)).size).toBe(2);
  });

  test("is dropped, and said, if it is stale again: the tag is asked once", async () => {
    const { outbox, failures, events } = await staled();
    await outbox.settle("ebt-1", WRITTEN, says(7));
    failures.push(STALE);
    expect(await outbox.flush(signal)).toMatchObject({ dropped: 1, asking: 0 });
    expect(events.at(-1)).toMatchObject({ type: "dropped", error: { code: "stale_statement" } });
    expect(await outbox.entries()).toEqual([]);
  });

  test("still waits if the tag's statement was lost on the way", async () => {
    const { outbox } = await staled();
    expect(await outbox.settle("ebt-1", WRITTEN, silent)).toBe("written");
    expect(await outbox.entries()).toMatchObject([{ unresolved: "stale" }]);
  });

  test("ends if the tag shows something else by now", async () => {
    const { outbox } = await staled();
    expect(await outbox.settle("ebt-1", { commits: 6, mark: OTHER }, says(7))).toBe("not_written");
    expect(await outbox.entries()).toEqual([]);
  });

  test("without a statement is refused for good", async () => {
    const { outbox, failures, events } = outboxPage();
    failures.push(STALE);
    await outbox.submit(ENTRY, signal);
    expect(kinds(events)).toEqual(["added", "dropped"]);
  });
});

test("what the storage cannot remove is asked about later", async () => {
  const { outbox, database } = outboxPage();
  const id = await outbox.enqueueBeforeCommit(ENTRY);
  database.removeEntry = () => Promise.reject(new TypeError("full"));
  await outbox.forget(id);
  expect(await outbox.entries()).toMatchObject([{ unresolved: "written" }]);
});
