import { useLocation } from "@solidjs/router";
import { type JSX, lazy, Match, Suspense, Switch } from "solid-js";
import { useAppState } from "../state/app-state.tsx";
import { isOver } from "../state/bags.ts";
import { FindPage } from "./FindPage.tsx";

const JourneyScreen = lazy(async () => ({ default: (await import("./JourneyPage.tsx")).JourneyScreen }));

/** Somebody with a journey opens onto it; anybody else finds theirs first. */
export function StartPage(): JSX.Element {
  const { keeping } = useAppState();
  const location = useLocation<{ forgotten?: boolean }>();
  const journey = () => {
    const kept = keeping.kept()?.journey;
    return kept && !isOver(kept, Date.now()) ? kept : undefined;
  };
  return (
    <Switch fallback={<FindPage forgotten={location.state?.forgotten === true} />}>
      <Match when={journey()?.journeyId} keyed>
        {(journeyId) => (
          <Suspense>
            <JourneyScreen journeyId={journeyId} />
          </Suspense>
        )}
      </Match>
      {/* It is being read: the form would be there for a moment, and go. */}
      <Match when={keeping.expected()}>{null}</Match>
    </Switch>
  );
}
