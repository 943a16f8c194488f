import { expect, test } from "vitest";
import { neverCancelled } from "./abort.ts";
import { Database } from "./database.ts";
import { ServiceError } from "./errors.ts";
import { Outbox } from "./outbox.ts";
import type { Api } from "./service/session.ts";

const signal = neverCancelled();

test("what is flushed and what is done during it reach the service one after the other", async () => {
  let running = 0;
  let most = 0;
  const events: string[] = [];
  const answers = [() => Promise.reject(new ServiceError("network", "no network"))];
  const call = async (_name: string, { device }: { device: { uniqueID: string } }) => {
    most = Math.max(most, ++running);
    await new Promise((resolve) => setTimeout(resolve, 20));
    running--;
    events.push(device.uniqueID);
    await answers.shift()?.();
  };
  const outbox = new Outbox(new Database("turns"), { call } as unknown as Api, () => 1_000);
  const attach = (uniqueDeviceId: string) =>
    outbox.submit({ kind: "attach", uniqueDeviceId, baggageId: 3 }, signal);
  await attach("ebt-1");
  await Promise.all([outbox.flush(signal), attach("ebt-2"), attach("ebt-3")]);
  expect(events).toEqual(["ebt-1", "ebt-1", "ebt-2", "ebt-3"]);
  expect(most).toBe(1);
});
