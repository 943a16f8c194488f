import { describe, expect, test } from "vitest";
import { type FrameType, STATUS } from "../../core/gatt/profile.ts";
import { frames } from "../../core/sec/framing.ts";
import { decodeMessage1 } from "../../core/sec/messages.ts";
import { certificateHash } from "../../core/sec/statement.ts";
import type { SuiteId } from "../../core/sec/suites.ts";
import {
  scriptedTag,
  secure,
  securedWith,
  session,
  troupe,
  virtually,
} from "../test-support/scripted-session.ts";
import type { Script, ScriptedTag } from "../test-support/scripted-tag.ts";
import type { SecureOptions } from "./v21.ts";

const refused = (script: Script, options: Partial<SecureOptions> = {}) => securedWith("2.1", script, options);

/** The suites of every message_1, as they were offered. */
const offered = (tag: ScriptedTag) =>
  tag.connections.flatMap(({ messages }) =>
    messages.flatMap(({ type, message }) =>
      type === "EDHOC" && message[0] === 0 ? [decodeMessage1(message).suitesI] : [],
    ),
  );

const silent: Script = { say: () => [] };
/** One message in place of each of the tag's. */
const instead = (type: FrameType, ...message: readonly number[]): Script => ({
  say: () => frames(type, Uint8Array.from(message), 244),
});

describe("a handshake", () => {
  test("ends with what the tag said of itself, and the tag's end of the same channel", async () => {
    const made = await virtually(() => session("2.1"));
    const { tag, connection } = made;
    expect(made.session).toMatchObject({
      id: "ebt-21-0001",
      generation: "2.1",
      state: "ESTABLISHED",
      open: true,
      certificate: tag.options.credential?.chain[0],
      channelBinding: connection.channel?.channelBinding,
      nonce: { value: connection.said[0]?.kind === "hello" && connection.said[0].nonce },
    });
    expect(made.session.lastCommit).toEqual({ commits: 0 });
  });

  test("asks who the tag is by its chain and the id it read", async () => {
    const asked: unknown[] = [];
    const verifyTag: SecureOptions["verifyTag"] = async (chain, id) => {
      asked.push(chain, id);
      throw new Error("enough");
    };
    const { tag } = await troupe();
    expect(await refused({}, { verifyTag })).toMatchObject({
      outcome: "TagError:untrusted_tag",
      open: false,
    });
    expect(asked).toEqual([tag.chain, "ebt-21-0001"]);
  });

  test("sends the leaf alone to a tag that knows the intermediate, and all of it to any other", async () => {
    const { client } = await troupe();
    const [leaf, intermediate] = client.chain as [Uint8Array<ArrayBuffer>, Uint8Array<ArrayBuffer>];
    const own = await certificateHash(intermediate);
    const length = async (info: NonNullable<Script["info"]>, options: Partial<SecureOptions> = {}) => {
      const tag = await scriptedTag("2.1");
      const connection = tag.connect({ info });
      await virtually(() => secure(tag, connection, options).catch(() => undefined));
      return connection.messages[1]?.message.length ?? 0;
    };
    const short = await length({ intermediate: own });
    expect(short).toBeLessThan(leaf.length + 100);
    const whole = await length({});
    expect(whole).toBeGreaterThan(leaf.length + intermediate.length);
    expect(await length({ intermediate: own.map((byte, i) => byte ^ (i === 7 ? 1 : 0)) })).toBe(whole);
    // What is recorded must be verifiable by itself.
    expect(await length({ intermediate: own }, { onHandshake: () => undefined })).toBe(whole);
  });

  test("with a hello of another tag is a wrong tag, and its connection is closed", async () => {
    expect(await refused({ hello: { id: "ebt-21-0002" } })).toMatchObject({
      outcome: "TagError:wrong_tag",
      open: false,
    });
  });

  test.each<[string, Script, string]>([
    ["an alert", instead("ALERT", STATUS.BUSY), "TagError:tag_busy"],
    ["EDHOC error 1", instead("EDHOC_ERROR", 1, 0x60), "TagError:client_refused"],
    ["half a message", { say: (frames) => frames.slice(1) }, "TagError:protocol"],
    ["a record before keys", instead("APP", 16), "TagError:protocol"],
    ["other bytes than message_2", instead("EDHOC", 1), "TagError:secure_session_failed"],
  ])("that is answered by %s is given up, and its connection closed", async (_what, script, outcome) => {
    expect(await refused(script)).toMatchObject({ outcome, open: false });
  });

  test("is given up once the tag has had nothing to say for more than 20 s", async () => {
    expect(await refused(silent)).toEqual({ outcome: "BluetoothError:timeout", open: false, at: 25_000 });
  });

  test("whose hello never comes is given up as well", async () => {
    const mute: Script = { say: (frames, type) => (type === "APP" ? [] : frames) };
    expect(await refused(mute)).toMatchObject({ outcome: "BluetoothError:timeout", at: 25_000 });
  });

  test("is bound to INFO as it was read", async () => {
    const tag = await scriptedTag("2.1");
    let frame = 244;
    const changing: Script = {
      get info() {
        return { frame: frame-- };
      },
    };
    const outcome = virtually(() => secure(tag, tag.connect(changing)));
    await expect(outcome).rejects.toMatchObject({ code: "secure_session_failed" });
  });
});

describe("the suite of a handshake", () => {
  const only = (...suites: SuiteId[]): Script => ({ suites });

  test("is our first choice where the tag has it", async () => {
    const { tag } = await virtually(() => session("2.1"));
    expect(offered(tag)).toEqual([[6]]);
  });

  test("is what the tag has where it lacks our first, and it is reported once", async () => {
    const tag = await scriptedTag("2.1");
    const reported: (readonly number[])[] = [];
    await virtually(() => secure(tag, tag.connect(only(3)), { onSuites: (suites) => reported.push(suites) }));
    expect(offered(tag)).toEqual([[6], [6, 3]]);
    expect(reported).toEqual([[3]]);
  });

  test("is what the tag was known to have", async () => {
    const tag = await scriptedTag("2.1");
    await virtually(() => secure(tag, tag.connect(only(3)), { knownSuites: [3] }));
    expect(offered(tag)).toEqual([[6, 3]]);
  });

  test("is our first again where the tag has that instead of what it was known to have", async () => {
    const tag = await scriptedTag("2.1");
    await virtually(() => secure(tag, tag.connect(only(6)), { knownSuites: [3] }));
    expect(offered(tag)).toEqual([[6, 3], [6]]);
  });

  test("is refused for good where there is none in common, and no suite to ask for is reported", async () => {
    const reported: unknown[] = [];
    // EDHOC error 2: SUITES_R = 0.
    const foreign = instead("EDHOC_ERROR", 2, 0);
    const onSuites = (suites: readonly number[]) => reported.push(suites);
    expect(await refused(foreign, { onSuites })).toMatchObject({
      outcome: "TagError:secure_session_failed",
      open: false,
    });
    expect(reported).toEqual([]);
  });

  test("is asked for once each, even of a tag that names them again and again", async () => {
    const tag = await scriptedTag("2.1");
    const parrot = instead("EDHOC_ERROR", 2, 0x82, 6, 3);
    const outcome = virtually(() => secure(tag, tag.connect(parrot)));
    await expect(outcome).rejects.toMatchObject({ code: "secure_session_failed" });
    expect(offered(tag).length).toBeLessThanOrEqual(2);
  });
});
