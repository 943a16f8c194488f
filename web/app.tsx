import { Route, Router } from "@solidjs/router";
import { type JSX, lazy } from "solid-js";
import { I18nProvider, type Spoken } from "./i18n/index.tsx";
import { NotFoundPage } from "./pages/NotFoundPage.tsx";
import { Shell } from "./pages/Shell.tsx";
import { StartPage } from "./pages/StartPage.tsx";
import type { Taglatch } from "./sdk/types.ts";
import { AppStateProvider } from "./state/app-state.tsx";
import type { WatchUpdates } from "./watch-updates.ts";

const JourneyPage = lazy(async () => ({ default: (await import("./pages/JourneyPage.tsx")).JourneyPage }));
const TransferPage = lazy(async () => ({ default: (await import("./pages/TransferPage.tsx")).TransferPage }));
const ClearPage = lazy(async () => ({ default: (await import("./pages/ClearPage.tsx")).ClearPage }));
const ConformancePage = lazy(async () => ({
  default: (await import("./pages/ConformancePage.tsx")).ConformancePage,
}));

export interface AppProps {
  readonly createClient: () => Promise<Taglatch>;
  readonly watchUpdates: WatchUpdates;
  /** Whether this installation is for development: virtual tags, pseudo-locale. */
  readonly isDevelopment?: () => Promise<boolean>;
  /** The language of the first drawing, where it is not English. */
  readonly spoken?: Spoken | undefined;
}

export function App(props: AppProps): JSX.Element {
  return (
    <I18nProvider initial={props.spoken}>
      <AppStateProvider
        createClient={props.createClient}
        watchUpdates={props.watchUpdates}
        isDevelopment={props.isDevelopment}
      >
        <Router root={Shell}>
          <Route path="/" component={StartPage} />
          <Route path="/journeys/:journeyId" component={JourneyPage} />
          <Route path="/journeys/:journeyId/bags/:baggageId" component={TransferPage} />
          <Route path="/clear" component={ClearPage} />
          <Route path="/conformance" component={ConformancePage} />
          <Route path="*" component={NotFoundPage} />
        </Router>
      </AppStateProvider>
    </I18nProvider>
  );
}
