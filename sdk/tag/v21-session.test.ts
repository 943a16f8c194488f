import { describe, expect, test } from "vitest";
import type { Bytes } from "../../core/encoding/bytes.ts";
import { STATUS } from "../../core/gatt/profile.ts";
import type { Hello, InitiatorRecord, ResponderRecord } from "../../core/sec/records.ts";
import { neverCancelled } from "../abort.ts";
import { delivery, outcomeWith, session, virtually } from "../test-support/scripted-session.ts";
import type { Script } from "../test-support/scripted-tag.ts";

const signal = neverCancelled();
const TOKEN = Uint8Array.of(1, 2, 3);
const PAYLOAD = Uint8Array.from({ length: 100 }, (_, index) => index);

type Made = Awaited<ReturnType<typeof session>>;

const status = (code: number): ResponderRecord => ({ kind: "status", status: code });
const hello = (changes: Partial<Hello> = {}): Hello => ({
  kind: "hello",
  nonce: new Uint8Array(16).fill(9),
  ttl: 120,
  id: "ebt-21-0001",
  commits: 0,
  mark: null,
  ...changes,
});
/** The script of a tag that answers one kind of record so. */
const answering = (kind: InitiatorRecord["kind"], ...answers: readonly ResponderRecord[]): Script => ({
  answer: (record, honest) => (record.kind === kind ? answers : honest),
});

const refresh = ({ session }: Made) => session.refreshNonce(signal);
const write = async ({ session }: Made) => session.write(TOKEN, await delivery(PAYLOAD), signal);
const outcome = (script: Script, work: (made: Made) => Promise<unknown>) => outcomeWith("2.1", script, work);

const LOST = { state: "DISCONNECTED", open: false, linked: false };

describe("a token", () => {
  test.each<[string, readonly ResponderRecord[], string]>([
    ["a lockout, behind which nothing comes", [status(STATUS.LOCKOUT)], "TagError:lockout"],
    ["an unknown code", [status(99), hello()], "TagError:protocol"],
    ["a hello where a status is due", [hello()], "TagError:protocol"],
    ["two refusals", [status(STATUS.TOKEN_NONCE), status(STATUS.STATE)], "TagError:protocol"],
    [
      "the hello of another tag behind its refusal",
      [status(STATUS.TOKEN_NONCE), hello({ id: "x" })],
      "TagError:wrong_tag",
    ],
  ])("answered by %s is not taken", async (_what, answers, code) => {
    expect((await outcome(answering("token", ...answers), write)).code).toBe(code);
  });

  test("answered by a lockout ends session and link at once", async () => {
    const found = await outcome(answering("token", status(STATUS.LOCKOUT)), write);
    expect(found).toMatchObject({ ...LOST, at: 0 });
  });

  test("that is never answered is given up after more than 20 s", async () => {
    const found = await outcome(answering("token"), write);
    expect(found).toEqual({ ...LOST, code: "BluetoothError:timeout", at: 25_000 });
  });

  test("is not handed over twice", async () => {
    const twice = async (made: Made) => {
      await write(made);
      await write(made);
    };
    expect(await outcome({}, twice)).toMatchObject({ ...LOST, code: "TagError:protocol" });
  });
});

describe("a fresh nonce", () => {
  test("stands in place of the one before it, read when it came", async () => {
    await virtually(async () => {
      const made = await session("2.1");
      const before = made.session.nonce;
      await new Promise((resolve) => setTimeout(resolve, 40_000));
      await refresh(made);
      const said = made.connection.said.at(-1);
      expect(made.session.nonce).toEqual({ value: said?.kind === "hello" && said.nonce, readAt: 40_000 });
      expect(before.readAt).toBe(0);
      expect(made.session.state).toBe("ESTABLISHED");
    });
  });

  test.each<[string, ResponderRecord, string]>([
    ["the hello of another tag", hello({ id: "ebt-21-0002" }), "TagError:wrong_tag"],
    ["a refusal", status(STATUS.BUSY), "TagError:tag_busy"],
  ])("that is answered by %s ends the session", async (_what, answer, code) => {
    expect(await outcome(answering("fresh", answer), refresh)).toMatchObject({ ...LOST, code });
  });
});

describe("a delivery", () => {
  test("says the payload whole, in records that the tag can hold, and what of it is done", async () => {
    await virtually(async () => {
      const made = await session("2.1", { info: { maxMessage: 1_024, frame: 512 } });
      const parcel = await delivery(new Uint8Array(2_100).fill(7));
      await made.session.write(TOKEN, parcel, signal);
      const data = made.connection.received.flatMap((record) => (record.kind === "data" ? [record] : []));
      expect(data.map(({ offset, data }) => [offset, data.length])).toEqual([
        [0, 992],
        [992, 992],
        [1_984, 116],
      ]);
      expect(made.connection.staged).toEqual(parcel.payload);
      expect(made.connection.received.at(-1)).toEqual({
        kind: "commit",
        sha256: parcel.digest,
        total: 2_100,
      });
      expect(parcel.reported).toEqual([...parcel.reported.slice(0, -2).toSorted(), "1.000", "commit"]);
      expect(parcel.reported.length).toBeGreaterThan(5);
      expect(made.session.state).toBe("COMMITTED");
    });
  });

  test("of a payload that fills one record is one record", async () => {
    await virtually(async () => {
      const made = await session("2.1", { info: { maxMessage: 1_024 } });
      await made.session.write(TOKEN, await delivery(new Uint8Array(992).fill(7)), signal);
      expect(made.connection.received.map(({ kind }) => kind)).toEqual(["token", "data", "commit"]);
    });
  });

  test.each<[string, readonly ResponderRecord[], string]>([
    ["that the digest is another", [status(STATUS.DIGEST)], "TagError:write_refused"],
    ["that the battery is low", [status(STATUS.LOW_BATTERY)], "TagError:low_battery"],
    ["that it is authorized", [status(STATUS.AUTHORIZED)], "TagError:protocol"],
    ["hello", [hello()], "TagError:protocol"],
  ])("to which the tag says %s has failed", async (_what, answers, code) => {
    expect(await outcome(answering("commit", ...answers), write)).toMatchObject({ ...LOST, code });
  });

  test("is waited for as long as a display may take, and given up after more than 60 s", async () => {
    const found = await outcome(answering("commit"), write);
    expect(found).toEqual({ ...LOST, code: "BluetoothError:timeout", at: 65_000 });
  });

  test("leaves with its token and its commit, before the tag has said anything", async () => {
    await virtually(async () => {
      const made = await session("2.1");
      const reads = made.connection.reads.length;
      const readsAtCommit: number[] = [];
      const parcel = {
        ...(await delivery(PAYLOAD)),
        onCommit: async () => void readsAtCommit.push(made.connection.reads.length),
      };
      await made.session.write(TOKEN, parcel, signal);
      expect(readsAtCommit).toEqual([reads]);
      expect(made.connection.received.map(({ kind }) => kind)).toEqual(["token", "data", "commit"]);
    });
  });

  test("whose token was refused can be written once more, with the nonce that came", async () => {
    let refusals = 1;
    const script: Script = {
      answer: (record, honest) =>
        record.kind === "token" && refusals-- > 0 ? [status(STATUS.TOKEN_NONCE), hello()] : honest,
    };
    await virtually(async () => {
      const made = await session("2.1", script);
      await expect(write(made)).rejects.toMatchObject({ code: "token_refused", status: "TOKEN_NONCE" });
      expect(made.session).toMatchObject({ state: "ESTABLISHED", nonce: { value: hello().nonce } });
      await write(made);
      expect(made.session.state).toBe("COMMITTED");
      expect(made.tag.commits).toBe(1);
    });
  });

  test("of which the caller wants no commit sends none", async () => {
    await virtually(async () => {
      const made = await session("2.1");
      const refusing = {
        ...(await delivery(PAYLOAD)),
        async onCommit() {
          throw new Error("no");
        },
      };
      await expect(made.session.write(TOKEN, refusing, signal)).rejects.toThrow("no");
      expect(made.connection.received.map(({ kind }) => kind)).toEqual(["token", "data"]);
      expect(made.tag.commits).toBe(0);
    });
  });
});

describe.each(["2.1", "2.0"] as const)("a session of v%s", (generation) => {
  test("that was closed ends the link, and takes no step any more", async () => {
    await virtually(async () => {
      const made = await session(generation);
      made.session.close();
      made.session.close();
      expect(made.connection.open).toBe(false);
      expect(made.session).toMatchObject({ state: "DISCONNECTED", open: false });
      await expect(write(made)).rejects.toMatchObject({ code: "protocol" });
    });
  });

  test("whose link fell is over, too", async () => {
    await virtually(async () => {
      const made = await session(generation);
      made.connection.close();
      expect(made.session).toMatchObject({ state: "DISCONNECTED", open: false });
    });
  });
});

test("what the tag committed last is in its hello", async () => {
  const mark = new Uint8Array(32).fill(1);
  const standing = (hello: { commits: number; mark: Bytes | null }) =>
    virtually(() => session("2.1", { hello }));
  expect((await standing({ commits: 1, mark })).session.lastCommit).toEqual({ commits: 1, mark });
  expect((await standing({ commits: 0, mark: null })).session.lastCommit).toEqual({ commits: 0 });
});

const SIGNS: Script["info"] = { caps: { suite6: true, suite3: true, statement: true, button: false } };
const CHALLENGE = new Uint8Array(16).fill(3);

describe("the tag's statement", () => {
  test("is given over a challenge while the session waits for a token, and changes nothing", async () => {
    await virtually(async () => {
      const made = await session("2.1", { info: SIGNS });
      const signed = await made.session.statement(signal, CHALLENGE);
      expect(signed?.statement).toMatchObject({
        deviceId: made.session.id,
        commits: 0,
        challenge: CHALLENGE,
      });
      expect(signed?.bytes).toEqual(
        made.connection.said.flatMap((record) => (record.kind === "statement" ? [record.statement] : []))[0],
      );
      expect(made.session.state).toBe("ESTABLISHED");
      await write(made);
    });
  });

  test("comes by itself behind COMMITTED", async () => {
    await virtually(async () => {
      const made = await session("2.1", { info: SIGNS });
      await write(made);
      const signed = await made.session.statement(signal);
      expect(signed?.statement).toMatchObject({ commits: 1, operation: "write" });
      expect(signed?.statement).not.toHaveProperty("challenge");
      expect(made.session.state).toBe("COMMITTED");
    });
  });

  test("is not asked for where the tag does not sign", async () => {
    await virtually(async () => {
      const made = await session("2.1");
      expect(await made.session.statement(signal, CHALLENGE)).toBeUndefined();
      await write(made);
      expect(await made.session.statement(signal)).toBeUndefined();
      expect(made.connection.received.map(({ kind }) => kind)).not.toContain("challenge");
      expect(made.session.open).toBe(true);
    });
  });

  test.each<[string, readonly ResponderRecord[], string]>([
    ["a refusal", [status(STATUS.STATE)], "TagError:protocol"],
    ["a hello", [hello()], "TagError:protocol"],
    ["what is no statement", [{ kind: "statement", statement: Uint8Array.of(1) }], "TagError:protocol"],
    ["nothing", [], "BluetoothError:timeout"],
  ])("answered by %s ends the session", async (_what, answers, code) => {
    const script = { ...answering("challenge", ...answers), info: SIGNS };
    const ask = async (made: Made) => void (await made.session.statement(signal, CHALLENGE));
    expect(await outcome(script, ask)).toMatchObject({ ...LOST, code });
  });

  test("is not to be had once a token was taken", async () => {
    const late = async (made: Made) => {
      await write(made);
      await made.session.statement(signal, CHALLENGE);
    };
    expect(await outcome({ info: SIGNS }, late)).toMatchObject({ ...LOST, code: "TagError:protocol" });
  });
});
