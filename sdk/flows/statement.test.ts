import { describe, expect, test } from "vitest";
import { fromBase64Url, toBase64 } from "../../core/encoding/bytes.ts";
import { decodeStatement } from "../../core/sec/statement.ts";
import { decodeToken } from "../../core/sec/token.ts";
import type { Interference } from "../test-support/fake-service.ts";
import {
  collectorOf,
  outcomeOf,
  RIGHT,
  type Scene,
  type SceneOptions,
  scene,
  valueIn,
} from "../test-support/scene.ts";

const bodyOf = ({ service }: Scene, path: string) =>
  service.calls.findLast((call) => call.path.endsWith(path))?.body;

/** Keeps the cti of the token that the service gives next. */
function watchedCti({ service }: Scene): { cti: string | undefined } {
  const seen: { cti: string | undefined } = { cti: undefined };
  service.next("ebt-authorizations", async (_call, answer) => {
    const response = await answer();
    const { transactionToken } = (await response.clone().json()) as { transactionToken: string };
    seen.cti = toBase64(decodeToken(fromBase64Url(transactionToken)).claims.cti);
    return response;
  });
  return seen;
}

const standard = (text: string) => toBase64(fromBase64Url(text));

describe("the tag's receipt", () => {
  test("goes with the attachment, beside the token's cti and the tag's certificate", async () => {
    const here = await scene();
    const token = watchedCti(here);
    const result = valueIn(await here.client.transferTag(here.request));
    expect(result).toMatchObject({ pendingRetry: false, confirmedByTag: true });
    const { cti, tagStatement, tagCertificate } = bodyOf(here, "device-attachments");
    expect(standard(cti)).toBe(token.cti);
    expect(tagCertificate).toEqual(expect.any(String));
    const { statement } = decodeStatement(fromBase64Url(tagStatement));
    expect(statement).toMatchObject({ operation: "write", commits: 1, cti: fromBase64Url(cti) });
    expect(statement).not.toHaveProperty("challenge");
  });

  test("goes with the unlock after a clear, with the bag where the host names it", async () => {
    const here = await scene();
    valueIn(await here.client.transferTag(here.request));
    const token = watchedCti(here);
    const result = valueIn(await here.client.clearTag({ ...here.picked, baggageId: 3 }));
    expect(result.confirmedByTag).toBe(true);
    const body = bodyOf(here, "ebt-unlocks");
    expect(standard(body.cti)).toBe(token.cti);
    expect(body.forBaggageId).toBe(3);
    expect(decodeStatement(fromBase64Url(body.tagStatement)).statement).toMatchObject({
      operation: "clear",
      commits: 2,
    });
  });

  test.each<[string, SceneOptions]>([
    ["a v2.1 tag that does not sign", { tag: { signs: false } }],
    ["a v2.0 tag", { generation: "2.0" }],
  ])("is not there from %s, which is written all the same", async (_what, options) => {
    const here = await scene(options);
    const result = valueIn(await here.client.transferTag(here.request));
    expect(result).toMatchObject({ pendingRetry: false, confirmedByTag: false });
    const body = bodyOf(here, "device-attachments");
    expect(body).toMatchObject({ cti: expect.stringMatching(/^[\w-]{11}$/) });
    expect(body).not.toHaveProperty("tagStatement");
  });

  test("may be lost with the link: the write is no less done", async () => {
    const here = await scene();
    here.tag.observe((event) => {
      if (event.type === "record" && event.name === "statement") here.tag.disconnect();
    });
    const result = valueIn(await here.client.transferTag(here.request));
    expect(result).toMatchObject({ pendingRetry: false, confirmedByTag: false });
    expect(bodyOf(here, "device-attachments")).not.toHaveProperty("tagStatement");
    expect(here.service.locks.size).toBe(1);
  });

  test("is asked for on a new link where that of the commit fell", async () => {
    const here = await scene();
    let fallen = false;
    here.tag.observe((event) => {
      if (event.type !== "state" || event.to !== "COMMITTED" || fallen) return;
      fallen = true;
      here.tag.disconnect();
    });
    const result = valueIn(await here.client.transferTag(here.request));
    expect(result).toMatchObject({ pendingRetry: false, confirmedByTag: true });
    const { tagStatement } = bodyOf(here, "device-attachments");
    const { statement } = decodeStatement(fromBase64Url(tagStatement));
    expect(statement).toMatchObject({ commits: 1, challenge: expect.any(Uint8Array) });
  });
});

describe("the bag that is meant", () => {
  test("is named where the tag is looked up, and where the token is asked for with the tag's certificate", async () => {
    const here = await scene();
    valueIn(
      await here.client.transferTag({
        ...here.request,
        displayTicket: { kind: "write", licencePlate: "0117123456" },
      }),
    );
    const tagCertificate = expect.any(String);
    expect(bodyOf(here, "ebt-lookups")).toMatchObject({ forBaggageId: 3 });
    const asked = bodyOf(here, "ebt-authorizations");
    expect(asked).toMatchObject({ forBaggageId: 3, tagCertificate });
    // The host's own label is not to be compared with the bag's.
    expect(asked).not.toHaveProperty("baggageId");
  });
});

/** A tag with another's label, and another's lock that the service may end by the tag's statement. */
async function lockedScene(ends: boolean, options: SceneOptions = {}): Promise<Scene> {
  const here = await scene(options);
  here.service.lockToStranger(here.picked.uniqueDeviceId);
  here.service.endsLock = () => ends;
  return here;
}

const asked = ({ tag }: Scene) => {
  const seen: string[] = [];
  tag.observe((event) => {
    if (event.type === "record" && event.direction === "in") seen.push(event.name);
  });
  return () => seen.filter((name) => name === "challenge").length;
};

describe("a lock that the tag's statement ends", () => {
  test("is nothing the person is asked about", async () => {
    const here = await lockedScene(true);
    const collector = collectorOf(RIGHT);
    valueIn(await here.client.transferTag(here.request, collector));
    expect(collector.prompts).toHaveLength(0);
    const { tagStatement } = bodyOf(here, "ebt-authorizations");
    expect(decodeStatement(fromBase64Url(tagStatement)).statement).toMatchObject({
      commits: 0,
      challenge: new Uint8Array(16).fill(6),
    });
    expect(here.service.count("custody-proofs")).toBe(0);
    expect(here.service.locks.get(here.picked.uniqueDeviceId)?.baggageId).toBe(3);
  });

  test("is nothing that hinders a clear", async () => {
    const here = await lockedScene(true);
    expect(outcomeOf(await here.client.clearTag(here.picked))).toBe("ok");
    expect(here.service.locks.size).toBe(0);
  });

  test("is ended on a new link where the first fell at the challenge", async () => {
    const here = await lockedScene(true);
    let fallen = false;
    here.tag.observe((event) => {
      if (event.type !== "record" || event.name !== "challenge" || fallen) return;
      fallen = true;
      here.tag.disconnect();
    });
    const collector = collectorOf(RIGHT);
    valueIn(await here.client.transferTag(here.request, collector));
    expect(collector.prompts).toHaveLength(0);
  });
});

describe("a lock that stands", () => {
  test("asks the person after the tag, once", async () => {
    const here = await lockedScene(false);
    const challenges = asked(here);
    const collector = collectorOf(RIGHT);
    valueIn(await here.client.transferTag(here.request, collector));
    expect(collector.prompts).toHaveLength(1);
    expect(challenges()).toBe(1);
    expect(here.service.count("ebt-authorizations")).toBe(2);
    expect(bodyOf(here, "ebt-authorizations")).not.toHaveProperty("tagStatement");
  });

  test.each<[string, SceneOptions, locked: "before" | "after"]>([
    ["a v2.1 tag whose statement was not enough", {}, "before"],
    ["a v2.1 tag that does not sign", { tag: { signs: false } }, "before"],
    ["a v2.0 tag", { generation: "2.0" }, "before"],
    ["a v2.1 tag that was locked since the look-up", {}, "after"],
    ["a v2.0 tag that was locked since the look-up", { generation: "2.0" }, "after"],
  ])("is reported as the step proof around the collector: %s", async (_, options, locked) => {
    const here = locked === "before" ? await lockedScene(false, options) : await scene(options);
    const lock: Interference = (_call, answer) => {
      here.service.lockToStranger(here.picked.uniqueDeviceId);
      return answer();
    };
    if (locked === "after") here.service.next("ebt-authorizations", lock);
    const during: unknown[] = [];
    const collect = async () => {
      during.push(here.events.findLast(({ type }) => type === "started" || type === "done"));
      return RIGHT;
    };
    valueIn(await here.client.transferTag(here.request, { collect }, { onProgress: here.onProgress }));
    expect(during).toMatchObject([{ type: "started", phase: "proof" }]);
    const steps = here.events.flatMap((event) => (event.type === "started" ? [event.phase] : []));
    expect(steps.slice(steps.indexOf("proof"))).toEqual(["proof", "authorize", "write", "display", "attach"]);
  });

  test("made again after the person's proof is final: no endless questions", async () => {
    const here = await lockedScene(false);
    const again: Interference = async (_call, answer) => {
      const response = await answer();
      here.service.lockToStranger(here.picked.uniqueDeviceId);
      return response;
    };
    here.service.next("custody-proofs", again, again, again);
    const collector = collectorOf(RIGHT, RIGHT, RIGHT);
    expect(outcomeOf(await here.client.transferTag(here.request, collector))).toBe(
      "ServiceError:custody_proof_required",
    );
    expect(collector.prompts).toHaveLength(1);
  });

  test("asks the person at once where the tag does not sign", async () => {
    const here = await lockedScene(true, { tag: { signs: false } });
    const challenges = asked(here);
    const collector = collectorOf(RIGHT);
    valueIn(await here.client.transferTag(here.request, collector));
    expect([collector.prompts.length, challenges()]).toEqual([1, 0]);
    expect(here.service.count("ebt-authorizations")).toBe(1);
  });

  test("of a tag that was reported lost is not the tag's to end", async () => {
    const here = await lockedScene(true);
    const { uniqueDeviceId } = here.picked;
    const lock = here.service.locks.get(uniqueDeviceId);
    if (lock) here.service.locks.set(uniqueDeviceId, { ...lock, lost: true });
    const challenges = asked(here);
    expect(outcomeOf(await here.client.transferTag(here.request))).toBe("ServiceError:device_lost");
    expect(outcomeOf(await here.client.clearTag(here.picked))).toBe("ServiceError:custody_proof_required");
    expect(challenges()).toBe(0);
  });

  test("over a challenge that is none is the service's failure, and no person is asked", async () => {
    const here = await lockedScene(true);
    const garbled: Interference = async (_call, answer) => {
      const seen = (await (await answer()).json()) as object;
      return Response.json({ ...seen, tagChallenge: "not base64url" });
    };
    here.service.next("ebt-lookups", garbled, garbled);
    const collector = collectorOf(RIGHT);
    expect(outcomeOf(await here.client.transferTag(here.request, collector))).toBe(
      "ServiceError:invalid_answer",
    );
    expect(collector.prompts).toHaveLength(0);
  });

  test("refuses a clear as before", async () => {
    const here = await lockedScene(false);
    expect(outcomeOf(await here.client.clearTag(here.picked))).toBe("ServiceError:custody_proof_required");
    expect(here.tag.snapshot().commits).toBe(0);
  });
});
