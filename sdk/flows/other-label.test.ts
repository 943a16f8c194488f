import { describe, expect, test } from "vitest";
import { refuse, unreachable } from "../test-support/fake-service.ts";
import { outcomeOf, type Scene, scene, valueIn } from "../test-support/scene.ts";
import type { OnOtherLabel, OutboxEntry } from "../types.ts";
import { isOthers } from "./custody.ts";

/** Another passenger has written the tag, and the service does not know of it yet. */
async function writtenByAnother(generation: "2.0" | "2.1"): Promise<Scene> {
  const here = await scene({ generation });
  const other = here.another();
  await other.pickTag();
  valueIn(
    await other.transferTag({
      ...here.request,
      displayTicket: { kind: "write", licencePlate: "0117999999" },
    }),
  );
  here.service.locks.clear();
  here.service.lastCommit = "other";
  return here;
}

const plateOn = ({ tag }: Scene) => tag.snapshot().display.content?.licencePlate;

/** Answers `answer`, and counts how often it was asked. */
function asking(answer: "replace" | "keep") {
  const asked: string[] = [];
  const onOtherLabel: OnOtherLabel = async ({ device }) => {
    asked.push(device.uniqueDeviceId);
    return answer;
  };
  return { asked, onOtherLabel };
}

describe.each(["2.0", "2.1"] as const)("a v%s tag that shows another person's label", (generation) => {
  test("keeps it for who says so, and nothing is written", async () => {
    const here = await writtenByAnother(generation);
    const { asked, onOtherLabel } = asking("keep");
    const result = await here.client.transferTag({ ...here.request, onOtherLabel });
    expect(outcomeOf(result)).toBe("OtherLabelError:tag_shows_other_label");
    expect(asked).toEqual([here.picked.uniqueDeviceId]);
    expect(plateOn(here)).toBe("0117999999");
    expect(await here.client.outbox.entries()).toEqual([]);
  });

  test("is written for who says so, asked once", async () => {
    const here = await writtenByAnother(generation);
    const { asked, onOtherLabel } = asking("replace");
    const result = valueIn(await here.client.transferTag({ ...here.request, onOtherLabel }));
    expect(result).toMatchObject({ pendingRetry: false, replacedOtherLabel: true });
    expect(asked).toHaveLength(1);
    expect(plateOn(here)).toBe("0220654321");
  });

  test("asks by the configuration's question", async () => {
    const here = await writtenByAnother(generation);
    const { asked, onOtherLabel } = asking("keep");
    const client = here.another({ onOtherLabel });
    await client.pickTag();
    expect(outcomeOf(await client.transferTag(here.request))).toMatch("OtherLabelError");
    expect(asked).toHaveLength(1);
  });

  test("is written without a question where the host has none, and the result says so", async () => {
    const here = await writtenByAnother(generation);
    const result = valueIn(await here.client.transferTag(here.request));
    expect(result.replacedOtherLabel).toBe(true);
    expect(plateOn(here)).toBe("0220654321");
  });

  test("ends as cancelled where the person cancels at the question", async () => {
    const here = await writtenByAnother(generation);
    const given = new AbortController();
    const onOtherLabel: OnOtherLabel = () => {
      given.abort();
      return new Promise(() => undefined);
    };
    const result = await here.client.transferTag({ ...here.request, onOtherLabel }, undefined, {
      signal: given.signal,
    });
    expect(outcomeOf(result)).toMatch("cancelled");
    expect(plateOn(here)).toBe("0117999999");
  });
});

test("a slow answer costs the link, not the write", async () => {
  const here = await writtenByAnother("2.1");
  const onOtherLabel: OnOtherLabel = async (): Promise<"replace"> => {
    here.tag.disconnect();
    return "replace";
  };
  valueIn(await here.client.transferTag({ ...here.request, onOtherLabel }));
  expect(plateOn(here)).toBe("0220654321");
});

describe("no question is asked", () => {
  const never: OnOtherLabel = () => {
    throw new Error("asked");
  };

  test.each(["2.0", "2.1"] as const)("of a blank tag (v%s), which states nothing", async (generation) => {
    const here = await scene({ generation });
    valueIn(await here.client.transferTag({ ...here.request, onOtherLabel: never }));
    const asked = here.service.calls.find(({ path }) => path.endsWith("ebt-authorizations"));
    expect(asked?.body).not.toHaveProperty("tagStatement");
  });

  test.each<[string, "2.0" | "2.1", (here: Scene) => unknown]>([
    ["that states one's own write", "2.1", ({ service }) => Object.assign(service, { lastCommit: "own" })],
    [
      "of which the service cannot say",
      "2.1",
      ({ service }) => Object.assign(service, { lastCommit: undefined }),
    ],
    [
      "of v2.0 whose last lock was one's own",
      "2.0",
      ({ service }) => Object.assign(service, { hasEnded: true }),
    ],
    [
      "of v2.0 with one's own lock",
      "2.0",
      ({ client, request }) => client.transferTag(request).then(valueIn),
    ],
  ])("of a tag %s", async (_what, generation, prepare) => {
    const here = await writtenByAnother(generation);
    await prepare(here);
    const result = valueIn(await here.client.transferTag({ ...here.request, onOtherLabel: never }));
    expect(result).not.toHaveProperty("replacedOtherLabel");
  });

  test("for a clear", async () => {
    const here = await writtenByAnother("2.1");
    const client = here.another({ onOtherLabel: never });
    await client.pickTag();
    valueIn(await client.clearTag(here.request));
  });
});

describe("whether a free tag may show another's label", () => {
  const entry = (more: Partial<OutboxEntry>): OutboxEntry => ({
    ...{ id: "e", kind: "attach", uniqueDeviceId: "tag", baggageId: 3, createdAt: 0, tries: 0 },
    ...more,
  });
  const BLANK = { shows: false, signs: false };
  const LABEL = { shows: true, signs: false };
  test.each<[string, Parameters<typeof isOthers>, boolean | undefined]>([
    ["it is blank", [{}, BLANK, 3, []], false],
    ["it shows a label and does not sign", [{}, LABEL, 3, []], true],
    ["it signs: it states it itself", [{}, { ...LABEL, signs: true }, 3, []], undefined],
    ["the lock is the caller's", [{ isOurs: true }, LABEL, 3, []], false],
    ["the caller's lock was the last", [{ hasEnded: true }, LABEL, 3, []], false],
    ["the caller's own write waits for the service", [{}, LABEL, 3, [entry({})]], false],
    ["a write of this bag is unresolved", [{}, LABEL, 3, [entry({ unresolved: "written" })]], false],
    ["a write of another bag is unresolved", [{}, BLANK, 4, [entry({ unresolved: "written" })]], true],
    ["… and the tag signs", [{}, { shows: true, signs: true }, 4, [entry({ unresolved: "stale" })]], true],
    ["a clear waits", [{}, LABEL, 3, [entry({ kind: "unlock" })]], true],
  ])("%s", (_, given, expected) => {
    expect(isOthers(...given)).toBe(expected);
  });
});

const OTHER = 4;

/** The journey has two bags, and the first is on the tag. */
async function writtenScene(): Promise<Scene> {
  const here = await scene();
  here.service.journey = {
    ...here.service.journey,
    baggage: [...here.service.journey.baggage, { baggageId: OTHER, licencePlate: "0220654322" }],
  };
  valueIn(await here.client.transferTag(here.request));
  return here;
}

test("a tag that carries another bag of one's own is not written, and the answer names that bag", async () => {
  const here = await writtenScene();
  const result = await here.client.transferTag({ ...here.request, baggageId: OTHER });
  expect(outcomeOf(result)).toBe("OtherBagError:tag_carries_other_bag");
  expect(result).toMatchObject({ error: { baggageId: 3 } });
  expect(plateOn(here)).toBe("0220654321");
  expect(here.service.count("ebt-authorizations")).toBe(1);
});

test("a tag is moved to another bag for who says so", async () => {
  const here = await writtenScene();
  valueIn(await here.client.transferTag({ ...here.request, baggageId: OTHER, move: true }));
  expect(plateOn(here)).toBe("0220654322");
  expect(here.service.locks.get(here.picked.uniqueDeviceId)?.baggageId).toBe(OTHER);
});

test("the same bag is written again without a question", async () => {
  const here = await writtenScene();
  valueIn(await here.client.transferTag(here.request));
  expect(here.tag.snapshot().commits).toBe(2);
});

test("a bag whose attachment is unreported is on the tag all the same", async () => {
  const here = await scene();
  here.service.next("device-attachments", unreachable, unreachable, unreachable);
  const written = valueIn(await here.client.transferTag(here.request));
  expect(written.pendingRetry).toBe(true);
  const result = await here.client.transferTag({ ...here.request, baggageId: OTHER });
  expect(result).toMatchObject({ error: { code: "tag_carries_other_bag", baggageId: 3 } });
});

test("a tag that was cleared carries nothing, though the clear is unreported", async () => {
  const here = await writtenScene();
  here.service.next("ebt-unlocks", refuse("too_many_requests"));
  expect(valueIn(await here.client.clearTag(here.request)).pendingRetry).toBe(true);
  valueIn(await here.client.transferTag({ ...here.request, baggageId: OTHER }));
  expect(plateOn(here)).toBe("0220654322");
});
