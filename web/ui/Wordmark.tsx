import { type Accessor, createContext, type JSX, Show, useContext } from "solid-js";

/** What an airline gives the page besides its colours. */
export interface AirlineBrand {
  readonly name?: string;
  /** URL of a picture: of this origin, or a data URL. */
  readonly logo?: string;
  /** The same for dark screens, where one does not serve both. */
  readonly logoDark?: string;
  readonly nameBesideLogo?: boolean;
}

const Context = createContext<Accessor<AirlineBrand>>(() => ({}));

export const AirlineBrandProvider = Context.Provider;

/** The airline's name and logo; empty where this installation has none. */
export const useAirlineBrand = (): Accessor<AirlineBrand> => useContext(Context);

/** The airline's logo, or the product's mark (a tag whose slot is a latch) and the airline's name, or its own. */
export function Wordmark(): JSX.Element {
  const brand = useAirlineBrand();
  const name = () => brand().name ?? "Taglatch";
  const isNamed = () => !brand().logo || brand().nameBesideLogo;
  return (
    <span class="wordmark">
      <Show when={brand().logo} fallback={<Mark />}>
        {(logo) => (
          <picture>
            <source media="(prefers-color-scheme: dark)" srcset={brand().logoDark} />
            <img class="wordmark-logo" src={logo()} alt={isNamed() ? "" : name()} />
          </picture>
        )}
      </Show>
      <Show when={isNamed()}>
        <span>{name()}</span>
      </Show>
    </span>
  );
}

function Mark(): JSX.Element {
  return (
    <svg viewBox="0 0 32 32" width="32" height="32" aria-hidden="true">
      <path
        class="wordmark-tag"
        d="M10.5 4h15A4.5 4.5 0 0 1 30 8.5v15a4.5 4.5 0 0 1-4.5 4.5h-15a4 4 0 0 1-2.9-1.2l-5.2-5.4a7.8 7.8 0 0 1 0-10.8l5.2-5.4A4 4 0 0 1 10.5 4z"
      />
      <rect class="wordmark-slot" x="8" y="11.5" width="4" height="9" rx="2" />
      <path class="wordmark-bars" d="M17 9.5v13M20.5 9.5v13M22.8 9.5v13M26 9.5v13" />
    </svg>
  );
}
