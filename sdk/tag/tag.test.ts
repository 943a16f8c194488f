import { afterEach, describe, expect, test, vi } from "vitest";
import { type Bytes, utf8 } from "../../core/encoding/bytes.ts";
import { PROFILE, type TagState } from "../../core/gatt/profile.ts";
import { encodeInfo, encodeStatus } from "../../core/gatt/values.ts";
import { X25519 } from "../../core/sec/ecdh.ts";
import { neverCancelled } from "../abort.ts";
import { scriptedTag, secure, virtually } from "../test-support/scripted-session.ts";
import type { TagConnection } from "./link.ts";
import { outcomeOf } from "./secured-tag.ts";
import { decoded, openTag, readStatus, sameDevice, settledStatus } from "./tag.ts";
import type { SecureOptions } from "./v21.ts";

const { INFO, ID, STATUS, CERT, NONCE, AUTH, SEC, DATA } = PROFILE.characteristics;
const V20 = [CERT, NONCE, AUTH, DATA];
const V21 = [...V20, SEC];

interface Said {
  readonly versionMin?: number;
  readonly versionMax?: number;
  readonly states?: readonly TagState[];
  readonly characteristics?: readonly { readonly uuid: string }[];
  readonly info?: Bytes;
}

/** A connection to a tag that answers INFO, ID and STATUS as given. */
function connectionOf({
  versionMin = 20,
  versionMax = 21,
  states = ["CONNECTED"],
  ...said
}: Said): TagConnection {
  const left = [...states];
  const state = () => (left.length > 1 ? left.shift() : left[0]) ?? "CONNECTED";
  const info = () =>
    encodeInfo({
      versionMax,
      versionMin,
      caps: { suite6: true, suite3: false, statement: false, button: false },
      frame: 244,
      maxMessage: 2048,
      state: left[0] ?? "CONNECTED",
      flags: { lowBattery: false, displayBlank: true },
      battery: 50,
    });
  const status = () =>
    encodeStatus({
      state: state(),
      code: "OK",
      detail: 0,
      battery: 50,
      display: "BLANK",
      markPrefix: new Uint8Array(8),
    });
  return {
    open: true,
    openedAt: performance.now(),
    has: (uuid) => (said.characteristics ?? V21).some((each) => each.uuid === uuid),
    properties: () => undefined,
    async read(uuid) {
      if (uuid === INFO.uuid) return said.info ?? info();
      if (uuid === ID.uuid) return utf8("ebt-21-0001");
      if (uuid === STATUS.uuid) return status();
      throw new Error("not read at this point");
    },
    write: () => Promise.reject(new Error("nothing is written at this point")),
    close: () => undefined,
  };
}

const open = (said: Said) => openTag(connectionOf(said), new AbortController().signal);

describe("the generation of a tag", () => {
  test("is 2.1 when INFO says so and SEC is there", async () => {
    expect(await open({})).toMatchObject({ generation: "2.1", id: "ebt-21-0001" });
  });

  test("is 2.1 when the tag no longer speaks 2.0", async () => {
    expect(await open({ versionMin: 21 })).toMatchObject({ generation: "2.1" });
  });

  test("is 2.1 where nothing of 2.0 is there", async () => {
    expect(await open({ characteristics: [SEC, DATA] })).toMatchObject({ generation: "2.1" });
  });

  test("is 2.0 when INFO says so and there is no SEC", async () => {
    expect(await open({ versionMax: 20, characteristics: V20 })).toMatchObject({ generation: "2.0" });
  });

  test.each<[string, Said]>([
    ["INFO says 2.0 where SEC is there", { versionMax: 20 }],
    ["INFO says 2.1 where DATA is missing", { characteristics: [CERT, NONCE, AUTH, SEC] }],
    ["INFO says 2.0 where CERT is missing", { versionMax: 20, characteristics: [NONCE, AUTH, DATA] }],
    ["INFO says 2.0 where NONCE is missing", { versionMax: 20, characteristics: [CERT, AUTH, DATA] }],
    ["INFO says 2.0 where AUTH is missing", { versionMax: 20, characteristics: [CERT, NONCE, DATA] }],
    ["INFO says 2.0 where DATA is missing", { versionMax: 20, characteristics: [CERT, NONCE, AUTH] }],
    ["the tag speaks only what we do not", { versionMin: 22, versionMax: 30 }],
    [
      "the tag speaks only what we do not, and SEC is missing",
      { versionMin: 22, versionMax: 30, characteristics: V20 },
    ],
    ["the tag is older than 2.0", { versionMin: 10, versionMax: 19, characteristics: V20 }],
  ])("is refused when %s", async (_what, said) => {
    await expect(open(said)).rejects.toMatchObject({ name: "TagError", code: "generation_refused" });
  });
});

test("a tag of 2.1 in a table without SEC is known by that of its 2.0", async () => {
  await expect(open({ characteristics: V20 })).rejects.toMatchObject({
    name: "TagError",
    code: "outdated_table",
  });
});

describe("a connected tag", () => {
  test("is waited for while its display works on an earlier commit", async () => {
    expect(await open({ states: ["COMMITTING", "COMMITTING", "CONNECTED"] })).toMatchObject({
      info: { state: "CONNECTED" },
    });
  });

  test("that has locked itself says so", async () => {
    await expect(open({ states: ["LOCKOUT"] })).rejects.toMatchObject({ code: "lockout", status: "LOCKOUT" });
  });

  test("that says something no profile knows is refused", async () => {
    await expect(open({ info: new Uint8Array(9) })).rejects.toMatchObject({ code: "protocol" });
  });
});

const signal = neverCancelled();

test("a display that works on and on is given up after a minute: the tag is busy", async () => {
  const connection = (await scriptedTag("2.1")).connect({ status: () => ({ state: "COMMITTING" }) });
  await virtually(async () => {
    await expect(settledStatus(connection, signal)).rejects.toMatchObject({
      code: "tag_busy",
      status: "BUSY_DISPLAY",
    });
    expect(performance.now()).toBe(60_250);
  });
});

describe("STATUS", () => {
  /** A tag that withholds it so many times, 5 s each or as given. */
  async function withheld(times: number, milliseconds = 5_000): Promise<TagConnection> {
    const connection = (await scriptedTag("2.1")).connect();
    let left = times;
    return {
      ...connectionOf({}),
      async read(uuid) {
        if (left-- <= 0) return connection.read(uuid, signal);
        await new Promise((resolve) => setTimeout(resolve, milliseconds));
        return new Uint8Array();
      },
    };
  }

  test("is read again where the tag withholds it", async () => {
    expect((await virtually(async () => readStatus(await withheld(12), signal))).state).toBe("CONNECTED");
  });

  test("withheld for more than a minute is outside the protocol", async () => {
    const reading = virtually(async () => readStatus(await withheld(13), signal));
    await expect(reading).rejects.toMatchObject({ code: "protocol" });
  });

  test("is given up with the first reading that ends after a minute", async () => {
    await virtually(async () => {
      await expect(readStatus(await withheld(100, 60_001), signal)).rejects.toMatchObject({
        code: "protocol",
      });
      expect(performance.now()).toBe(60_001);
    });
  });

  test("is read again where it is empty alone: one byte is a wrong value", async () => {
    const read = vi.fn(async () => new Uint8Array(1));
    await expect(readStatus({ ...connectionOf({}), read }, signal)).rejects.toMatchObject({
      code: "protocol",
    });
    expect(read).toHaveBeenCalledOnce();
  });
});

test.each([
  ["EBT-21-0001", " ebt-21-0001 ", true],
  ["caf\u00e9", "cafe\u0301", true],
  ["ebt-21-0001", "ebt-21-0002", false],
])("%s and %s are the same device: %s", (a, b, same) => {
  expect(sameDevice(a, b)).toBe(same);
});

test("a value that its codec refuses is the tag's fault, with the codec's reason", () => {
  const cause = new TypeError("any");
  const refuse = () => {
    throw cause;
  };
  expect(() => decoded(refuse, new Uint8Array())).toThrow(
    expect.objectContaining({ code: "protocol", cause }),
  );
});

const whole = (fill: number) => new Uint8Array(32).fill(fill);
const prefix = (fill: number) => new Uint8Array(8).fill(fill);
const OURS = whole(1);

describe("what became of an earlier commit", () => {
  test.each([
    ["nothing, where the count is what it was", { commits: 4, mark: whole(2) }, "unchanged"],
    ["it took effect, where there is one more and its mark is ours", { commits: 5, mark: OURS }, "committed"],
    ["unknown where there is one more and it is another", { commits: 5, mark: whole(2) }, "unknown"],
    ["unknown where there is one more and the tag names none", { commits: 5 }, "unknown"],
    ["unknown where there are two more", { commits: 6, mark: OURS }, "unknown"],
    ["unknown where there are fewer", { commits: 3, mark: OURS }, "unknown"],
  ] as const)("is said by a v2.1 tag: %s", (_what, now, said) => {
    expect(outcomeOf(now, OURS, { commits: 4, mark: whole(2) })).toBe(said);
  });

  test("is known of a v2.1 tag that had never shown anything", () => {
    expect(outcomeOf({ commits: 1, mark: OURS }, OURS, { commits: 0 })).toBe("committed");
    expect(outcomeOf({ commits: 1, mark: OURS }, OURS, {})).toBe("committed");
  });

  test.each([
    ["ours, where the tag names it", { mark: prefix(1) }, { mark: prefix(2) }, "committed"],
    ["ours, where it had shown nothing", { mark: prefix(1) }, {}, "committed"],
    ["nothing, where it names what it named before", { mark: prefix(2) }, { mark: prefix(2) }, "unchanged"],
    ["nothing, where it has never shown anything", {}, {}, "unchanged"],
    ["unknown, where it names a third", { mark: prefix(3) }, { mark: prefix(2) }, "unknown"],
    ["unknown, where it has forgotten what it named", {}, { mark: prefix(2) }, "unknown"],
  ])("is %s, on v2.0", (_what, now, before, said) => {
    expect(outcomeOf(now, OURS, before)).toBe(said);
  });
});

afterEach(() => vi.restoreAllMocks());

/** How many private keys of known bytes one handshake makes. */
async function knownKeys(options: Partial<SecureOptions>): Promise<number> {
  const fromPrivate = vi.spyOn(X25519, "fromPrivate");
  const tag = await scriptedTag("2.1");
  await virtually(() => secure(tag, tag.connect({}), options));
  return fromPrivate.mock.calls.length;
}

test("a handshake's key stays secret, unless the handshake is recorded", async () => {
  expect(await knownKeys({})).toBe(0);
});

test("a recorded handshake is reported with the key that opens it", async () => {
  const reported: Readonly<Record<string, string>>[] = [];
  expect(await knownKeys({ onHandshake: (values) => reported.push(values) })).toBe(1);
  expect(reported).toEqual([expect.objectContaining({ X_priv: expect.stringMatching(/^[0-9a-f]{64}$/) })]);
});
