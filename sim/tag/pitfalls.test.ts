/** Runs the `tag` and `link` rows of core/vectors/sec-refusals.json against a whole tag that already shows a label. */
import { describe, expect, it } from "vitest";
import { STATUS, type StatusName } from "../../core/gatt/profile.ts";
import { SecError } from "../../core/sec/errors.ts";
import type { FramedMessage } from "../../core/sec/framing.ts";
import type { Central } from "../test-support/central.ts";
import { LINK_ACTS, LINK_ROWS, TAG_ACTS, TAG_ROWS, type TagRow } from "../test-support/pitfall-acts.ts";
import { bring, PAYLOAD, type Stage, stage, written } from "../test-support/stages.ts";
import { AttError, type TagSnapshot } from "./tag-types.ts";

/** A disconnected tag with a label (v2.1) or without one (v2.0), whose message_1 bucket is full again. */
async function tagFor(path: TagRow["path"]): Promise<Stage> {
  if (path === "2.0") return stage({ generation: "2.0", frame: 32 }, false);
  const at = await written();
  at.world.advance(10_000);
  return at;
}

/** What a refusal must leave as it was. */
function lasting({ display, commits, lastDigest, versionMin, tokenMisses }: TagSnapshot) {
  return { display, commits, lastDigest, versionMin, tokenMisses };
}

/** Everything the tag still says on SEC, which a v2.0 tag has not; records decrypted. */
async function said(central: Central): Promise<unknown[]> {
  const all: unknown[] = [];
  if (central.tag.snapshot().generation === "2.0") return all;
  for (;;) {
    const message = await central.receive().catch(fallen);
    if (message === undefined) return all;
    all.push(await plain(central, message));
  }
}

function fallen(error: unknown): undefined {
  if (!(error instanceof AttError && error.code === "DISCONNECTED")) throw error;
}

async function plain(central: Central, { type, message }: FramedMessage): Promise<unknown> {
  return type === "APP" ? central.keys.open(message) : { type, message: [...message] };
}

/** What leaves the tag on SEC and in STATUS, and what its transcript calls that. */
function expected(
  { ending, code }: TagRow,
  unchanged: StatusName,
): { said: unknown[]; status: StatusName; sent: string } {
  const name = code as StatusName;
  switch (ending) {
    case "alert":
      return { said: [{ type: "ALERT", message: [STATUS[name]] }], status: name, sent: "ALERT" };
    case "edhoc_error":
      // Error 1 with an empty text, byte for byte, whatever the reason was.
      return { said: [{ type: "EDHOC_ERROR", message: [1, 0x60] }], status: unchanged, sent: "EDHOC_ERROR" };
    case "record":
      return { said: [{ kind: "status", status: STATUS[name] }], status: name, sent: name };
    case "status":
      return { said: [], status: name, sent: `STATUS ${name}` };
    case "silence":
      return { said: [], status: unchanged, sent: "STATUS unchanged" };
    case "message_2":
      throw new Error("no refusal");
  }
}

/** The session is over for good: what its keys, or no keys, protect is refused on the next connection. */
async function expectNoKeys({ tag, central }: Stage): Promise<void> {
  const record = await central.channel?.seal({ kind: "fresh" });
  await tag.connect();
  if (tag.snapshot().generation === "2.0") {
    await central.send("DATA", "PAYLOAD", PAYLOAD);
    return expect(await central.status()).toMatchObject({ state: "IDLE", code: "STATE" });
  }
  await central.send("SEC", "APP", record ?? Uint8Array.of(5, ...new Uint8Array(17)));
  expect(await said(central)).toEqual([{ type: "ALERT", message: [STATUS.STATE] }]);
}

const refusals = TAG_ROWS.filter(({ code }) => code !== null);
const accepted = TAG_ROWS.filter(({ code }) => code === null);

describe("a tag", () => {
  it.each(refusals)("refuses as $code by $ending (pitfall $pitfall): $name", async (row) => {
    const at = await tagFor(row.path);
    await at.tag.connect();
    await bring(at, row.state, row.path);
    const before = lasting(at.tag.snapshot());
    const statusBefore = at.tag.snapshot().status;
    await TAG_ACTS[row.act](at, row);
    await at.tag.settled();
    const { said: words, status, sent } = expected(row, statusBefore);
    expect(at.tag.snapshot().state).toBe("IDLE");
    expect((await at.central.status()).code).toBe(status);
    expect(await said(at.central)).toEqual(words);
    expect(at.events.findLast(({ type }) => type === "refusal")).toMatchObject({
      reason: expect.stringMatching(new RegExp(`^${row.code}\\b`)),
      sent,
    });
    at.world.advance(2_000);
    expect(at.tag.snapshot()).toMatchObject({ state: "IDLE", connected: false });
    await expectNoKeys(at);
    expect(lasting(at.tag.snapshot())).toEqual(before);
  });

  it.each(accepted)("goes on (pitfall $pitfall): $name", async (row) => {
    const at = await tagFor(row.path);
    await at.tag.connect();
    await bring(at, row.state, row.path);
    await TAG_ACTS[row.act](at, row);
    expect(row.ending).toBe("message_2");
    await at.central.expect("EDHOC");
    expect(at.tag.snapshot().state).toBe("WAIT_M3");
  });
});

/** How an attempt ends: the exception's name as a page sees it, or the code. */
function codeOf(error: unknown): string {
  if (error instanceof SecError) return error.code;
  if (error instanceof DOMException) return error.name;
  throw error;
}

describe("the client's end", () => {
  it.each(LINK_ROWS)("refuses as $code (pitfall $pitfall): $name", async (row) => {
    const at = await tagFor("2.1");
    const before = lasting(at.tag.snapshot());
    const { attempt, unharmed } = await LINK_ACTS[row.act](at, row);
    const gattEvents = () =>
      at.events.filter((event) => event.type === "gatt" && event.characteristic !== "SEC");
    const writes = () => at.events.filter((event) => event.type === "gatt" && event.operation === "write");
    const sofar = [gattEvents().length, writes().length];
    expect(await attempt().then(() => null, codeOf)).toBe(row.code);
    await at.tag.settled();
    expect([gattEvents().length, writes().length]).toEqual(sofar);
    expect(at.tag.snapshot().state).toBe(row.left);
    expect(await unharmed?.()).not.toBe(false);
    expect(at.central.channel).toBeUndefined();
    expect(lasting(at.tag.snapshot())).toEqual(before);
  });
});

it("every act of the drivers is one of a row, and every row's act is one of the drivers'", () => {
  expect(new Set(TAG_ROWS.map(({ act }) => act))).toEqual(new Set(Object.keys(TAG_ACTS)));
  expect(new Set(LINK_ROWS.map(({ act }) => act))).toEqual(new Set(Object.keys(LINK_ACTS)));
});
