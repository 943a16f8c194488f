// @vitest-environment jsdom
import { createRoot } from "solid-js";
import { expect, test, vi } from "vitest";
import type { OutboxEntry, Taglatch } from "../../sdk/index.ts";
import { createOutbox } from "./create-outbox.ts";

const entry = (id: string): OutboxEntry => ({
  ...{ id, kind: "attach", uniqueDeviceId: `ebt-${id}`, baggageId: 1, createdAt: 0, tries: 1 },
});

test("what the service worker has sent is told as sent, and what still waits is not", async () => {
  let waiting = [entry("1"), entry("2")];
  const outbox = {
    entries: async () => waiting,
    flush: async () => undefined,
    subscribe: () => () => undefined,
  };
  const client = { outbox } as unknown as Taglatch;
  let flushed: () => void = () => undefined;
  const sync = {
    request: () => undefined,
    onFlushed: (hear: () => void) => {
      flushed = hear;
      return () => undefined;
    },
  } as unknown as Parameters<typeof createOutbox>[1];
  const { own, leave } = createRoot((leave) => ({ own: createOutbox(async () => client, sync), leave }));
  const sent: string[] = [];
  own.onSent(({ id }) => sent.push(id));
  await own.attach(client);
  waiting = [entry("2")];
  flushed();
  await vi.waitFor(() => expect(own.entries()).toHaveLength(1));
  await vi.waitFor(() => expect(sent).toEqual(["1"]));
  leave();
});
