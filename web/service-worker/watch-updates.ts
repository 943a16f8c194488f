import { betweenJobs, type Turn } from "../state/job-lock.ts";
import { trustedPolicy } from "../trusted-types.ts";
import { keepFiles } from "./extra-files.ts";
import { SKIP_WAITING } from "./messages.ts";

/** Installs a new version and reloads, as soon as no window of this browser has a job at a tag. */
export type InstallUpdate = (turn?: Turn) => Promise<void>;

/**
 * Calls back when a new version waits, with the function that installs it; nothing is installed before that.
 */
export type WatchUpdates = (found: (install: InstallUpdate) => void) => void;

const SCRIPT = "/sw.js";

/** Registers the service worker once the page is idle. */
export const watchUpdates: WatchUpdates = (found) => {
  if (!import.meta.env.PROD || !("serviceWorker" in navigator)) return;
  const policy = trustedPolicy("service-worker", { createScriptURL: () => SCRIPT });
  const register = async () => {
    const registration = await navigator.serviceWorker.register(policy.scriptUrl(SCRIPT), { scope: "/" });
    watch(registration, found);
    keepLanguage();
    new MutationObserver(keepLanguage).observe(document.documentElement, { attributeFilter: ["lang"] });
  };
  // Offline before the first install, there is nothing to register from; the next start tries again.
  requestIdleCallback(() => void register().catch(() => undefined));
};

/** The page starts without a network in the language that it has now. */
const keepLanguage = () => keepFiles([`words/${document.documentElement.lang.slice(0, 2)}`]);

function watch(registration: ServiceWorkerRegistration, found: (install: InstallUpdate) => void): void {
  const offer = () => {
    const { waiting, active } = registration;
    // The first install is no update.
    if (waiting && active) found((turn) => betweenJobs(() => install(waiting), turn));
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
async function install(waiting: ServiceWorker): Promise<void> {
  if (waiting.state === "installed") {
    const settled = new Promise<void>((resolve) => {
      waiting.addEventListener("statechange", () => {
        // `redundant`: a still newer one has taken its place, and will be offered after the reload.
        if (waiting.state === "activated" || waiting.state === "redundant") resolve();
      });
    });
    waiting.postMessage({ type: SKIP_WAITING });
    await settled;
  }
  // Otherwise another window has already installed it.
  location.reload();
}
