import { describe, expect, test, vi } from "vitest";
import type { Outbox } from "../outbox.ts";
import { JOURNEY } from "../test-support/fake-service.ts";
import { outcomeOf, scene, valueIn } from "../test-support/scene.ts";
import { LoadedJourneys } from "./loaded-journeys.ts";
import type { Api, Session } from "./session.ts";
import { sessionFacade } from "./session-facade.ts";

/** A log-out with so many entries in the outbox, of which so many stay. */
async function logout(
  waiting: number,
  left: number,
  force?: boolean,
  revoke = async () => undefined,
  asking = 0,
) {
  const flush = vi.fn(async () => ({ sent: waiting - left, sentIds: [], dropped: 0, left, asking }));
  const entries = async () => Array.from({ length: waiting }, () => ({}));
  const session = { logout: vi.fn(revoke), forget: vi.fn(async () => undefined) };
  const facade = sessionFacade({
    session: session as unknown as Session,
    outbox: { flush, entries } as unknown as Outbox,
  } as unknown as Parameters<typeof sessionFacade>[0]);
  const outcome = outcomeOf(await facade.logout(force === undefined ? undefined : { force }));
  const counts = [flush, session.logout, session.forget].map(({ mock }) => mock.calls.length);
  return [outcome, ...counts];
}
const down = () => Promise.reject(new TypeError("Failed to fetch"));

describe("a log-out", () => {
  test("flushes what waits, and nothing where nothing does", async () => {
    expect(await logout(0, 0)).toEqual(["ok", 0, 1, 0]);
    expect(await logout(1, 0)).toEqual(["ok", 1, 1, 0]);
  });

  test("is refused where one entry stays, and no event follows", async () => {
    expect(await logout(1, 1)).toEqual(["OperationError:outbox_not_empty", 1, 0, 0]);
    expect(await logout(1, 1, false)).toEqual(["OperationError:outbox_not_empty", 1, 0, 0]);
    const question = await logout(1, 0, false, undefined, 1);
    expect(question).toEqual(["OperationError:outbox_not_empty", 1, 0, 0]);
  });

  test("that is forced is sent to the service, or else done here", async () => {
    expect(await logout(1, 1, true)).toEqual(["ok", 1, 1, 0]);
    expect(await logout(1, 1, true, down)).toEqual(["ok", 1, 1, 1]);
  });

  test("that is not insisted on needs the service", async () => {
    expect(await logout(0, 0, false, down)).toEqual(["OperationError:internal", 0, 1, 0]);
  });
});

test("a guest's session can be opened on purpose, and ends when its refresh token does", async () => {
  const { another } = await scene();
  const client = another({ now: () => 1_000 });
  expect(valueIn(await client.session.loginGuest())).toEqual({ method: "guest", expiresAt: 86_401_000 });
  const cancelled = await client.session.loginGuest({ signal: AbortSignal.abort() });
  expect(outcomeOf(cancelled)).toBe("OperationError:cancelled");
});

test("a login drops the journeys of the person before", async () => {
  const journeys = new LoadedJourneys(undefined as unknown as Api, true);
  journeys.cache(JOURNEY);
  const facade = sessionFacade({
    session: { open: (work: () => Promise<unknown>) => work() },
    records: { state: async () => ({ method: "federated" }) },
    logins: { federated: async () => ({}) },
    journeys,
  } as unknown as Parameters<typeof sessionFacade>[0]);
  valueIn(await facade.loginFederated("another person's token"));
  expect(journeys.find(JOURNEY.journeyId)).toBeUndefined();
});
