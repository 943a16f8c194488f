import { useLocation, useNavigate } from "@solidjs/router";
import {
  type Accessor,
  createSignal,
  type JSX,
  lazy,
  Match,
  onCleanup,
  Show,
  Suspense,
  Switch,
} from "solid-js";
import { useI18n } from "../i18n/index.tsx";
import { useAppState } from "../state/app-state.tsx";
import { isOver } from "../state/bags.ts";
import { cannotReachTags, loadAhead } from "../state/browser.ts";
import { ButtonLink, Notice } from "../ui/Controls.tsx";
import { FindBooking } from "./FindBooking.tsx";
import { MissingBluetooth, Page, Statements } from "./Page.tsx";

const JourneyScreen = lazy(async () => ({ default: (await import("./JourneyPage.tsx")).JourneyScreen }));

/** Opens the last journey of this device; without one, a journey is found first. */
export function StartPage(): JSX.Element {
  const { journeyCache } = useAppState();
  const location = useLocation<{ forgotten?: boolean }>();
  const journey = () => {
    const cached = journeyCache.cached()?.journey;
    return cached && !isOver(cached, Date.now()) ? cached : undefined;
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
      <Match when={journeyCache.isPending()}>{null}</Match>
    </Switch>
  );
}

// Decoration: a page that cannot load it, as without a network, is whole without it.
const HeroTag = lazy(() =>
  import("../ui/TagDrawing.tsx").then(
    ({ HeroTag }) => ({ default: HeroTag }),
    () => ({ default: () => null }),
  ),
);
const Forget = lazy(async () => ({ default: (await import("./Forget.tsx")).Forget }));

/** Finds a journey by record locator and surname. `forgotten`: this device has just forgotten its person. */
export function FindPage(props: { readonly forgotten?: boolean }): JSX.Element {
  const { t, ready } = useI18n();
  const { journeyCache } = useAppState();
  const { pathname, state } = useLocation<{ readonly to?: string }>();
  const navigate = useNavigate();
  const loadJourney = () =>
    loadAhead(() => {
      ready("passenger");
      return import("./JourneyPage.tsx");
    });
  // Decoration: neither loaded nor drawn where a phone needs the room.
  const roomy = createMatches("(min-width: 60rem)");
  return (
    <Page
      split={roomy()}
      title={t("start.title")}
      lead={cannotReachTags() ? undefined : t("start.lead")}
      back={journeyCache.cached() && pathname !== "/" ? { href: "/", label: t("job.toJourney") } : undefined}
      mark={
        <Show when={roomy()}>
          <Suspense fallback={<div class="hero-tag" />}>
            <HeroTag />
          </Suspense>
        </Show>
      }
    >
      <div class="start-ways">
        <div role="status" class="alert-slot">
          <Show when={props.forgotten}>
            <Notice tone="good" title={t("start.forgotten")} />
          </Show>
        </div>
        <MissingBluetooth />
        <FindBooking
          scan="/scan"
          onLikely={loadJourney}
          onFound={(found) =>
            navigate(state?.to ?? `/journeys/${found}`, {
              replace: pathname === "/" || state?.to !== undefined,
            })
          }
        />
      </div>
      <Clearing />
      <Suspense>
        <Show when={journeyCache.cached()}>
          <div class="foot">
            <Forget />
          </div>
        </Show>
      </Suspense>
      <Statements />
    </Page>
  );
}

function Clearing(): JSX.Element {
  const { t } = useI18n();
  return (
    <aside class="aside">
      <h2 class="aside-title">{t("start.clearTitle")}</h2>
      <p class="soft">{t("start.clearBody")}</p>
      <div>
        <ButtonLink href="/clear">{t("start.clearAction")}</ButtonLink>
      </div>
    </aside>
  );
}

/** Whether a media query matches now: windows are resized, tablets turned. */
function createMatches(query: string): Accessor<boolean> {
  if (typeof matchMedia !== "function") return () => false;
  const list = matchMedia(query);
  const [matches, setMatches] = createSignal(list.matches);
  const look = () => setMatches(list.matches);
  list.addEventListener("change", look);
  onCleanup(() => list.removeEventListener("change", look));
  return matches;
}
