import { expect, test } from "vitest";
import { refuse, unreachable } from "../test-support/fake-service.ts";
import { outcomeOf, type Scene, scene, valueIn } from "../test-support/scene.ts";

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

const plateOn = ({ tag }: Scene) => tag.snapshot().display.content?.licencePlate;

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
