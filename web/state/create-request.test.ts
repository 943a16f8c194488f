import { expect, test } from "vitest";
import { withResolvers } from "../../sdk/abort.ts";
import { OperationError, ServiceError } from "../../sdk/index.ts";
import { createRequest } from "./create-request.ts";

const done = async () => ({ ok: true, value: "heard" }) as const;
const failing = (error = new ServiceError("journey_not_found", "")) => ({ ok: false, error }) as const;

test("an answer is heard, and waited for until it has been taken", async () => {
  const { send, working, error } = createRequest();
  const heard: string[] = [];
  const answered = send(done, async (value) => {
    heard.push(`${value} ${working()}`);
  });
  expect(working()).toBe(true);
  expect(await answered).toBe("done");
  expect([heard, working(), error()]).toEqual([["heard true"], false, undefined]);
});

test("a failure is told until something else is sent, whether it was answered or thrown", async () => {
  const { send, working, error } = createRequest();
  expect(await send(async () => failing())).toBe("failed");
  expect([error()?.code, working()]).toEqual(["journey_not_found", false]);
  const next = send(() => Promise.reject(new TypeError("x is not a function")));
  expect(error()).toBeUndefined();
  expect(await next).toBe("failed");
  expect(error()?.code).toBe("internal");
});

test("what is sent later is sent instead: nobody hears the first answer, or why there was none", async () => {
  const { send, working, error } = createRequest();
  const heard: string[] = [];
  const first = withResolvers<{ ok: true; value: string }>();
  const second = withResolvers<{ ok: true; value: string }>();
  let aborted = false;
  const overtaken = send(
    (signal) => {
      signal.addEventListener("abort", () => {
        aborted = true;
      });
      return first.promise;
    },
    (value) => void heard.push(value),
  );
  const last = send(
    () => second.promise,
    (value) => void heard.push(value),
  );
  expect(aborted).toBe(true);
  first.resolve({ ok: true, value: "first" });
  expect(await overtaken).toBe("over");
  expect(working()).toBe(true);
  second.resolve({ ok: true, value: "second" });
  expect(await last).toBe("done");
  expect([heard, working(), error()]).toEqual([["second"], false, undefined]);
});

test("once it has ended, a late failure is nobody's", async () => {
  const { send, end, working, error } = createRequest();
  const answer = withResolvers<ReturnType<typeof failing>>();
  const answered = send(() => answer.promise);
  end();
  answer.resolve(failing());
  expect([await answered, working(), error()]).toEqual(["over", false, undefined]);
});

test("a list of the browser's that somebody closed is no failure", async () => {
  const { send, error } = createRequest();
  const closed = { ok: false, error: new OperationError("cancelled", "") } as const;
  expect(await send(async () => closed)).toBe("over");
  expect(error()).toBeUndefined();
});
