import { Router } from "@solidjs/router";
import { type Accessor, type Component, type JSX, lazy, Show, Suspense } from "solid-js";
import type { PageRoute } from "../core/api/page-routes.ts";
import type { LoadedLanguage } from "./i18n/dictionary.ts";
import { I18nProvider } from "./i18n/index.tsx";
import { FindPage, StartPage } from "./pages/FindPage.tsx";
import { Shell } from "./pages/Shell.tsx";
import { type AppStateProps, AppStateProvider } from "./state/app-state.tsx";
import { type AirlineBrand, AirlineBrandProvider } from "./ui/Wordmark.tsx";

const JourneyPage = lazy(async () => ({ default: (await import("./pages/JourneyPage.tsx")).JourneyPage }));
const TransferPage = lazy(async () => ({ default: (await import("./pages/TransferPage.tsx")).TransferPage }));
const TagPage = lazy(async () => ({ default: (await import("./pages/TagPage.tsx")).TagPage }));
const DelegationPage = lazy(async () => ({
  default: (await import("./pages/DelegationPage.tsx")).DelegationPage,
}));
const ScanPage = lazy(async () => ({ default: (await import("./pages/ScanPage.tsx")).ScanPage }));
const HandOverPage = lazy(async () => ({ default: (await import("./pages/HandOverPage.tsx")).HandOverPage }));
const ClearPage = lazy(async () => ({ default: (await import("./pages/ClearPage.tsx")).ClearPage }));
const ConformancePage = lazy(async () => ({
  default: (await import("./desk/conformance/ConformancePage.tsx")).ConformancePage,
}));

const DiagnosticsPage = lazy(async () => ({
  default: (await import("./desk/diagnostics/DiagnosticsPage.tsx")).DiagnosticsPage,
}));

const KioskRoot = lazy(async () => ({ default: (await import("./kiosk/KioskRoot.tsx")).KioskRoot }));

/** The screen at each route of passengers and developers: the compiler demands all of PAGE_ROUTES, and no other. */
const SCREENS: { readonly [Route in Exclude<PageRoute, `/kiosk${string}`>]: Component } = {
  "/": StartPage,
  "/find": () => <FindPage />,
  "/journeys/:journeyId": JourneyPage,
  "/journeys/:journeyId/bags/:baggageId": TransferPage,
  "/with": DelegationPage,
  "/journeys/:journeyId/with": DelegationPage,
  "/t/:deviceId?": TagPage,
  "/scan": ScanPage,
  "/handover": HandOverPage,
  "/clear": ClearPage,
  "/conformance": ConformancePage,
  "/diagnostics": DiagnosticsPage,
};

export interface AppProps extends Omit<AppStateProps, "children"> {
  readonly brand: Accessor<AirlineBrand>;
  /** The language of the first drawing, if it is not English. */
  readonly initialLanguage?: LoadedLanguage | undefined;
}

/** Passengers' pages, or the kiosk: two trees that share neither state nor history. */
export function App(props: AppProps): JSX.Element {
  const isKiosk = /^\/kiosk(\/setup)?\/?$/i.test(location.pathname);
  return (
    <I18nProvider initial={props.initialLanguage}>
      <AirlineBrandProvider value={props.brand}>
        <Show when={isKiosk} fallback={<Pages {...props} />}>
          <Suspense>
            <KioskRoot watchUpdates={props.watchUpdates} isDevelopment={props.isDevelopment} />
          </Suspense>
        </Show>
      </AirlineBrandProvider>
    </I18nProvider>
  );
}

function Pages(props: AppProps): JSX.Element {
  return (
    <AppStateProvider {...props}>
      <Router root={Shell}>
        {Object.entries(SCREENS).map(([path, component]) => ({ path, component }))}
      </Router>
    </AppStateProvider>
  );
}
