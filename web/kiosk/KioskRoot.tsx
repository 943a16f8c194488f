import type { JSX } from "solid-js";
import type { WatchUpdates } from "../service-worker/watch-updates.ts";
import { createChime } from "./chime.ts";
import { KioskApp } from "./KioskApp.tsx";
import { openSetupStore } from "./setup-store.ts";

/** Own key, session and queue: a kiosk and a passenger on one origin share nothing. */
const DATABASE = "taglatch-kiosk";

const createClient = async (clientKey?: string) => {
  const { createTaglatch } = await import("../state/sdk-client.ts");
  const key = clientKey === undefined ? {} : { clientKey };
  return createTaglatch({ baseUrl: "", audience: "kiosk", databaseName: DATABASE, ...key });
};

export interface KioskRootProps {
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
  return <KioskApp parts={parts} />;
}
