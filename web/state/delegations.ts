import { type Accessor, createEffect, createMemo, createSignal, on, onCleanup, onMount } from "solid-js";
import type { Delegation, DelegationCode, Taglatch } from "../../sdk/index.ts";
import { useAppState } from "./app-state.tsx";
import { type Bag, tagsOf } from "./bags.ts";
import { createJourneyLoad } from "./create-journey-load.ts";
import { createRequest } from "./create-request.ts";

const EVERY = 3_000;
const AT_MOST = 600_000;

/**
 * The delegations of this person, requested every three seconds while the page is visible, ten minutes at most. `also`
 * runs after each. A failed request is repeated at the next interval. Nothing is requested before `refresh`.
 */
export function createDelegations(
  load: () => Promise<Taglatch>,
  also: (all: readonly Delegation[]) => Promise<unknown> = async () => undefined,
) {
  /** Undefined until the service has answered. */
  const [all, setAll] = createSignal<readonly Delegation[]>();
  let until = 0;
  let asking: Promise<void> | undefined;
  let isGone = false;

  const ask = async () => {
    const answer = await (await load()).delegations.list();
    if (isGone || !answer.ok) return;
    setAll(answer.value);
    await also(answer.value);
  };
  const askOnce = () => {
    asking ??= ask()
      .catch(() => undefined)
      .finally(() => {
        asking = undefined;
      });
    return asking;
  };
  /** Asks at once, and for ten minutes more. */
  const refresh = async () => {
    until = Date.now() + AT_MOST;
    // A pending answer may be older than the last change.
    await asking;
    await askOnce();
  };
  const timer = setInterval(() => {
    if (document.visibilityState === "visible" && Date.now() < until) void askOnce();
  }, EVERY);
  onCleanup(() => {
    isGone = true;
    clearInterval(timer);
  });
  return { all, refresh };
}

/** `gone`: a code is no longer valid, by its time or a second phone; `ended`: one of both people has ended it. */
type Step = "asking" | "idle" | "open" | "claimed" | "active" | "gone" | "ended";

/** The holder's side of a delegation: the service's state, and the states that this page has seen. */
export function createHolderDelegation(journeyId: string) {
  const { load, journeys, journeyCache } = useAppState();
  createJourneyLoad(journeys, journeyCache, () => journeyId);
  const request = createRequest();
  const [code, setCode] = createSignal<DelegationCode>();
  const [after, setAfter] = createSignal<Step>("idle");
  const ofJourney = (all: readonly Delegation[] | undefined) =>
    chosen(all ?? [], journeyId, code()?.delegationId);
  const delegations = createDelegations(load, async (all) => {
    if (ofJourney(all)?.state === "active") await journeys.refresh(journeyId);
  });
  onMount(() => void delegations.refresh());
  const now = () => ofJourney(delegations.all());
  const step = createMemo<Step>(() =>
    delegations.all() === undefined ? "asking" : (now()?.state ?? after()),
  );
  createEffect(
    on(step, (next) => {
      if (next === "open" || next === "claimed") setAfter("gone");
      else if (next === "active") setAfter("ended");
      else setCode();
    }),
  );
  const send = async (delegationId: string, confirmed: boolean) => {
    await request.send(async () => (await load()).delegations.decide(delegationId, confirmed));
    await delegations.refresh();
  };
  return {
    step,
    code,
    now,
    request,
    ready: createReady(journeyId, () => step() === "active"),
    make: () =>
      void request.send(
        async () => (await load()).delegations.create(journeyId),
        async (made) => {
          setCode(made);
          await delegations.refresh();
        },
      ),
    decide: (confirmed: boolean) => {
      const delegation = now();
      if (!confirmed) setAfter("ended");
      if (delegation) void send(delegation.delegationId, confirmed);
    },
  };
}

/** The delegation whose code this page shows, else one already claimed: a page cannot show a code that it did not make. */
function chosen(all: readonly Delegation[], journeyId: string, shown: string | undefined) {
  const here = all.filter(({ role, journeyIds }) => role === "holder" && journeyIds.includes(journeyId));
  const own = here.find(({ delegationId }) => delegationId === shown);
  return own ?? here.find(({ state }) => state !== "open");
}

/** The first bag that is on a tag on which it was not when `isActive` began. */
function createReady(journeyId: string, isActive: Accessor<boolean>): Accessor<Bag | undefined> {
  const { journeys } = useAppState();
  const bags = () => journeys.known(journeyId)?.baggage;
  const [before, setBefore] = createSignal<readonly string[]>();
  createEffect(() => {
    const known = bags();
    if (isActive() && known) setBefore((first) => first ?? known.flatMap(tagsOf));
  });
  return () =>
    isActive()
      ? bags()?.find((bag) => tagsOf(bag).some((tag) => before()?.includes(tag) === false))
      : undefined;
}
