import { createSignal } from "solid-js";
import { render } from "solid-js/web";
import { App } from "./app.tsx";
import type { LoadedLanguage } from "./i18n/dictionary.ts";
import { firstWords } from "./i18n/load.ts";
import { backgroundSync } from "./service-worker/messages.ts";
import { askInstallation, installedBrand, rememberedBrand, takeFragment } from "./state/start.ts";
import "./ui/tokens.css";
import "./ui/base.css";
import "./ui/controls.css";
import "./ui/journey.css";
import "./pages/shell.css";
import "./pages/pages.css";
import "./pages/bag-card.css";
import type { WatchUpdates } from "./service-worker/watch-updates.ts";
import { whenIdle } from "./state/browser.ts";

// Before anything else: a token or a booking must not stay in the address.
const arrived = takeFragment();

const createClient = async () => {
  const { createTaglatch } = await import("./state/sdk-client.ts");
  return createTaglatch({ baseUrl: "" });
};

const installation = askInstallation();
const isDevelopment = async () => (await installation())?.environment === "development";

const [brand, setBrand] = createSignal(rememberedBrand());
whenIdle(() => void installedBrand(installation).then((installed) => installed && setBrand(installed)));

/** No first drawing waits for it; a start that cannot load it leaves it to the next. */
const watchUpdates: WatchUpdates = (found) =>
  whenIdle(() => {
    import("./service-worker/watch-updates.ts")
      .then((updates) => updates.watchUpdates(found))
      .catch(() => undefined);
  });

const handOver = { token: arrived.token, origins: async () => (await installation())?.handOverOrigins ?? [] };

const show = (initialLanguage?: LoadedLanguage) => {
  render(
    () => (
      <App
        createClient={createClient}
        watchUpdates={watchUpdates}
        isDevelopment={isDevelopment}
        elsewhere={async () => (await installation()) ?? {}}
        backgroundSync={backgroundSync}
        handOver={handOver}
        arrived={arrived}
        brand={brand}
        initialLanguage={initialLanguage}
      />
    ),
    document.body,
  );
};

const words = firstWords(isDevelopment);
if (words === undefined) show();
else void words.then(show);
