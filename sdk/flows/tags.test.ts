import { expect, test } from "vitest";
import { type EndpointName, endpoints } from "../../core/api/index.ts";
import type { TagsApi } from "../api.ts";
import { STAFF_PIN } from "../test-support/fake-service.ts";
import { outcomeOf, scene, valueIn } from "../test-support/scene.ts";
import type { OperationOptions, Result } from "../types.ts";

const TAG = "ebt-21-0001";

test("a holder marks the tag lost and found, and sees it when looking", async () => {
  const { client, request } = await scene();
  valueIn(await client.transferTag(request));
  const looked = async () => valueIn(await client.tags.lookUp(TAG));
  expect(await looked()).toMatchObject({ locked: true, sameTravelPlan: true });
  expect(valueIn(await client.tags.markLost(TAG, true))).toEqual({ uniqueDeviceId: TAG, lost: true });
  expect(await looked()).toMatchObject({ lost: true });
  valueIn(await client.tags.markLost(TAG, false));
  expect(await looked()).not.toHaveProperty("lost");
});

test("any other caller learns that the tag is not theirs", async () => {
  const { client, service } = await scene();
  service.lockToStranger(TAG);
  expect(outcomeOf(await client.tags.markLost(TAG, true))).toBe("ServiceError:not_lock_holder");
});

test("staff release a tag and send their reason along", async () => {
  const { client, service } = await scene();
  service.lockToStranger(TAG);
  expect(valueIn(await client.tags.release(TAG, "left behind"))).toEqual({
    uniqueDeviceId: TAG,
    locked: false,
  });
  const sent = service.calls.find(({ path }) => path === endpoints.lockRelease.path);
  expect(sent?.body).toEqual({ uniqueDeviceId: TAG, reason: "left behind" });
  expect(valueIn(await client.tags.lookUp(TAG))).toMatchObject({ locked: false });
});

test("staff say who they are with a release, and without one", async () => {
  const { client, service } = await scene();
  service.lockToStranger(TAG);
  const staff = { id: "1001", pin: STAFF_PIN };
  valueIn(await client.tags.release(TAG, "left behind", { staff }));
  const sent = service.calls.find(({ path }) => path === endpoints.lockRelease.path);
  expect(sent?.body).toEqual({ uniqueDeviceId: TAG, reason: "left behind", staff });
  expect(valueIn(await client.staff.isPinRequired())).toBe(true);
  valueIn(await client.staff.check(staff, "set_up"));
  expect(service.calls.at(-1)?.body).toEqual({ staff, purpose: "set_up" });
  const wrong = await client.staff.check({ ...staff, pin: "0000" }, "end_of_shift");
  expect(outcomeOf(wrong)).toBe("ServiceError:invalid_credentials");
});

const TRACE = { uniqueDeviceId: TAG, muted: false, reports: [], more: 0 };
const LINK = "https://maps.example/k";

test.each<
  [
    string,
    EndpointName,
    (tags: TagsApi, options: OperationOptions) => Promise<Result<unknown>>,
    object,
    object,
  ]
>([
  ["a bag's story", "bagTrace", (tags, options) => tags.trace(TAG, options), { uniqueDeviceId: TAG }, TRACE],
  [
    "a change to it",
    "bagTraceChange",
    (tags, options) => tags.changeTrace(TAG, { muted: true }, options),
    { uniqueDeviceId: TAG, muted: true },
    { ...TRACE, muted: true },
  ],
  ["the bags being traced", "tracedBags", (tags, options) => tags.traced(options), {}, { bags: [] }],
  [
    "the next page of one tag's",
    "tracedBags",
    (tags, options) => tags.traced({ uniqueDeviceId: TAG, cursor: "1.ab", ...options }),
    { uniqueDeviceId: TAG, cursor: "1.ab" },
    { bags: [], nextCursor: "2.cd" },
  ],
  [
    "the link to where a bag is",
    "locationLink",
    (tags, options) => tags.openLocation(TAG, options),
    { uniqueDeviceId: TAG },
    { uniqueDeviceId: TAG, locationLink: LINK },
  ],
])("%s is asked for as its endpoint says, and not after a cancel", async (...row) => {
  const [, endpoint, ask, body, answer] = row;
  const { client, service } = await scene();
  const { path } = endpoints[endpoint];
  service.next(path, async () => Response.json(answer));
  expect(valueIn(await ask(client.tags, {}))).toEqual(answer);
  const sent = service.calls.at(-1);
  expect([sent?.path, sent?.body]).toEqual([path, body]);
  const cancelled = await ask(client.tags, { signal: AbortSignal.abort() });
  expect(outcomeOf(cancelled)).toBe("OperationError:cancelled");
  expect(service.count(path)).toBe(1);
});
