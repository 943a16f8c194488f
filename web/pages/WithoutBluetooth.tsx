import { useLocation } from "@solidjs/router";
import { createSignal, For, type JSX, onMount, Show } from "solid-js";
import type { KioskPlace } from "../../core/api/index.ts";
import { useI18n, Words } from "../i18n/index.tsx";
import { useAppState } from "../state/app-state.tsx";
import { lackingBrowser } from "../state/browser.ts";
import type { Elsewhere } from "../state/start.ts";
import { ButtonLink } from "../ui/Controls.tsx";
import { QrImage } from "../ui/QrImage.tsx";
import "./without-bluetooth.css";

export interface WithoutBluetoothProps {
  /** The one way that is offered at once, before the others. */
  readonly children?: JSX.Element;
  /** A paper tag replaces writing alone; a delegate's code is no longer in the address, and so opens nothing elsewhere. */
  readonly to?: "clear" | "delegate";
}

/** Shown before the form: one line that this browser has no Bluetooth; what to use instead, on demand. */
export function WithoutBluetooth(props: WithoutBluetoothProps): JSX.Element {
  const { t } = useI18n();
  const { elsewhere } = useAppState();
  const [ways, setWays] = createSignal<Elsewhere>({});
  onMount(() => void elsewhere().then(setWays));
  const kind = lackingBrowser(navigator) ?? "other";
  const here = useLocation();
  // Without query and fragment: neither a QR code nor an app receives more than the screen's path.
  const address = () => `${location.origin}${here.pathname}`;
  const app = () => (kind === "ios" && props.to !== "delegate" ? ways().iosApp : undefined);
  const title = () => <h2 id="lacking">{t("passenger.elsewhere.title")}</h2>;
  // In the order of what a passenger does: the airline's app, another phone, a kiosk, a browser.
  const others = () => (
    <div class="stack">
      <p class="soft">{t(`passenger.elsewhere.${kind}`)}</p>
      {/* Where another phone can do it at once, its code is enough. */}
      <Show when={kind !== "inApp" && props.to !== "delegate" && !props.children}>
        <Scan address={address()} />
      </Show>
      <Show when={props.to !== "delegate"}>
        <Kiosks places={ways().kiosks ?? []} />
      </Show>
      <Show when={kind === "ios" && ways().iosBrowser}>
        {(link) => (
          <ButtonLink href={link()} wide>
            {t("passenger.elsewhere.iosBrowser")}
          </ButtonLink>
        )}
      </Show>
      <Show when={props.to === undefined}>
        <p class="soft small">{t("error.paper")}</p>
      </Show>
    </div>
  );
  return (
    <Words part="passenger">
      <section class="card lacking" aria-labelledby="lacking">
        <Show
          when={app() || props.children}
          fallback={
            <details class="details">
              <summary>
                {title()} {t("passenger.elsewhere.how")}
              </summary>
              {others()}
            </details>
          }
        >
          {title()}
          <Show when={app()}>
            {(link) => (
              <ButtonLink href={link()} kind={props.children ? "secondary" : "primary"} wide>
                {t("passenger.elsewhere.iosApp")}
              </ButtonLink>
            )}
          </Show>
          {props.children}
          <details class="details">
            <summary>{t("passenger.elsewhere.others")}</summary>
            {others()}
          </details>
        </Show>
        <Show when={kind === "inApp"}>
          <ButtonLink href={chromeLink(location)} kind={props.children ? "secondary" : "primary"} wide>
            {t("passenger.elsewhere.openChrome")}
          </ButtonLink>
        </Show>
      </section>
    </Words>
  );
}

/** This page on a device that has Bluetooth. */
function Scan(props: { readonly address: string }): JSX.Element {
  const { t } = useI18n();
  return (
    <div class="lacking-scan">
      <div>
        <p>{t("passenger.elsewhere.scan")}</p>
        <p class="code" dir="ltr">
          {props.address.replace(/^https?:\/\//, "").replace(/\/$/, "")}
        </p>
      </div>
      <QrImage text={props.address} label={t("passenger.elsewhere.code", props.address)} />
    </div>
  );
}

/** Those at the airport where the known journey begins; all where none is known. */
function Kiosks(props: { readonly places: readonly KioskPlace[] }): JSX.Element {
  const { t } = useI18n();
  const { journeyCache } = useAppState();
  const near = () => {
    const airport = journeyCache.cached()?.journey.departureAirport;
    return props.places.filter((each) => airport === undefined || each.airport === airport);
  };
  return (
    <Show when={near().length > 0}>
      <div>
        <p>{t("passenger.elsewhere.kiosks")}</p>
        <ul class="lacking-kiosks">
          <For each={near()}>
            {({ airport, place }) => (
              <li>
                <b>{airport}</b> · <bdi>{place}</bdi>
              </li>
            )}
          </For>
        </ul>
      </div>
    </Show>
  );
}

/** Android opens it in Chrome, whatever app asks (developer.chrome.com, Android Intents). */
function chromeLink({ host, pathname, protocol }: Location): string {
  return `intent://${host}${pathname}#Intent;scheme=${protocol.slice(0, -1)};package=com.android.chrome;end`;
}
