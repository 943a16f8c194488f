import { SKIP_WAITING } from "./service-worker/messages.ts";
import { trustedPolicy } from "./trusted-types.ts";

/** Calls back with the function that installs a new version and reloads; nothing is installed before that. */
export type WatchUpdates = (found: (reload: () => void) => void) => void;

const SCRIPT = "/sw.js";

/** Registers the service worker once the page has nothing better to do. */
export const watchUpdates: WatchUpdates = (found) => {
  if (!import.meta.env.PROD || !("serviceWorker" in navigator)) return;
  const policy = trustedPolicy("service-worker", { createScriptURL: () => SCRIPT });
  const register = async () => {
    const registration = await navigator.serviceWorker.register(policy.scriptUrl(SCRIPT), { scope: "/" });
    watch(registration, found);
  };
  // Offline before the first install there is nothing to register from; the next start tries again.
  requestIdleCallback(() => void register().catch(() => undefined));
};

function watch(registration: ServiceWorkerRegistration, found: (reload: () => void) => void): void {
  const offer = () => {
    const { waiting, active } = registration;
    // The first install is no update.
    if (waiting && active) found(() => install(waiting));
  };
  offer();
  registration.addEventListener("updatefound", () => {
    const { installing } = registration;
    installing?.addEventListener("statechange", () => {
      if (installing.state === "installed") offer();
    });
  });
}

/** The new version takes over, then the page is loaded from it. */
function install(waiting: ServiceWorker): void {
  navigator.serviceWorker.addEventListener("controllerchange", () => location.reload(), { once: true });
  waiting.postMessage({ type: SKIP_WAITING });
}
