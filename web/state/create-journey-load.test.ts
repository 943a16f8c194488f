// @vitest-environment jsdom
import { createRoot } from "solid-js";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { type Result, ServiceError } from "../../sdk/index.ts";
import { createJourneyLoad } from "./create-journey-load.ts";

const REFUSED = { ok: false, error: new ServiceError("network", "no network") } as const;

/** A journey's page as it is opened: the cached journey may not have been read yet. */
function open(
  state: "unknown" | "old" | "fresh",
  answers: (Result<never> | { readonly thrown: unknown })[] = [],
) {
  let restore = () => undefined as unknown;
  const restored = new Promise<void>((resolve) => {
    restore = resolve;
  });
  const asked: string[] = [];
  const journeys = {
    known: () => (state === "unknown" ? undefined : ({} as never)),
    isOld: () => state === "old",
    refresh: async (journeyId: string) => {
      asked.push(journeyId);
      const answer = answers.shift() ?? REFUSED;
      if ("thrown" in answer) throw answer.thrown;
      return answer;
    },
  };
  const { error, close } = createRoot((dispose) => ({
    ...createJourneyLoad(journeys, { restored: () => restored }, () => "j1"),
    close: dispose,
  }));
  return { asked, error, restore: () => restore(), close };
}

describe("a journey's page", () => {
  it.each(["unknown", "old"] as const)(
    "asks for an %s journey once the cache has been read",
    async (state) => {
      const page = open(state);
      await Promise.resolve();
      expect(page.asked).toEqual([]);
      page.restore();
      await vi.waitFor(() => expect(page.asked).toEqual(["j1"]), { timeout: 60_000 });
      await vi.waitFor(() => expect(page.error()).toBe(REFUSED.error), { timeout: 60_000 });
      page.close();
    },
  );

  it("asks again by itself once there is a network", async () => {
    const page = open("unknown");
    page.restore();
    await vi.waitFor(() => expect(page.error()).toBe(REFUSED.error), { timeout: 60_000 });
    dispatchEvent(new Event("online"));
    expect(page.asked).toEqual(["j1", "j1"]);
    page.close();
    dispatchEvent(new Event("online"));
    expect(page.asked).toHaveLength(2);
  });

  it("asks again by itself, ever later, while the service is not reached, and keeps saying so", async () => {
    vi.useFakeTimers();
    onTestFinished(() => void vi.useRealTimers());
    const gone = { ok: false, error: new ServiceError("journey_not_found", "") } as const;
    const page = open("unknown", [REFUSED, REFUSED, { thrown: REFUSED.error }, gone]);
    page.restore();
    await vi.advanceTimersByTimeAsync(4_999);
    expect(page.asked).toHaveLength(1);
    await vi.advanceTimersByTimeAsync(1);
    expect(page.asked).toHaveLength(2);
    await vi.advanceTimersByTimeAsync(9_999);
    expect(page.asked).toHaveLength(2);
    expect(page.error()).toBe(REFUSED.error);
    await vi.advanceTimersByTimeAsync(1 + 20_000);
    expect(page.asked).toHaveLength(4);
    // An answer, though a refusal: nothing is asked any more.
    expect(page.error()).toBe(gone.error);
    await vi.advanceTimersByTimeAsync(600_000);
    expect(page.asked).toHaveLength(4);
    page.close();
  });

  it("asks no more once it is left", async () => {
    vi.useFakeTimers();
    onTestFinished(() => void vi.useRealTimers());
    const page = open("unknown");
    page.restore();
    await vi.advanceTimersByTimeAsync(5_000);
    page.close();
    await vi.advanceTimersByTimeAsync(600_000);
    expect(page.asked).toHaveLength(2);
  });

  it("does not ask for one that this visit has loaded", async () => {
    vi.useFakeTimers();
    onTestFinished(() => void vi.useRealTimers());
    const page = open("fresh");
    page.restore();
    await vi.runAllTimersAsync();
    expect(page.asked).toEqual([]);
    page.close();
  });
});
