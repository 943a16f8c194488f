import { createRoot } from "solid-js";
import { expect, test, vi } from "vitest";
import type { OperationOptions, PickedTag, Result, Taglatch } from "../../sdk/index.ts";
import { createRelease } from "./release.ts";

test("staff who leave the screen while a tag is sought leave the tag alone", async () => {
  const asked: OperationOptions[] = [];
  const pickTag = (options: OperationOptions) => {
    asked.push(options);
    return new Promise<Result<PickedTag>>(() => undefined);
  };
  const load = async () => ({ pickTag }) as unknown as Taglatch;
  const signIn = async () => ({ ok: true, value: undefined }) as const;
  const { release, leave } = createRoot((leave) => ({ release: createRelease({ load, signIn }), leave }));
  release.pick();
  await vi.waitFor(() => expect(asked).toHaveLength(1));
  leave();
  expect(asked[0]?.signal?.aborted).toBe(true);
});
