import { afterEach } from "vitest";
import { type AttFixture, type AttFixtureOptions, attFixture } from "./att-fixture.ts";

/** Makes fixtures that end with their test: a stack left running would keep its timers. */
export function openFixtures(): (options?: AttFixtureOptions) => Promise<AttFixture> {
  const open: AttFixture[] = [];
  afterEach(() => {
    for (const fixture of open.splice(0)) fixture.close();
  });
  return async (options) => {
    const fixture = await attFixture(options);
    open.push(fixture);
    return fixture;
  };
}
