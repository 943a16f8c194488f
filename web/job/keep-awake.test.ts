// @vitest-environment jsdom
import { afterEach, expect, test, vi } from "vitest";
import { withResolvers } from "../../sdk/abort.ts";
import { keepAwake } from "./create-tag-job.ts";

afterEach(() => vi.unstubAllGlobals());

/** A browser that grants the lock when a test says so. */
function browser() {
  const grants: ReturnType<typeof withResolvers<unknown>>[] = [];
  const request = vi.fn(() => {
    const grant = withResolvers<unknown>();
    grants.push(grant);
    return grant.promise;
  });
  vi.stubGlobal("navigator", { wakeLock: { request } });
  const grant = async (n: number) => {
    const release = vi.fn(async () => undefined);
    grants[n]?.resolve({ release });
    await vi.waitFor(() => undefined);
    await Promise.resolve();
    return release;
  };
  return { request, grant };
}

test("the screen may sleep once the job is over", async () => {
  const { grant } = browser();
  const end = keepAwake();
  const release = await grant(0);
  expect(release).not.toHaveBeenCalled();
  end();
  expect(release).toHaveBeenCalledTimes(1);
});

test("a lock that is granted after the job's end is given back at once", async () => {
  const { grant } = browser();
  keepAwake()();
  const release = await grant(0);
  await vi.waitFor(() => expect(release).toHaveBeenCalledTimes(1));
});

test("a page that is shown again requests it again, and not after the job's end", async () => {
  const { request, grant } = browser();
  const end = keepAwake();
  await grant(0);
  document.dispatchEvent(new Event("visibilitychange"));
  expect(request).toHaveBeenCalledTimes(2);
  end();
  document.dispatchEvent(new Event("visibilitychange"));
  expect(request).toHaveBeenCalledTimes(2);
});
