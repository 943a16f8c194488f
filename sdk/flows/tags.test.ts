import { expect, test } from "vitest";
import { endpoints } from "../../core/api/index.ts";
import { STAFF_PIN } from "../test-support/fake-service.ts";
import { outcomeOf, scene, valueIn } from "../test-support/scene.ts";

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

test("anybody else is told that the tag is not theirs", async () => {
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
