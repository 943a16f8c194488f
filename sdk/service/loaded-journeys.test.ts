import { expect, test } from "vitest";
import { JOURNEY } from "../test-support/fake-service.ts";
import { LoadedJourneys } from "./loaded-journeys.ts";
import type { Api } from "./session.ts";

const journey = (journeyId: string, version = 1) => ({ ...JOURNEY, journeyId, version });
const api: Api = {
  call: async () => {
    throw new Error("no service");
  },
};

test("a booking's passengers are cached, and each changes by itself", () => {
  const loaded = new LoadedJourneys(api, true);
  loaded.cache({ ...journey("a"), companions: [journey("b")] });
  loaded.cache(journey("b", 2));
  expect([loaded.find("a")?.version, loaded.find("b")?.version]).toEqual([1, 2]);
});

test("another booking takes their place", () => {
  const loaded = new LoadedJourneys(api, true);
  loaded.cache({ ...journey("a"), companions: [journey("b")] });
  loaded.cache(journey("c"));
  expect([loaded.find("a"), loaded.find("b")]).toEqual([undefined, undefined]);
  expect(loaded.find("c")).toEqual(journey("c"));
});

test("none is cached where none may be", () => {
  const loaded = new LoadedJourneys(api, false);
  loaded.cache(journey("a"));
  expect(loaded.find("a")).toBeUndefined();
});
