import { type Accessor, createContext, useContext } from "solid-js";

/** What an airline gives the page besides its colours. */
export interface AirlineBrand {
  readonly name?: string;
  /** URL of a picture: of this origin, or a data URL. */
  readonly logo?: string;
}

const Context = createContext<Accessor<AirlineBrand>>(() => ({}));

export const AirlineBrandProvider = Context.Provider;

/** The airline's name and logo; empty where this installation has none. */
export const useAirlineBrand = (): Accessor<AirlineBrand> => useContext(Context);
