import { type JSX, Show } from "solid-js";
import { Words } from "../i18n/index.tsx";
import { KioskFrame } from "./KioskFrame.tsx";
import { type KioskParts, KioskProvider } from "./kiosk-state.tsx";
import { SetupScreen } from "./SetupScreen.tsx";
import "./tokens.css";
import "./kiosk.css";
import "./attract.css";
import "./kiosk-parts.css";

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

/** Whoever sets a kiosk up with `?sim` gets one with virtual tags. */
const kioskAddress = () => (new URLSearchParams(location.search).has("sim") ? "/kiosk?sim" : "/kiosk");

function Kiosk(props: { readonly parts: KioskParts }): JSX.Element {
  return (
    <KioskProvider parts={props.parts}>
      <KioskFrame isDevelopment={props.parts.isDevelopment} />
    </KioskProvider>
  );
}
