// @vitest-environment node
import { describe, expect, test } from "vitest";
import { type Bytes, utf8 } from "../../../core/bytes.ts";
import { PROFILE, type TagState } from "../../../core/gatt/profile.ts";
import { encodeInfo, encodeStatus } from "../../../core/gatt/values.ts";
import type { TagConnection } from "./link.ts";
import { openTag } from "./tag.ts";

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

/** A connection to a tag that answers INFO, ID and STATUS as told. */
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
      caps: { suite6: true, suite3: false, receipt: false },
      frame: 244,
      maxMessage: 2048,
      state: left[0] ?? "CONNECTED",
      flags: { lowBattery: false, displayBlank: true },
    });
  const status = () =>
    encodeStatus({
      state: state(),
      code: "OK",
      detail: 0,
      battery: 50,
      display: "BLANK",
      digestPrefix: new Uint8Array(8),
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

  test("is 2.0 when INFO says so and there is no SEC", async () => {
    expect(await open({ versionMax: 20, characteristics: V20 })).toMatchObject({ generation: "2.0" });
  });

  test.each<[string, Said]>([
    ["INFO says 2.0 where SEC is there", { versionMax: 20 }],
    ["INFO says 2.1 where SEC is missing", { characteristics: V20 }],
    ["INFO says 2.0 where AUTH is missing", { versionMax: 20, characteristics: [CERT, NONCE, DATA] }],
    ["the tag speaks only what we do not", { versionMin: 22, versionMax: 30 }],
    ["the tag is older than 2.0", { versionMin: 10, versionMax: 19, characteristics: V20 }],
  ])("is refused when %s", async (_what, said) => {
    await expect(open(said)).rejects.toMatchObject({ name: "TagError", code: "generation_refused" });
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
