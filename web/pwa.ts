import type { VitePWAOptions } from "vite-plugin-pwa";

/** Paths the Worker answers: the app shell must never stand in for them. */
const SERVICE_PATHS = [
  /^\/v2\//,
  /^\/docs/,
  /^\/openapi\.json$/,
  /^\/\.well-known\//,
  /^\/healthz$/,
  /^\/demo\//,
  /^\/assets\//,
];

/** Build-time only. Installable, starts offline; an update waits until somebody says yes, and never during a job. */
export const pwaOptions: Partial<VitePWAOptions> = {
  registerType: "prompt",
  injectRegister: null,
  manifest: {
    id: "/",
    name: "Taglatch",
    short_name: "Taglatch",
    description: "Put your bag’s label on an electronic bag tag, straight from this page.",
    start_url: "/",
    display: "standalone",
    background_color: "#f5f4f0",
    theme_color: "#f5f4f0",
    categories: ["travel"],
    icons: [
      { src: "/icons/icon-192.png", sizes: "192x192", type: "image/png" },
      { src: "/icons/icon-512.png", sizes: "512x512", type: "image/png" },
      { src: "/icons/maskable-512.png", sizes: "512x512", type: "image/png", purpose: "maskable" },
      { src: "/icon.svg", sizes: "any", type: "image/svg+xml" },
    ],
    shortcuts: [{ name: "Clear a tag", url: "/clear" }],
  },
  workbox: {
    globPatterns: ["**/*.{html,js,css,svg,png,webmanifest}"],
    // Virtual tags and checks are for desks, not for offline passengers. Answers of the service are never cached.
    globIgnores: ["**/sim-*", "**/SimPanel-*", "**/conformance-*", "**/ConformancePage-*"],
    runtimeCaching: [],
    navigateFallback: "/index.html",
    navigateFallbackDenylist: SERVICE_PATHS,
    cleanupOutdatedCaches: true,
  },
};

/** Virtual tags sit in chunks of their own name, so that a script can prove they are in no other. */
export function chunkFileNames(chunk: { readonly moduleIds: readonly string[] }): string {
  const simulated = chunk.moduleIds.some((id) => /\/web\/(pages\/)?sim\//.test(id));
  if (simulated) return "assets/sim-[name]-[hash].js";
  // The checks for tag makers, and the issuing code only they load.
  const desk = chunk.moduleIds.some((id) => /\/web\/(pages\/)?conformance\/|\/core\/pki\/issue\.ts/.test(id));
  return desk ? "assets/conformance-[name]-[hash].js" : "assets/[name]-[hash].js";
}
