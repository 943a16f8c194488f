import { type JSX, onMount, Show } from "solid-js";
import { Words } from "../i18n/index.tsx";
import { keepFiles } from "../service-worker/extra-files.ts";
import type { WatchUpdates } from "../service-worker/watch-updates.ts";
import { createChime } from "./idle.ts";
import { KioskFrame } from "./KioskFrame.tsx";
import { type KioskParts, KioskProvider } from "./kiosk-state.tsx";
import { SetupScreen } from "./SetupScreen.tsx";
import { openSetupStore } from "./setup-store.ts";
import "./tokens.css";
import "./kiosk.css";
import "./attract.css";
import "./kiosk-parts.css";

/** Own key, session and queue: a kiosk and a passenger on one origin share nothing. */
const DATABASE = "taglatch-kiosk";

const createClient = async (clientKey?: string) => {
  const { createTaglatch } = await import("../state/sdk-client.ts");
  const key = clientKey === undefined ? {} : { clientKey };
  return createTaglatch({ baseUrl: "", audience: "kiosk", databaseName: DATABASE, ...key });
};

interface KioskRootProps {
  readonly watchUpdates: WatchUpdates;
  readonly isDevelopment: () => Promise<boolean>;
}

/** The kiosk with its real parts; the one entrance of its chunk. */
export function KioskRoot(props: KioskRootProps): JSX.Element {
  const parts = {
    setup: openSetupStore(),
    createClient,
    watchUpdates: (found: Parameters<WatchUpdates>[0]) => props.watchUpdates(found),
    chime: createChime(),
    isDevelopment: () => props.isDevelopment(),
  };
  // The next person may choose any language.
  onMount(() => keepFiles(["kiosk", "words"]));
  return <KioskApp parts={parts} />;
}

/** The kiosk: a tree of its own beside the passenger's pages, with one address and no history. */
export function KioskApp(props: { readonly parts: KioskParts }): JSX.Element {
  const isSetup = /\/setup\/?$/i.test(location.pathname);
  return (
    <Words part="kiosk">
      <Show when={isSetup} fallback={<Kiosk parts={props.parts} />}>
        <SetupScreen parts={props.parts} onDone={() => location.replace(kioskAddress())} />
      </Show>
    </Words>
  );
}

/** A kiosk that is set up with `?sim` has virtual tags. */
const kioskAddress = () => (new URLSearchParams(location.search).has("sim") ? "/kiosk?sim" : "/kiosk");

function Kiosk(props: { readonly parts: KioskParts }): JSX.Element {
  return (
    <KioskProvider parts={props.parts}>
      <KioskFrame isDevelopment={props.parts.isDevelopment} />
    </KioskProvider>
  );
}
