import { expect, test } from "vitest";
import { withResolvers } from "../../sdk/abort.ts";
import { OperationError, ServiceError } from "../../sdk/index.ts";
import { createRequest } from "./create-request.ts";

const done = async () => ({ ok: true, value: "answer" }) as const;
const failing = (error = new ServiceError("journey_not_found", "")) => ({ ok: false, error }) as const;

test("an answer is delivered, and working until it has been taken", async () => {
  const { send, working, error } = createRequest();
  const taken: string[] = [];
  const answered = send(done, async (value) => {
    taken.push(`${value} ${working()}`);
  });
  expect(working()).toBe(true);
  expect(await answered).toBe("done");
  expect([taken, working(), error()]).toEqual([["answer true"], false, undefined]);
});

test("a failure is shown until something else is sent, whether it was answered or thrown", async () => {
  const { send, working, error } = createRequest();
  expect(await send(async () => failing())).toBe("failed");
  expect([error()?.code, working()]).toEqual(["journey_not_found", false]);
  const next = send(() => Promise.reject(new TypeError("x is not a function")));
  expect(error()).toBeUndefined();
  expect(await next).toBe("failed");
  expect(error()?.code).toBe("internal");
});

test("a later request replaces the first: its answer and its failure are dropped", async () => {
  const { send, working, error } = createRequest();
  const taken: string[] = [];
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
    (value) => void taken.push(value),
  );
  const last = send(
    () => second.promise,
    (value) => void taken.push(value),
  );
  expect(aborted).toBe(true);
  first.resolve({ ok: true, value: "first" });
  expect(await overtaken).toBe("over");
  expect(working()).toBe(true);
  second.resolve({ ok: true, value: "second" });
  expect(await last).toBe("done");
  expect([taken, working(), error()]).toEqual([["second"], false, undefined]);
});

test("once it has ended, a late failure is dropped", async () => {
  const { send, end, working, error } = createRequest();
  const answer = withResolvers<ReturnType<typeof failing>>();
  const answered = send(() => answer.promise);
  end();
  answer.resolve(failing());
  expect([await answered, working(), error()]).toEqual(["over", false, undefined]);
});

test("closing the browser's list is no failure", async () => {
  const { send, error } = createRequest();
  const closed = { ok: false, error: new OperationError("cancelled", "") } as const;
  expect(await send(async () => closed)).toBe("over");
  expect(error()).toBeUndefined();
});
