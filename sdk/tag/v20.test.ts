import { describe, expect, test } from "vitest";
import { concat } from "../../core/encoding/bytes.ts";
import type { StatusName, TagState } from "../../core/gatt/profile.ts";
import { neverCancelled } from "../abort.ts";
import {
  delivery,
  outcomeWith,
  securedWith,
  session,
  troupe,
  virtually,
} from "../test-support/scripted-session.ts";
import type { Script } from "../test-support/scripted-tag.ts";

const signal = neverCancelled();
const TOKEN = Uint8Array.of(1, 2, 3);
const PAYLOAD = Uint8Array.from({ length: 600 }, (_, index) => index & 0xff);

type Made = Awaited<ReturnType<typeof session>>;

/** STATUS says, one reading after the other and the last from then on: what an honest tag would but for this. */
function saying(at: TagState, ...said: readonly (readonly [TagState, StatusName])[]): Script {
  const left = [...said];
  return {
    status(honest) {
      if (honest.state !== at) return {};
      const [state, code] = (left.length > 1 ? left.shift() : left[0]) ?? [honest.state, honest.code];
      return { state, code };
    },
  };
}

const write = async ({ session }: Made) => session.write(TOKEN, await delivery(PAYLOAD), signal);
const outcome = (script: Script, work: (made: Made) => Promise<unknown>) => outcomeWith("2.0", script, work);

describe("a chain", () => {
  test("is presented in the order of endpoint 7, in frames that the tag can hold", async () => {
    const { client } = await troupe();
    const { connection, session: made } = await virtually(() => session("2.0", { info: { frame: 32 } }));
    const [leaf, intermediate] = client.chain;
    expect(connection.messages).toEqual([
      { type: "CERTIFICATE_CHAIN", message: concat(intermediate as never, leaf as never) },
    ]);
    expect(made).toMatchObject({ id: "ebt-20-0005", generation: "2.0", state: "ESTABLISHED", open: true });
  });

  test.each<[StatusName, string]>([
    ["CHAIN", "TagError:client_refused"],
    ["CRED_TIME", "TagError:client_refused"],
    ["BUSY", "TagError:tag_busy"],
  ])("that the tag refuses as %s closes the link", async (code, outcome) => {
    expect(await securedWith("2.0", saying("PRESENTED", ["CONNECTED", code]))).toMatchObject({
      outcome,
      open: false,
    });
  });

  test.each([0, 15, 17, 32])("with a nonce of %i bytes behind it is none of the protocol", async (length) => {
    const script: Script = { nonce: () => new Uint8Array(length) };
    expect(await securedWith("2.0", script)).toMatchObject({ outcome: "TagError:protocol", open: false });
  });
});

describe("a nonce", () => {
  test("is what the tag gave last, and when", async () => {
    let drawn = 0;
    const script: Script = { nonce: () => new Uint8Array(16).fill(++drawn) };
    await virtually(async () => {
      const made = await session("2.0", script);
      expect(made.session.nonce).toEqual({ value: new Uint8Array(16).fill(1), readAt: 0 });
      await new Promise((resolve) => setTimeout(resolve, 40_000));
      await made.session.refreshNonce(signal);
      expect(made.session).toMatchObject({ state: "ESTABLISHED", nonce: { readAt: 40_000 } });
      expect(made.session.nonce.value).toEqual(new Uint8Array(16).fill(2));
    });
  });
});

describe("a token", () => {
  test("that the tag refuses leaves the session as it was, with another nonce", async () => {
    let drawn = 0;
    const script: Script = {
      ...saying("AUTHORIZED", ["PRESENTED", "TOKEN_NONCE"]),
      nonce: () => new Uint8Array(16).fill(++drawn),
    };
    await virtually(async () => {
      const made = await session("2.0", script);
      await expect(write(made)).rejects.toMatchObject({ code: "token_refused", status: "TOKEN_NONCE" });
      expect(made.session).toMatchObject({ state: "ESTABLISHED", open: true });
      expect(made.session.nonce.value).toEqual(new Uint8Array(16).fill(2));
      expect(made.connection.messages.map(({ type }) => type)).toEqual(["CERTIFICATE_CHAIN", "TOKEN"]);
    });
  });

  test.each<[TagState, StatusName, string]>([
    ["LOCKOUT", "LOCKOUT", "TagError:lockout"],
    ["CONNECTED", "STATE", "TagError:protocol"],
    ["COMMITTED", "COMMITTED", "TagError:protocol"],
  ])("that ends in %s (%s) is not taken, and ends the session", async (state, code, outcomeCode) => {
    const found = await outcome(saying("AUTHORIZED", [state, code]), write);
    expect(found).toMatchObject({ code: outcomeCode, state: "FAILED", open: false });
  });
});

describe("a delivery", () => {
  test("says the payload in clear; its last frame is what there is no way back from", async () => {
    await virtually(async () => {
      const made = await session("2.0");
      const parcel = await delivery(PAYLOAD);
      await made.session.write(TOKEN, parcel, signal);
      expect(made.connection.messages.at(-1)).toEqual({ type: "PAYLOAD", message: PAYLOAD });
      expect(parcel.reported).toEqual(["0.333", "0.667", "commit", "1.000"]);
      expect(made.session.state).toBe("COMMITTED");
    });
  });

  test.each<[string, readonly (readonly [TagState, StatusName])[]]>([
    ["the display works", [["COMMITTING", "BUSY_DISPLAY"]]],
    [
      "the last frame is still checked",
      [
        ["RECEIVING", "AUTHORIZED"],
        ["RECEIVING", "OK"],
        ["RECEIVING", "BUSY_DISPLAY"],
      ],
    ],
  ])("is asked about every 250 ms while %s", async (_what, working) => {
    const script = saying("COMMITTED", ...working, ["COMMITTED", "COMMITTED"]);
    const found = await outcome(script, write);
    expect(found).toMatchObject({ code: "done", state: "COMMITTED", at: 250 * working.length });
  });

  test.each<[TagState, StatusName, string]>([
    ["RECEIVING", "DIGEST", "TagError:write_refused"],
    ["RECEIVING", "OFFSET", "TagError:write_refused"],
    ["PRESENTED", "LOW_BATTERY", "TagError:low_battery"],
    ["CONNECTED", "TIMEOUT", "TagError:protocol"],
    // A code does not make it so: the state says what the display shows.
    ["PRESENTED", "COMMITTED", "TagError:protocol"],
  ])("that ends in %s (%s) has failed", async (state, code, outcomeCode) => {
    const found = await outcome(saying("COMMITTED", [state, code]), write);
    expect(found).toMatchObject({ code: outcomeCode, state: "FAILED", open: false });
  });

  test("is given up where the display has not finished after a minute", async () => {
    const found = await outcome(saying("COMMITTED", ["COMMITTING", "OK"]), write);
    expect(found).toMatchObject({ code: "TagError:tag_busy", state: "FAILED", at: 60_250 });
  });
});

test("what the tag committed last is in STATUS, as far as eight bytes show", async () => {
  const standing = (fill: number) =>
    virtually(() => session("2.0", { status: () => ({ markPrefix: new Uint8Array(8).fill(fill) }) }));
  expect((await standing(3)).session.lastCommit).toEqual({ mark: new Uint8Array(8).fill(3) });
  expect((await standing(0)).session.lastCommit).toEqual({});
});
