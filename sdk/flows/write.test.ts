import { describe, expect, test, vi } from "vitest";
import { STATUS } from "../../core/gatt/profile.ts";
import { frames } from "../../core/sec/framing.ts";
import type { InitiatorRecord, ResponderRecord } from "../../core/sec/records.ts";
import { Database } from "../database.ts";
import { ConfigurationError } from "../errors.ts";
import { refuse } from "../test-support/fake-service.ts";
import { scriptedScene, traces } from "../test-support/scripted-session.ts";
import { type Script, ScriptedTag } from "../test-support/scripted-tag.ts";
import type { Result } from "../types.ts";

const HONEST: Script = {};
const LAST_WORD = { "2.1": "commit", "2.0": "PAYLOAD" } as const;
const GENERATIONS = ["2.1", "2.0"] as const;

/** The link falls at what there is no way back from. */
const losing = (generation: "2.0" | "2.1", when: "before" | "after"): Script => ({
  falls: (message) => (message === LAST_WORD[generation] ? when : undefined),
});

const causeOf = (result: Result<unknown>) =>
  !result.ok && result.error.cause instanceof Error ? Reflect.get(result.error.cause, "code") : undefined;

describe.each(GENERATIONS)("a commit of GATT v%s whose answer is lost", (generation) => {
  test("and which took effect is not sent again", async () => {
    const scene = await scriptedScene(generation, [losing(generation, "after"), HONEST]);
    const result = await scene.transfer();
    expect(traces(scene, result)).toMatchObject({ outcome: "ok", commits: 1, tokens: 1, links: 2, open: 0 });
    const shown = scene.events.filter((event) => event.type === "progress" && event.phase === "display");
    expect(shown).toMatchObject([{ fraction: 1 }]);
  });

  test("and which took no effect is sent once more, with another token", async () => {
    const scene = await scriptedScene(generation, [losing(generation, "before"), HONEST]);
    const result = await scene.transfer();
    expect(traces(scene, result)).toMatchObject({
      outcome: "ok",
      commits: 1,
      tokens: 2,
      retries: ["link_lost"],
    });
  });

  test("and again is not sent a third time: nothing has changed, and the error says the link fell", async () => {
    const scene = await scriptedScene(generation, [losing(generation, "before")]);
    const result = await scene.transfer();
    expect(traces(scene, result)).toMatchObject({
      outcome: "BluetoothError:link_lost",
      commits: 0,
      tokens: 2,
      open: 0,
    });
  });

  test("is not there where the caller cancels while it is noted down: nothing is left to ask", async () => {
    const databaseName = `noted-down-${generation}`;
    const scene = await scriptedScene(generation, [HONEST], { databaseName });
    const controller = new AbortController();
    const put = Database.prototype.putEntry;
    vi.spyOn(Database.prototype, "putEntry").mockImplementationOnce(async function (
      this: Database,
      ...given
    ) {
      await put.apply(this, given);
      controller.abort();
    });
    const result = await scene.client.transferTag(scene.request, undefined, { signal: controller.signal });
    expect(result).toMatchObject({ ok: false, error: { code: "cancelled", settling: false } });
    await expect.poll(() => new Database(databaseName).entries()).toEqual([]);
    expect(scene.tag.commits).toBe(0);
  });

  test("by a tag that then is gone has an unknown outcome, and is not written again", async () => {
    const scene = await scriptedScene(generation, [losing(generation, "after"), "out of reach"]);
    const result = await scene.transfer();
    expect(traces(scene, result)).toMatchObject({
      outcome: "TagError:outcome_unknown",
      commits: 1,
      tokens: 1,
    });
    expect(causeOf(result)).toBe("out_of_reach");
    expect(await scene.client.outbox.entries()).toMatchObject([{ kind: "attach", unresolved: "written" }]);
    expect(scene.service.count("device-attachments")).toBe(0);
  });

  test("by a tag that then proves to be another has an unknown outcome", async () => {
    const scene = await scriptedScene(generation, [losing(generation, "after"), HONEST]);
    const read = scene.tag.connect.bind(scene.tag);
    let links = 0;
    scene.tag.connect = (script) => {
      const connection = read(script);
      if (links++ > 0) Object.assign(connection, { read: async () => Uint8Array.of(0x78) });
      return connection;
    };
    const result = await scene.transfer();
    expect(traces(scene, result)).toMatchObject({ outcome: "TagError:outcome_unknown", tokens: 1 });
  });

  test("and whose label is another's has an unknown outcome, and is not reported", async () => {
    const strange = new Uint8Array(32).fill(9);
    const othersCommit: Script = {
      hello: { commits: 2, mark: strange },
      status: () => ({ markPrefix: strange.slice(0, 8) }),
    };
    const scene = await scriptedScene(generation, [losing(generation, "after"), othersCommit]);
    const result = await scene.transfer();
    expect(traces(scene, result)).toMatchObject({ outcome: "TagError:outcome_unknown", tokens: 1, open: 0 });
    expect(causeOf(result)).toBe("link_lost");
    expect(scene.service.locks.size).toBe(0);
    expect(await scene.client.outbox.entries()).toEqual([]);
  });
});

test("a display that takes longer than any limit has refused nothing: what it shows stays unresolved", async () => {
  let committing = false;
  const slow: Script = {
    status: ({ state }) => {
      committing ||= state === "COMMITTED";
      return committing ? { state: "COMMITTING", code: "BUSY_DISPLAY" } : {};
    },
  };
  const scene = await scriptedScene("2.0", [slow]);
  const result = await scene.transfer();
  expect(traces(scene, result)).toMatchObject({ outcome: "TagError:outcome_unknown", commits: 1, tokens: 1 });
  expect(await scene.client.outbox.entries()).toMatchObject([{ unresolved: "written" }]);
});

test("what cannot be remembered is not written", async () => {
  const scene = await scriptedScene("2.1", [HONEST]);
  const put = vi.spyOn(Database.prototype, "putEntry");
  put.mockRejectedValueOnce(new ConfigurationError("storage_unavailable", "full"));
  const result = await scene.transfer();
  put.mockRestore();
  expect(traces(scene, result)).toMatchObject({
    outcome: "ConfigurationError:storage_unavailable",
    commits: 0,
    open: 0,
  });
});

test.each([
  ["after it took effect", true, { outcome: "ok", commits: 1, tokens: 1, links: 2 }],
  ["before it took effect", false, { outcome: "ok", commits: 1, tokens: 2, links: 2 }],
] as const)(
  "a commit that is answered in clear, %s, is asked about: an alert is anybody's",
  async (_when, takes, found) => {
    let clear = false;
    const meddled: Script = {
      answer(record, honest) {
        clear = record.kind === "commit";
        return honest;
      },
      say: (honest) => (clear ? frames("ALERT", Uint8Array.of(STATUS.DIGEST), 244) : honest),
    };
    const scene = await scriptedScene("2.1", [meddled, HONEST]);
    if (!takes)
      scene.tag.commit = () => {
        scene.tag.commit = ScriptedTag.prototype.commit;
      };
    expect(traces(scene, await scene.transfer())).toMatchObject(found);
  },
);

/** A v2.1 tag that answers the first `times` records of one kind so. */
function refusing(
  kind: InitiatorRecord["kind"],
  times: number,
  status: number,
  ...behind: readonly ResponderRecord[]
): Script {
  let left = times;
  return {
    answer: (record, honest) =>
      record.kind === kind && left-- > 0 ? [{ kind: "status", status }, ...behind] : honest,
  };
}

const HELLO: ResponderRecord = {
  kind: "hello",
  nonce: new Uint8Array(16).fill(9),
  ttl: 120,
  id: "ebt-21-0001",
  commits: 0,
  mark: null,
};

describe("a tag's own refusal", () => {
  test.each([
    [STATUS.DIGEST, "TagError:write_refused"],
    [STATUS.LOW_BATTERY, "TagError:low_battery"],
  ])("of a commit (%i) is final: it says what became of it", async (status, outcome) => {
    const scene = await scriptedScene("2.1", [refusing("commit", 9, status)]);
    const result = await scene.transfer();
    expect(traces(scene, result)).toMatchObject({ outcome, links: 1, tokens: 1, open: 0 });
  });

  test.each([
    ["TOKEN_NONCE", STATUS.TOKEN_NONCE],
    ["TOKEN_EXPIRED", STATUS.TOKEN_EXPIRED],
  ])("of a token as %s brings another, for the nonce that came with the refusal", async (_name, status) => {
    const scene = await scriptedScene("2.1", [refusing("token", 1, status, HELLO)]);
    const result = await scene.transfer();
    expect(traces(scene, result)).toMatchObject({
      outcome: "ok",
      tokens: 2,
      links: 1,
      retries: ["token_refused"],
    });
    const asked = scene.service.calls.filter(({ path }) => path.endsWith("ebt-authorizations"));
    expect(asked.at(-1)?.body.nonce).toBe("CQkJCQkJCQkJCQkJCQkJCQ");
  });

  test("of a second token is not mended again", async () => {
    const scene = await scriptedScene("2.1", [refusing("token", 2, STATUS.TOKEN_NONCE, HELLO)]);
    const result = await scene.transfer();
    expect(traces(scene, result)).toMatchObject({
      outcome: "TagError:token_refused",
      tokens: 2,
      links: 1,
      open: 0,
    });
  });

  test("of a token for any other reason is not mended at all", async () => {
    const scene = await scriptedScene("2.1", [refusing("token", 1, STATUS.TOKEN_SIG, HELLO)]);
    const result = await scene.transfer();
    expect(traces(scene, result)).toMatchObject({ outcome: "TagError:token_refused", tokens: 1, links: 1 });
  });
});

describe("the service's refusal", () => {
  const freshes = (scene: Awaited<ReturnType<typeof scriptedScene>>) =>
    scene.tag.connections.flatMap(({ received }) => received).filter(({ kind }) => kind === "fresh").length;

  test("of a nonce brings a fresh one, once", async () => {
    const scene = await scriptedScene("2.1", [HONEST]);
    scene.service.next("ebt-authorizations", refuse("invalid_nonce"));
    const result = await scene.transfer();
    expect(traces(scene, result)).toMatchObject({ outcome: "ok", tokens: 2, retries: ["stale_nonce"] });
    expect(freshes(scene)).toBe(1);
  });

  test("of a second nonce is not mended again", async () => {
    const scene = await scriptedScene("2.1", [HONEST]);
    scene.service.next("ebt-authorizations", refuse("invalid_nonce"), refuse("invalid_nonce"));
    const result = await scene.transfer();
    expect(traces(scene, result)).toMatchObject({ outcome: "ServiceError:invalid_nonce", tokens: 2 });
  });

  test("of each kind is mended once, one after the other", async () => {
    const scene = await scriptedScene("2.1", [refusing("token", 1, STATUS.TOKEN_EXPIRED, HELLO)]);
    scene.service.next("ebt-authorizations", refuse("payload_mismatch"), refuse("invalid_nonce"));
    const result = await scene.transfer();
    expect(traces(scene, result)).toMatchObject({
      outcome: "ok",
      tokens: 4,
      retries: ["journey_changed", "stale_nonce", "token_refused"],
    });
    expect(scene.service.count("/v2/journeys/j-1")).toBe(2);
    // Only the stale nonce is replaced by asking for one.
    expect(freshes(scene)).toBe(1);
  });

  test("of a label that the host made cannot be mended", async () => {
    const scene = await scriptedScene("2.1", [HONEST]);
    scene.service.next("ebt-authorizations", refuse("payload_mismatch"));
    const displayTicket = { kind: "write", licencePlate: "0117123456" } as const;
    const result = await scene.transfer({ displayTicket });
    expect(traces(scene, result)).toMatchObject({
      outcome: "ServiceError:payload_mismatch",
      tokens: 1,
      retries: [],
    });
  });

  test("of anything else is final", async () => {
    const scene = await scriptedScene("2.1", [HONEST]);
    scene.service.next("ebt-authorizations", refuse("insufficient_scope"));
    const result = await scene.transfer();
    expect(traces(scene, result)).toMatchObject({
      outcome: "ServiceError:insufficient_scope",
      tokens: 1,
      open: 0,
    });
  });

  test("of no kind, but with a token that is none, is an answer that cannot be used", async () => {
    const scene = await scriptedScene("2.1", [HONEST]);
    scene.service.next("ebt-authorizations", async () => Response.json({ transactionToken: "*" }));
    const result = await scene.transfer();
    expect(traces(scene, result)).toMatchObject({
      outcome: "ServiceError:invalid_answer",
      tokens: 1,
      commits: 0,
    });
  });
});

test("progress reports the label's bytes, then of the display, then that the tag has said COMMITTED", async () => {
  const scene = await scriptedScene("2.1", [HONEST]);
  await scene.transfer();
  const reported = scene.events.flatMap((event) => {
    if (event.type === "progress") return [`${event.fraction} of ${event.phase}`];
    return event.type === "started" && event.phase === "display" ? ["display"] : [];
  });
  expect(reported).toEqual(["1 of write", "display", "1 of display"]);
});

test.each([
  [30_000, false],
  [30_001, true],
])("a nonce that is %d ms old is replaced before it is signed: %s", async (milliseconds, replaced) => {
  const scene = await scriptedScene("2.1", [HONEST]);
  const pass = (time: number) => new Promise((resolve) => setTimeout(resolve, time));
  // Ages are distinct from moments.
  scene.service.next("guest/sessions", async (_call, answer) => pass(5_000).then(answer));
  scene.service.lockToStranger(scene.request.uniqueDeviceId);
  const custodyProofCollector = {
    async collect() {
      await pass(milliseconds);
      return { recordLocator: "ABC123", surname: "LOVELACE" };
    },
  };
  expect(traces(scene, await scene.transfer({ custodyProofCollector })).outcome).toBe("ok");
  const received = scene.tag.connections.flatMap((connection) => connection.received.map(({ kind }) => kind));
  expect(received.includes("fresh")).toBe(replaced);
});
