/** Calls back with the function that installs a new version and reloads; nothing is installed before that. */
export type WatchUpdates = (found: (reload: () => void) => void) => void;

/** Registers the service worker once the page has nothing better to do. */
export const watchUpdates: WatchUpdates = (found) => {
  if (!import.meta.env.PROD || !("serviceWorker" in navigator)) return;
  const register = async () => {
    const { registerSW } = await import("virtual:pwa-register");
    const reload = registerSW({ onNeedRefresh: () => found(() => void reload(true)) });
  };
  // Offline before the first install there is nothing to register from; the next start tries again.
  requestIdleCallback(() => void register().catch(() => undefined));
};
